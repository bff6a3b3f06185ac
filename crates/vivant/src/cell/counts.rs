//! An actor owns the counted objects that it makes (B6): who holds the actor is that owner.

use super::held::Held;
use super::{StateRef, catch};
use crate::error::Refusal;
use crate::mailbox::{Kind, Letter, Role, Step};
use crate::promise::Next;
use crate::scheduler::Worker;
use std::panic::Location;
use vivant_brc::Executor;

impl Held<'_> {
    /// The run begins. For an actor that has never made a [`Brc`](crate::Brc) it costs two looks.
    #[inline]
    pub(super) fn counts_begin(&mut self) {
        let rare = self.owner().rare.as_mut();
        Executor::begins(rare.and_then(|rare| rare.counts.take()));
    }

    /// The run is over: a safe point.
    #[inline]
    pub(super) fn counts_end(&mut self) {
        if Executor::has_owner() {
            self.merge_counts();
        }
    }

    /// Destructors may run, of what others have dropped last. They find themselves within a turn.
    /// One that panics has no turn to spoil: it is reported, and the actor goes on.
    #[cold]
    fn merge_counts(&mut self) {
        // One that has ended has no use for it: what names it is merged by others.
        let goes_on = !self.has_ended();
        let mut owner = None;
        self.as_turn(const { &Merging::KIND }, || {
            // The owner's end, too, merges what has come since.
            match catch(|| Executor::ends().filter(|_| goes_on)) {
                Ok(after) => owner = after,
                Err(caught) => drop(self.panicked(Merging::KIND.name, caught)),
            }
        });
        // Nobody is muted for what a destructor sends, and none ends its actor.
        let _wish = self.worker.take_end();
        drop(self.worker.take_overloaded());
        if goes_on {
            self.owner().rare().counts = owner;
        }
    }
}

/// What is seen while destructors run between two turns. Never sent.
struct Merging;

impl Letter for Merging {
    type Content = ();
    const KIND: Kind = Kind::new::<Self>("merging of counts", Role::StopMark);

    fn run((): (), _: &mut StateRef<'_>, _: &Worker) -> Step {
        Step::Done
    }

    fn refuse((): (), _: &Refusal, _: &'static Location<'static>) -> Next {
        Next::Nothing
    }
}
