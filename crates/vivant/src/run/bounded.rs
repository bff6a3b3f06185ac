//! Work of a run for a bounded mailbox (see `message/README.md`).

use super::run_guard::{After, RunGuard};
use crate::actor::bury_letter;
use crate::actor::{BoundedQueue, Envelope, WaitingPlace};
use crate::failures::Cause;
use crate::message::{MessageRole, Route};

impl RunGuard<'_> {
    /// Processes the message for which a ticket stands.
    pub(crate) fn redeem(&mut self, ticket: Envelope) -> After {
        match self.message_of(ticket) {
            Some(message) => self.process(message),
            None => After::Next,
        }
    }

    /// Returns `taken` itself, or the message for which it stands if it is a ticket.
    pub(crate) fn message_of(&mut self, taken: Envelope) -> Option<Envelope> {
        if taken.kind().role != MessageRole::Ticket {
            return Some(taken);
        }
        drop(taken);
        // First: it is older than the message for which the ticket stands.
        self.drop_overdue();
        let message = self.redeemed()?;
        Some(self.taken_from(WaitingPlace::Queue, message))
    }

    /// As `message_of`, at the end of the actor or of its incarnation: it enters no pass.
    pub(crate) fn waiting_message_of(
        &mut self,
        taken: Envelope,
    ) -> Option<(WaitingPlace, Envelope)> {
        if taken.kind().role != MessageRole::Ticket {
            return Some((WaitingPlace::Inbox, taken));
        }
        drop(taken);
        self.drop_overdue_at_end();
        Some((WaitingPlace::Queue, self.redeemed()?))
    }

    fn redeemed(&mut self) -> Option<Envelope> {
        let message = self.actor.bounded_queue()?.redeem()?;
        self.worker.account_less(message.kind().bytes);
        Some(message)
    }

    /// Drops deferred messages that newer messages have displaced.
    #[inline]
    pub(crate) fn drop_overdue(&mut self) {
        let overdue = self.overdue();
        if overdue > 0 {
            // L6: a message from behind the line may have displaced them.
            self.enter_pass();
            self.drop_oldest(overdue);
        }
    }

    /// As `drop_overdue`, without an entry into a pass: all messages are refused now.
    #[inline]
    pub(crate) fn drop_overdue_at_end(&mut self) {
        let overdue = self.overdue();
        if overdue > 0 {
            self.drop_oldest(overdue);
        }
    }

    #[inline]
    fn overdue(&self) -> usize {
        let queue = self.actor.bounded_queue();
        queue.map_or(0, BoundedQueue::take_overdue)
    }

    #[cold]
    fn drop_oldest(&mut self, overdue: usize) {
        for _ in 0..overdue {
            let oldest = self.owner().cold().deferred.pop_oldest_counted();
            let Some((number, envelope)) = oldest else {
                break;
            };
            self.withdraw_offer(number);
            self.tell_taken();
            self.publish_deferred();
            let (kind, cell) = (envelope.kind(), self.actor.cell());
            self.refuses_across_line(envelope, WaitingPlace::Deferred, |envelope| {
                self.as_turn(kind, || {
                    bury_letter(cell, envelope, Cause::DroppedOldest).follow();
                });
            });
        }
        // The drop may have sent messages, but no turn has ended.
        drop(self.worker.take_overloaded());
    }

    /// Frees the place of a message that the holder has taken out and that will not begin.
    pub(crate) fn free_place(&self, message: &Envelope) {
        if message.kind().route == Route::Counted
            && let Some(queue) = self.actor.bounded_queue()
        {
            queue.free();
        }
    }

    /// Occupies a place for a continuation that runs at once: it has not been in the mailbox.
    pub(crate) fn occupy_place(&self, released: &Envelope) {
        if released.kind().route == Route::Counted
            && let Some(queue) = self.actor.bounded_queue()
        {
            queue.occupy();
        }
    }

    pub(crate) fn close_bounded_queue(&self) {
        if let Some(queue) = self.actor.bounded_queue() {
            queue.close();
        }
    }
}
