//! Steps that do not run, in two cases that the programs of the model do not have: a turn panics
//! after it has requested a step, and a stop hook waits.

use crate::Child;
use crate::actor::{OnPanic, Steps};
use crate::api::{Behaviour, Call, Handle, LocalsInMessage, Message, Resolver, Stepped};
use crate::heap::{Leaf, Pacing, Stress, When};
#[cfg(not(miri))]
use crate::injected_fault::{InjectedFault, caught};
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::supervision::Supervisor;
use crate::sync::{Arc, AtomicU64, Ordering};
use std::panic::resume_unwind;
use std::time::Duration;

#[derive(Actor)]
struct Stumbler;

#[behaviours]
impl Stumbler {
    fn walk(&mut self, left: u8, #[locals] sum: u8) -> Step<(u8, u8), u8> {
        match left {
            0 => Step::Done(sum),
            _ => Step::Again((left - 1, sum + left)),
        }
    }
}

/// Requests a step, and panics then.
struct Stumble;

impl Message for Stumble {
    type Args = ();
    type Reply = u8;
    const NAME: &'static str = "Stumbler::stumble";
}

impl Behaviour for Stumble {
    type Actor = Stumbler;
    const STEPS: Steps = Steps::Many;
    fn run(state: &mut Stumbler, turn: &Turn<'_, Stumbler>, (): (), resolver: Resolver<u8>) {
        Stumble::step(state, turn, (), 1, resolver);
    }
}

impl Stepped for Stumble {
    type Locals = LocalsInMessage<u8>;
    fn step(
        _: &mut Stumbler,
        turn: &Turn<'_, Stumbler>,
        (): (),
        locals: u8,
        resolver: Resolver<u8>,
    ) {
        turn.__again::<Stumble>((), locals + 1, resolver);
        resume_unwind(Box::new("fell"));
    }
}

fn panic_after_a_request() {
    let simulation = Simulation::new(21);
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let stumbler = tree.add(Child::new(|_| Stumbler).on_panic(OnPanic::Resume));
    let fell = Call::<Stumble>::new(Handle::link(&*stumbler), ()).ask_blocking();
    assert!(fell.is_err(), "{fell:?}");
    assert_eq!(stumbler.walk(3).ask_blocking(), Ok(6));
}

#[test]
fn a_step_requested_before_a_panic_does_not_run() {
    panic_after_a_request();
}

#[cfg(not(miri))]
#[test]
fn canary_a_step_left_with_the_worker_is_caught() {
    let said = caught(InjectedFault::LeftWithWorker, panic_after_a_request);
    assert!(said.contains("left is with the worker"), "{said}");
}

/// What a test sees of a [`Closer`].
#[derive(Default)]
struct Seen {
    drops: AtomicU64,
    /// Number of drops before the stop hook's wait was over.
    drops_at_end: AtomicU64,
}

/// Part of the locals. Counts its end.
#[derive(Object)]
#[object(leaf)]
struct Counted(Arc<Seen>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.drops.fetch_add(1, Ordering::Relaxed);
    }
}

const STRESSED: Pacing = Pacing::new().stressed(Stress::new(When::All, 1));

#[derive(Actor)]
#[actor(pacing = STRESSED)]
struct CloserState<'gc> {
    seen: Leaf<Arc<Seen>>,
    last: Option<Gc<'gc, Counted>>,
}

#[behaviours]
impl<'gc> CloserState<'gc> {
    #[start]
    fn new(seen: Arc<Seen>) -> Self {
        CloserState {
            seen: Leaf(seen),
            last: None,
        }
    }

    /// Stops between two steps.
    fn close(
        &mut self,
        t: &Turn<'gc, Closer>,
        #[locals] held: Option<Gc<'gc, Counted>>,
    ) -> Step<Option<Gc<'gc, Counted>>, ()> {
        self.last = held;
        t.stop();
        Step::Again(Some(t.alloc(Counted(self.seen.0.clone()))))
    }

    #[stop]
    fn ends(&mut self, t: &Turn<'gc, Closer>) -> Promise<()> {
        self.wait(t, 3)
    }

    #[then]
    fn waited(&mut self, t: &Turn<'gc, Closer>, _: Result<(), AskError>, more: u8) -> Promise<()> {
        if more > 0 {
            return self.wait(t, more - 1);
        }
        let Leaf(seen) = &self.seen;
        let drops = seen.drops.load(Ordering::Relaxed);
        seen.drops_at_end.store(drops, Ordering::Relaxed);
        Promise::ready(())
    }

    #[local]
    fn wait(&self, t: &Turn<'gc, Closer>, more: u8) -> Promise<()> {
        let clock = t.clock();
        let slept = t.spawn(async move { clock.sleep(Duration::from_millis(1)).await });
        slept.then(t.me().waited(more))
    }
}

fn stop_hook_that_waits() {
    let simulation = Simulation::new(22);
    let seen = Arc::new(Seen::default());
    let closer = Closer::spawn(simulation.system(), seen.clone());
    assert!(closer.close().ask_blocking().is_err());
    simulation.run();
    let drops = seen.drops_at_end.load(Ordering::Relaxed);
    assert_eq!(
        drops, 1,
        "the heap keeps the locals of a step that does not run"
    );
}

#[test]
fn locals_of_a_step_that_does_not_run_are_garbage_after_a_turn() {
    stop_hook_that_waits();
}

#[cfg(not(miri))]
#[test]
fn canary_locals_left_in_the_heap_are_caught() {
    let said = caught(InjectedFault::LeftInHeap, stop_hook_that_waits);
    assert!(said.contains("the heap keeps the locals"), "{said}");
}
