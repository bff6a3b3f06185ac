//! An actor that has not run for a while keeps no nursery: what is young becomes old, and the nursery's blocks go back.

use super::Collected;
use super::collected::Heaped;
use crate::actor::Actor;
use crate::call::Delivery;
use crate::cell::StateRef;
use crate::error::Refusal;
use crate::mailbox::{Envelope, Kind, Letter, Role, Step};
use crate::promise::Next;
use crate::scheduler::Worker;
use crate::timer::{Alarm, Timer, ns};
use std::marker::PhantomData;
use std::panic::Location;
use vivant_heap::{Heap, Object};

/// Whether somebody will look after the actor's nursery.
#[derive(Default)]
pub(super) enum Rest {
    /// It has none, or has just begun.
    #[default]
    Rests,
    /// At this time it will be asked whether it has run since its so-manieth turn.
    Asked { turns: u64, timer: Timer },
}

impl Drop for Rest {
    fn drop(&mut self) {
        if let Rest::Asked { timer, .. } = self {
            timer.cancel();
        }
    }
}

impl<A: Actor<Space = Collected>> Heaped<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    /// The actor has run: it will be asked later whether it rests.
    #[inline]
    pub(super) fn will_rest(&mut self, worker: &Worker) {
        if matches!(self.rest, Rest::Rests) && self.heap.young() > 0 {
            self.ask_later(worker);
        }
    }

    #[cold]
    fn ask_later(&mut self, worker: &Worker) {
        // Weakly: who has ended, or is reached by nobody, rests for good.
        let me = worker.me().cell();
        let ring = move || {
            if let Some(to) = me.upgrade() {
                let envelope = Envelope::new::<Idle<A>>((), Location::caller());
                Delivery { to, envelope }.deliver();
            }
        };
        let system = &worker.system;
        let timer = system.set_timer(ns(system.config.idle_after), Alarm::Once(Box::new(ring)));
        self.rest = Rest::Asked {
            turns: self.turns,
            timer,
        };
    }
}

/// Asks an actor whether it has run lately; if not, it rests.
struct Idle<A>(PhantomData<fn(A)>);

impl<A: Actor<Space = Collected>> Letter for Idle<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    type Content = ();
    const KIND: Kind = Kind::new::<Self>("rest", Role::Own);

    fn run((): (), state: &mut StateRef<'_>, worker: &Worker) -> Step {
        state.with_kept::<A>(|kept, facts| {
            let Rest::Asked { turns, .. } = &kept.rest else {
                return;
            };
            let turns = *turns;
            kept.rest = Rest::Rests;
            if turns != kept.turns {
                kept.ask_later(worker);
                return;
            }
            kept.timed(worker, facts, Heap::collect_young);
            // What survived once is young still.
            kept.timed(worker, facts, Heap::collect_young);
            kept.heap.rest();
        });
        Step::Done
    }

    fn refuse((): (), _: &Refusal, _: &'static Location<'static>) -> Next {
        Next::Nothing
    }
}
