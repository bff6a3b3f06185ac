//! Continuations that a settled promise releases.

use super::run_guard::{After, RunGuard};
use crate::actor::{AddressRef, Delivery, Envelope, KindTable, Next};

impl RunGuard<'_> {
    /// A promise of this actor has settled, and released a continuation.
    #[inline]
    pub(crate) fn settled(
        &mut self,
        kind: &'static KindTable,
        to: AddressRef,
        released: Envelope,
    ) -> After {
        if self.worker.has_request() {
            return self.settled_with_waits(kind, to, released);
        }
        self.released(kind, to, released)
    }

    /// As `settled`. The waits that end with the promise end first, so that the continuation may
    /// begin the next one (E3).
    #[cold]
    pub(crate) fn settled_with_waits(
        &mut self,
        kind: &'static KindTable,
        to: AddressRef,
        released: Envelope,
    ) -> After {
        if let Some(reason) = self.change_waits() {
            self.deliver(kind, to, released);
            return After::End(reason);
        }
        self.released(kind, to, released)
    }

    /// A resolution released a continuation. If it is for this actor, it runs at once, in a turn of
    /// its own; otherwise it is sent.
    #[inline]
    fn released(&mut self, kind: &'static KindTable, to: AddressRef, released: Envelope) -> After {
        if std::ptr::eq(&raw const *to, &raw const *self.actor) {
            // Before the turn, which may reuse it as a cached address.
            drop(to);
            self.occupy_place(&released);
            return match self.defer_constrained(released) {
                Some(released) => self.process(released),
                None => self.handle_request(),
            };
        }
        self.deliver(kind, to, released);
        self.handle_request()
    }

    fn deliver(&self, kind: &'static KindTable, to: AddressRef, envelope: Envelope) {
        let delivery = Delivery { to, envelope };
        self.as_turn(kind, || Next::Deliver(delivery).follow());
    }
}
