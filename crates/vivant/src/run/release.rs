//! Continuations that a settled promise releases.

use super::run_guard::{After, RunGuard};
use crate::actor::{AddressRef, Delivery, Envelope, KindTable, Next};

impl RunGuard<'_> {
    /// A promise of this actor has settled, and released a continuation. The waits that end with it
    /// end first, so that the continuation may begin the next one (E3).
    pub(crate) fn settled(
        &mut self,
        kind: &'static KindTable,
        to: AddressRef,
        released: Envelope,
    ) -> After {
        match self.change_waits() {
            None => self.released(kind, to, released),
            Some(reason) => {
                self.deliver(kind, to, released);
                After::End(reason)
            }
        }
    }

    /// A resolution released a continuation. If it is for this actor, it runs at once, in a turn of
    /// its own; otherwise it is sent.
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
