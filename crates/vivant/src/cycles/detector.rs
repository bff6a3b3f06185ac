//! [`Detector`]: the running detection pass of a system.

use super::detection_pass::{DetectionPass, PassProgress};
use super::group_pass::GroupPass;
use crate::actor::{Runnable, Shared, Worker};
use crate::candidates::{FollowUp, ScanQuota};
use crate::gc_state::GroupCandidates;
use crate::run::{Idle, Ran};
use crate::services::ns;
use crate::sync::{Arc, Mutex, MutexGuard, lock};
use std::mem;

/// Time that a worker spends on a pass between two rounds, while many candidates wait.
const SLICE_NS: u64 = 200_000;

/// Finds the unreachable actors of a system.
#[derive(Default)]
pub(crate) struct Detector {
    pass: Mutex<PassPlace>,
    groups: GroupPass,
}

/// Where the running pass is. A pass runs user code (`TraceReferences`), so the worker that
/// continues it takes it out of the lock.
#[derive(Default)]
enum PassPlace {
    #[default]
    NoPass,
    /// Any worker may continue it.
    Waiting(Box<DetectionPass>),
    /// A worker continues or begins it.
    Taken,
}

/// The right to continue the pass, or to begin one. One worker has it.
struct PassTurn<'d> {
    detector: &'d Detector,
    /// What is left of the pass; none if it is over.
    pass: Option<Box<DetectionPass>>,
}

impl Drop for PassTurn<'_> {
    fn drop(&mut self) {
        let left = self.pass.take();
        *self.detector.place() = left.map_or(PassPlace::NoPass, PassPlace::Waiting);
    }
}

impl Detector {
    pub(crate) fn of(system: &Shared) -> &Detector {
        system.extensions.part()
    }

    /// Examines some actors, and ends some, between two runs. One worker at a time does this.
    pub(crate) fn run(&self, system: &Arc<Shared>) {
        self.run_pass(system);
        // After the pass, which takes the request that is renewed here.
        self.groups.run(system, None);
    }

    /// Continues the group mark that waits for this actor, which is between two runs.
    #[cold]
    pub(crate) fn visit(&self, system: &Arc<Shared>, actor: Runnable) -> Runnable {
        let mut between_runs = Idle::between_runs(actor);
        self.groups.run(system, Some(&mut between_runs));
        between_runs.into_runnable()
    }

    fn run_pass(&self, system: &Arc<Shared>) {
        let until_ns = system.oracle.now_ns() + self.slice_ns(system);
        while let Some(ending) = self.run_piece(system) {
            // No lock is held: this is user code.
            ending
                .into_iter()
                .for_each(|actor| end_actor(system, actor));
            if !system.candidates.is_pass_requested() || system.oracle.now_ns() >= until_ns {
                return;
            }
        }
    }

    /// Time that a worker spends on it. In a simulation, where no time passes meanwhile, it is one
    /// piece.
    fn slice_ns(&self, system: &Shared) -> u64 {
        match system.candidates.list().scan_quota() {
            ScanQuota::Slice if system.stage().is_none() => SLICE_NS,
            _ => 0,
        }
    }

    /// Runs one piece of the pass, if no other worker does; returns the actors that are to end.
    fn run_piece(&self, system: &Arc<Shared>) -> Option<Vec<Runnable>> {
        let ending = self.step(system)?;
        // A `close` that found the pass taken has left the rest to this.
        if system.candidates.list().is_closed() {
            self.abort_pass(system);
        }
        Some(ending)
    }

    fn step(&self, system: &Arc<Shared>) -> Option<Vec<Runnable>> {
        let mut turn = self.take_pass()?;
        system.candidates.clear_request();
        let mut pass = turn.pass.take().or_else(|| self.begin_pass(system))?;
        let began_ns = system.oracle.now_ns();
        let (ending, progress) = pass.run_piece(system);
        pass.took_ns += system.oracle.now_ns() - began_ns;
        match progress {
            PassProgress::More => {
                turn.pass = Some(pass);
                drop(turn);
                system.candidates.request_pass();
            }
            PassProgress::Done => {
                let (now_ns, wait_ns) = (system.oracle.now_ns(), ns(system.config.idle_after));
                let result = pass.into_result();
                let mut list = system.candidates.list();
                let follow_up = list.end_pass(result, now_ns, wait_ns);
                let released = list.release_throttled(now_ns);
                drop(list);
                resume(system, released);
                match follow_up {
                    // No worker needs to be woken: this one is awake.
                    FollowUp::StartPass => system.candidates.request_pass(),
                    other => system.after_candidates(other, now_ns),
                }
            }
        }
        Some(ending)
    }

    /// The right to continue the pass; none if another worker has it.
    fn take_pass(&self) -> Option<PassTurn<'_>> {
        let pass = match mem::replace(&mut *self.place(), PassPlace::Taken) {
            PassPlace::NoPass => None,
            PassPlace::Waiting(pass) => Some(pass),
            PassPlace::Taken => return None,
        };
        Some(PassTurn {
            detector: self,
            pass,
        })
    }

    fn place(&self) -> MutexGuard<'_, PassPlace> {
        lock(&self.pass)
    }

    fn begin_pass(&self, system: &Arc<Shared>) -> Option<Box<DetectionPass>> {
        let mut list = system.candidates.list();
        let (candidates, limit) = list.begin_pass()?;
        let released = list.release_throttled(system.oracle.now_ns());
        drop(list);
        resume(system, released);
        Some(Box::new(DetectionPass::new(&candidates, limit)))
    }

    /// Throttles an actor that has made candidates under candidate overload: it runs again when
    /// enough of them were examined. It is given back if the overload is over.
    #[cold]
    pub(crate) fn throttle(system: &Shared, actor: Runnable) -> Option<Runnable> {
        let now_ns = system.oracle.now_ns();
        system.candidates.list().throttle(actor, now_ns)
    }

    /// The system ends.
    pub(crate) fn close(&self, system: &Arc<Shared>) {
        let throttled = system.candidates.list().close();
        resume(system, throttled);
        GroupCandidates::of(system).close();
        self.groups.close(system);
        self.abort_pass(system);
    }

    /// Ends the pass. A worker that has taken it ends it: user code (`TraceReferences`) may run
    /// there and not return.
    fn abort_pass(&self, system: &Arc<Shared>) {
        let Some(mut turn) = self.take_pass() else {
            return;
        };
        let pass = turn.pass.take();
        drop(turn);
        system.candidates.clear_request();
        // They are dying: only their end is left to do.
        let ending = pass.into_iter().flat_map(|pass| pass.abort());
        ending.for_each(|actor| system.schedule(actor));
    }
}

/// Schedules throttled actors. Not by the worker that runs the pass.
fn resume(system: &Arc<Shared>, released: Vec<Runnable>) {
    for actor in released {
        system.scheduler.schedule(actor, system);
    }
}

/// The last run of a dying actor.
fn end_actor(system: &Arc<Shared>, actor: Runnable) {
    let by_worker = |worker: &Worker| worker.has_rounds() && actor.worker_class().is_for_workers();
    if Worker::of(system, by_worker) != Some(true) {
        system.schedule(actor);
        return;
    }
    let _ended =
        Worker::with_current(
            |worker| match crate::run::run(actor, worker, system.config.budget) {
                Ran::Parked => {}
                Ran::Requeue(actor) | Ran::Visit(actor) | Ran::Load(actor) => {
                    system.schedule(actor);
                }
            },
        );
}

#[cfg(all(test, feature = "macros"))]
mod tests {
    use super::*;
    use crate::prelude::*;
    use crate::simulation::Simulation;
    use crate::{OutgoingReferences, TraceReferences};
    use std::cell::{Cell, RefCell};
    use std::time::Duration;

    thread_local! {
        static SYSTEM: RefCell<Option<Arc<Shared>>> = const { RefCell::new(None) };
        /// Calls of users' code, and how many of them found a lock that was held.
        static CALLS: Cell<(u32, u32)> = const { Cell::new((0, 0)) };
    }

    /// Tries the detector's locks when it is traced.
    struct Probe;

    impl TraceReferences for Probe {
        fn outgoing_references(&self, _: &mut OutgoingReferences<'_>) {
            SYSTEM.with_borrow(|system| {
                let system = system.as_ref().expect("the test has set it");
                let is_held = Detector::of(system).pass.try_lock().is_err();
                let (calls, held) = CALLS.get();
                CALLS.set((calls + 1, held + u32::from(is_held)));
            });
        }
    }

    #[derive(Actor)]
    struct Probed {
        me: Option<Address<Probed>>,
        _probe: Probe,
    }

    #[behaviours]
    impl Probed {
        fn keeps_itself(&mut self, t: &Turn<Self>) {
            self.me = Some(t.me());
        }
    }

    #[test]
    fn no_lock_is_held_while_references_are_traced() {
        let simulation = Simulation::new(0);
        let system = simulation.system();
        SYSTEM.set(Some(system.shared().clone()));
        let actor = system.spawn(Probed {
            me: None,
            _probe: Probe,
        });
        actor.keeps_itself().send();
        simulation.run();
        drop(actor);
        simulation.run_for(Duration::from_secs(10));
        let (calls, held) = CALLS.get();
        assert!(calls > 0 && held == 0, "{held} of {calls} found it held");
        assert!(system.inspect().actors.is_empty());
        SYSTEM.take();
    }
}
