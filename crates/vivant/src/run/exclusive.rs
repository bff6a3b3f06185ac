//! Exclusive waits in a run: messages are deferred until a promise has settled (T7; see
//! `wait_for/README.md`).

use super::run_guard::{After, NextMessage, RunGuard};
use crate::actor::Guards;
use crate::actor::Refusal;
use crate::actor::note_dead_letter;
use crate::actor::{
    AskError, ChildNews, DelayedMessage, Delivery, Envelope, ExclusiveWait, KindTable, Lifecycle,
    MessageKind, Next, Processed, Received, StateRef, StepProgress, StopWait, WaitChange,
    WaitOutcome, WaitPurpose, WaitingPlace, Worker,
};
use crate::failures::{NotStarted, StopReason, WaitCycle, catch};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::interned::Place;
use crate::message::MessageRole;
use crate::services::{Action, Alarm};
use crate::sync::Arc;
use crate::wait_for::{Deferral, WaitForGraph};

/// After this time a request is examined for wait cycles again, in nanoseconds: a cycle is found
/// within a few milliseconds of its last edge.
const EXAMINED_AFTER_NS: u64 = 2_000_000;

impl RunGuard<'_> {
    /// Defers a message without an evaluation of its guard, if the wait defers it (E1). A request
    /// that closes a cycle of waits fails.
    #[cold]
    pub(crate) fn hold_back(&mut self, taken: Envelope) -> NextMessage {
        let Some(envelope) = self.message_of(taken) else {
            return NextMessage::More;
        };
        #[cfg(test)]
        if is_planted(InjectedFault::MessageInWait) {
            return NextMessage::Message(envelope);
        }
        if !envelope.kind().role.waits_for_reply() {
            let other = self.defer_constrained(envelope);
            return other.map_or(NextMessage::More, NextMessage::Message);
        }
        let number = self.owner().cold().deferred.next_number();
        match WaitForGraph::of(&self.actor.system).defer(&self.actor.cell(), number, &envelope) {
            Deferral::Free => {}
            Deferral::Waits => self.owner().cold().deferred.set_known(number),
            Deferral::IsOpen => {
                self.owner().cold().deferred.set_known(number);
                self.examine_later([number]);
            }
            Deferral::Closes(cycle) => {
                // L8: a wait of the cycle may have begun behind the line.
                self.worker.may_know_news();
                if let After::End(reason) = self.fail_request(envelope, cycle) {
                    self.end_incarnation(reason);
                }
                return NextMessage::More;
            }
        }
        let deferred = &mut self.owner().cold().deferred;
        deferred.push(envelope);
        let mut unexamined = deferred.take_unexamined();
        unexamined.retain(|other| *other != number);
        self.examine_later(unexamined);
        self.publish_deferred();
        NextMessage::More
    }

    /// Fails a request that closes a cycle of waits. If this actor has asked itself, that ends its
    /// wait, and the continuation runs at once (E3).
    fn fail_request(&mut self, request: Envelope, cycle: WaitCycle) -> After {
        let (kind, place) = (request.kind(), request.head().place);
        self.free_place(&request);
        let refusal = Refusal::wait_cycle(self.actor.cell(), cycle);
        note_dead_letter(&self.actor, kind, place, refusal.cause());
        let mut released = None;
        // Its drop is user code.
        self.as_turn(kind, || {
            let refused = catch(|| request.refuse(&refusal).delivery());
            released = refused.unwrap_or_else(|caught| {
                self.panicked(kind.name, caught);
                None
            });
        });
        drop(self.worker.take_overloaded());
        match released {
            None => self.change_waits().map_or(After::Next, After::End),
            Some(Delivery { to, envelope }) => self.settled_with_waits(kind, to, envelope),
        }
    }

    /// W3: the requests are examined again when the turns of their askers have ended, as a rule.
    fn examine_later(&mut self, numbers: impl IntoIterator<Item = u64>) {
        let requests = &mut self.owner().cold().open_requests;
        let is_set = !requests.is_empty();
        requests.extend(numbers);
        if !is_set && !requests.is_empty() {
            self.set_examination();
        }
    }

    fn set_examination(&self) {
        let envelope = Envelope::new::<ExamineRequests>((), Place::caller());
        let message = DelayedMessage::Weak(self.actor.cell(), envelope);
        // As a limit: it counts also while the system closes.
        let alarm = Alarm::Limit(Action::Send(message));
        let _timer = self.actor.system.set_timer(EXAMINED_AFTER_NS, alarm);
    }

    /// Examines the deferred requests again that had an open chain of promises.
    pub(crate) fn examine_requests(&mut self) -> After {
        let requests = std::mem::take(&mut self.owner().cold().open_requests);
        let (system, cell) = (self.actor.system.clone(), self.actor.cell());
        let graph = WaitForGraph::of(&system);
        let (mut requests, mut open) = (requests.into_iter(), Vec::new());
        while let Some(number) = requests.next() {
            let deferred = &mut self.owner().cold().deferred;
            let Some(request) = deferred.numbered(number) else {
                continue;
            };
            graph.take(cell.id, number);
            match graph.defer(&cell, number, request) {
                Deferral::Free => {}
                Deferral::Waits => deferred.set_known(number),
                Deferral::IsOpen => {
                    deferred.set_known(number);
                    open.push(number);
                }
                Deferral::Closes(cycle) => {
                    let request = deferred.take_numbered(number);
                    self.worker.may_know_news();
                    let request = request.map(|it| self.taken_from(WaitingPlace::Deferred, it));
                    self.publish_deferred();
                    let fails = |request| self.fail_request(request, cycle);
                    let after = request.map_or(After::Next, fails);
                    let has_step = self.owner().steps == StepProgress::Pending;
                    if has_step || matches!(after, After::End(_)) {
                        // The rest comes after the steps of the continuation, or is refused.
                        self.examine_later(open.into_iter().chain(requests));
                        return after;
                    }
                }
            }
        }
        self.examine_later(open);
        After::Next
    }

    /// W2: messages have been taken out that were deferred. Called before they run, or are refused.
    #[inline]
    pub(crate) fn tell_taken(&mut self) {
        let cold = self.owner().cold.as_ref();
        if cold.is_some_and(|cold| cold.deferred.has_known_taken()) {
            self.tell_known_taken();
        }
    }

    #[cold]
    fn tell_known_taken(&mut self) {
        let taken = self.owner().cold().deferred.take_known();
        let graph = WaitForGraph::of(&self.actor.system);
        let taken = taken.into_iter();
        taken.for_each(|number| graph.take(self.actor.id, number));
    }

    /// Carries out what the turn has changed, or a promise that has settled. Returns the reason if
    /// the actor is to end by it.
    #[inline]
    pub(crate) fn change_waits(&mut self) -> Option<StopReason> {
        match self.worker.has_changes() {
            true => self.change_taken_waits(),
            false => None,
        }
    }

    #[inline(never)]
    fn change_taken_waits(&mut self) -> Option<StopReason> {
        let mut ends = None;
        for change in self.worker.take_waits() {
            match change {
                WaitChange::Begin(wait) => self.begin_wait(wait),
                WaitChange::Over(number, outcome) => {
                    let waits = &mut self.owner().cold().waits;
                    let at = waits.iter().position(|wait| wait.number == number);
                    match at.map(|at| waits.swap_remove(at)) {
                        Some(wait) => ends = self.wait_over(&wait, outcome).or(ends),
                        // It belonged to an earlier incarnation.
                        None => self.drop_outcome(outcome),
                    }
                }
            }
        }
        ends
    }

    fn begin_wait(&mut self, wait: ExclusiveWait) {
        let owner = self.owner();
        owner.cold().waits.push(wait);
        owner.guards = Guards::Held;
        // Messages that their guards defer: from now on the wait defers them too (W1).
        let unexamined = owner.cold().deferred.take_unexamined();
        self.examine_later(unexamined);
    }

    fn wait_over(&mut self, wait: &ExclusiveWait, outcome: WaitOutcome) -> Option<StopReason> {
        WaitForGraph::of(&self.actor.system).end(self.actor.id, wait);
        if self.owner().cold().waits.is_empty() {
            self.wait_is_over();
        }
        match (wait.purpose, outcome) {
            (WaitPurpose::Reply, _) => None,
            (WaitPurpose::Start, WaitOutcome::Failed(error)) => Some(not_started(&error)),
            (WaitPurpose::Start, WaitOutcome::Settled) => self.report_up(),
            (WaitPurpose::Start, WaitOutcome::State(start)) => {
                // It moves the state into the cell. What the start function requested, it carries
                // out.
                match self.process(start) {
                    After::End(reason) => Some(reason),
                    After::Next | After::Pause => self.report_up(),
                }
            }
            (WaitPurpose::Stop, _) => self.stop_reason(),
        }
    }

    /// The actor has started: tells its supervisor. Returns the reason of its end if there is no
    /// supervisor any more.
    pub(crate) fn report_up(&mut self) -> Option<StopReason> {
        self.owner().child()?;
        match self.report(ChildNews::Up) {
            Received::Yes => None,
            Received::No => Some(StopReason::Stopped),
        }
    }

    /// Returns true if the actor waits for a promise with this purpose.
    pub(crate) fn waits_for(&mut self, purpose: WaitPurpose) -> bool {
        let cold = self.owner().cold.as_ref();
        cold.is_some_and(|cold| cold.waits.iter().any(|wait| wait.purpose == purpose))
    }

    /// The incarnation is over: no wait of it is left (E4).
    #[inline]
    pub(crate) fn forget_waits(&mut self) {
        if self.owner().guards == Guards::Held {
            self.wait_is_over();
        }
        if self.owner().cold.is_some() {
            self.end_waits();
        }
    }

    #[inline(never)]
    fn end_waits(&mut self) {
        let cold = self.owner().cold();
        for wait in std::mem::take(&mut cold.waits) {
            WaitForGraph::of(&self.actor.system).end(self.actor.id, &wait);
        }
    }

    /// The turn has panicked. Of its changes only the ends of earlier waits count.
    #[inline]
    pub(crate) fn drop_begun_waits(&mut self) {
        if self.worker.has_changes() {
            self.drop_taken_waits();
        }
    }

    #[cold]
    fn drop_taken_waits(&mut self) {
        for change in self.worker.take_waits() {
            match change {
                WaitChange::Begin(wait) => {
                    WaitForGraph::of(&self.actor.system).end(self.actor.id, &wait);
                }
                WaitChange::Over(..) => self.worker.request_wait(change),
            }
        }
    }

    fn stop_reason(&mut self) -> Option<StopReason> {
        if self.owner().life != Lifecycle::Stopping {
            return None;
        }
        let stop = self.owner().cold().stop.as_ref();
        stop.map(|StopWait { reason, .. }| reason.clone())
    }

    fn drop_outcome(&self, outcome: WaitOutcome) {
        if let Err(caught) = catch(|| drop(outcome)) {
            self.panicked("the drop of a state that came too late", caught);
        }
    }
}

/// The reason of an end because the promise of a start function broke.
fn not_started(error: &AskError) -> StopReason {
    let error = error.to_string();
    StopReason::NotStarted(Arc::new(NotStarted { error }))
}

/// The message by which an actor examines its deferred requests again.
struct ExamineRequests;

impl MessageKind for ExamineRequests {
    type Content = ();
    const KIND: KindTable = KindTable::new::<Self>("examine requests", MessageRole::Reminder);

    fn run((): (), _: &mut StateRef<'_>, _: &Worker) -> Processed {
        Processed::ExamineRequests
    }

    fn refuse((): (), _: &Refusal, _: Place) -> Next {
        Next::Nothing
    }
}
