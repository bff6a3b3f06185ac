//! Biased reference counting of an actor's objects: an actor owns the counted objects that it makes
//! (B6), and its holder acts as that owner.

use super::run_guard::RunGuard;
use crate::actor::Refusal;
use crate::actor::{KindTable, MessageKind, Next, Processed, StateRef, Worker};
use crate::failures::catch;
use crate::interned::Place;
use crate::message::MessageRole;
use vivant_brc::Executor;

impl RunGuard<'_> {
    /// The run begins. For an actor that has never made a [`Brc`](crate::Brc) it costs two checks.
    #[inline]
    pub(crate) fn counts_begin(&mut self) {
        if self.owner().cold.is_some() || Executor::has_owner() {
            self.counts_begin_of_owner();
        }
    }

    #[inline(never)]
    fn counts_begin_of_owner(&mut self) {
        let cold = self.owner().cold.as_mut();
        Executor::begin_run(cold.and_then(|cold| cold.counts.take()));
    }

    /// The run is over: a safe point.
    #[inline]
    pub(crate) fn counts_end(&mut self) {
        if Executor::has_owner() {
            self.merge_counts();
        }
    }

    /// Merges the counts. Destructors may run for objects that other actors dropped last, and they
    /// find themselves within a turn. A panic in a destructor belongs to no turn: it is reported,
    /// and the actor continues.
    #[cold]
    fn merge_counts(&mut self) {
        // An actor that has ended needs no owner: others merge the objects that name it.
        let goes_on = !self.has_ended();
        let mut owner = None;
        self.as_turn(const { &Merging::KIND }, || {
            // The owner's end also merges what has arrived since.
            match catch(|| Executor::end_run().filter(|_| goes_on)) {
                Ok(after) => owner = after,
                Err(caught) => drop(self.panicked(Merging::KIND.name, caught)),
            }
        });
        // A send of a destructor mutes no actor, and its wish to end is discarded.
        let _wish = self.worker.take_end();
        drop(self.worker.take_overloaded());
        if goes_on {
            self.owner().cold().counts = owner;
        }
    }
}

/// The kind that inspection sees while destructors run between two turns. Never sent.
struct Merging;

impl MessageKind for Merging {
    type Content = ();
    const KIND: KindTable = KindTable::new::<Self>("merging of counts", MessageRole::StopMark);

    fn run((): (), _: &mut StateRef<'_>, _: &Worker) -> Processed {
        Processed::Done
    }

    fn refuse((): (), _: &Refusal, _: Place) -> Next {
        Next::Nothing
    }
}
