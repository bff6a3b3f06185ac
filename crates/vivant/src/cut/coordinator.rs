//! The coordinator: begins the passes of a cut, and finds out when each is over (L1).

use super::tables::{TableWalk, Walked};
use crate::actor::{
    CellRef, CutRecorder, OpenHeap, Recorder, Shared, end_recorder, give_up_recorder, record,
    record_with, recorder, set_recorder,
};
use crate::gc_state::DetachedHeaps;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::phase::{Earlier, Pass, Walk, outside_threads, sends_from_outside};
use crate::run::Occupied;
use crate::services::RegistryWalk;
use crate::sync::{Arc, Mutex, MutexGuard, try_lock};
use vivant_heap::{DetachedHeap, Visit};

/// Limit of the actors that one step looks at: of about 0.1 ms, after which the thread yields.
const PAGE: usize = if cfg!(test) { 3 } else { 100 };

/// Bytes of objects of a detached heap that one step writes: some 100 microseconds.
const PIECE: usize = 32 << 10;

/// Takes the cuts of one system, one after the other. A system has one, also between two cuts: a
/// cut that was given up is not over.
pub(crate) struct Coordinator {
    /// The pass that began last, if one did.
    pass: Pass,
    work: Work,
}

/// The coordinator of a system.
struct OfSystem(Mutex<Coordinator>);

impl Default for OfSystem {
    fn default() -> Self {
        OfSystem(Mutex::new(Coordinator {
            pass: Pass::FIRST,
            work: Work::Over,
        }))
    }
}

/// What a pass waits for.
enum Work {
    /// The pass is over, and no other has begun.
    Over,
    /// The threads that may run code of an earlier pass.
    Threads(Earlier),
    /// The idle actors, as far as this walk has not seen them.
    Idle(ActorWalk),
    /// The actors that were active when the walk saw them.
    Active(Vec<CellRef>),
    /// The detached heaps that are to be captured.
    Detached(Vec<u64>),
    /// The tables of the system, which no code before the line changes any more.
    Tables(TableWalk),
    /// Heaps are written, while turns run. Displaced messages and entries that were taken out are
    /// about to be recorded, and the groups and topics without a name of which handles were
    /// recorded.
    Records,
}

/// How far a walk over all actors has come.
#[derive(Default)]
struct ActorWalk {
    walk: RegistryWalk,
    active: Vec<CellRef>,
}

/// What a step has done.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Step {
    /// There is more to do.
    More,
    /// Other threads have to do something first.
    Waits,
    /// The cut has all its records.
    Complete(Outcome),
}

/// Whether a cut is consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Consistent,
    /// L8.
    Void,
}

impl Coordinator {
    /// Returns the coordinator of the system. `None`: another thread has it.
    pub(crate) fn of(system: &Shared) -> Option<MutexGuard<'_, Coordinator>> {
        let of_system: &OfSystem = system.extensions.part();
        try_lock(&of_system.0)
    }

    /// A coordinator of a system on which no other one takes a cut.
    #[cfg(test)]
    pub(crate) fn new(system: &Shared) -> Coordinator {
        Coordinator {
            pass: system.passes.now(),
            work: Work::Over,
        }
    }

    /// Whether no cut is being taken.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.work, Work::Over)
    }

    /// Whether the next step is to find out that no code of an earlier pass runs.
    #[cfg(test)]
    pub(crate) fn waits_for_threads(&self) -> bool {
        matches!(self.work, Work::Threads(_))
    }

    /// Begins a cut. The one before is over.
    pub(crate) fn begin(&mut self, system: &Shared, recorder: Arc<dyn Recorder>) {
        debug_assert!(self.is_over(), "L1: the cut before is not over");
        set_recorder(system, recorder);
        self.begin_pass(system);
    }

    /// Gives the cut up: its records are dropped. It is over when further steps have
    /// ended its passes.
    pub(crate) fn give_up(&mut self, system: &Arc<Shared>) {
        if !self.is_over() {
            give_up_recorder(system);
            DetachedHeaps::no_cut(system);
        }
    }

    /// The number of the phase that began last.
    pub(crate) fn phase(&self) -> u64 {
        self.pass.phase().number()
    }

    fn begin_pass(&mut self, system: &Shared) {
        let (pass, mut earlier) = system.passes.begin_next(outside_threads());
        if system.stage().is_some() && !sends_from_outside() {
            earlier.await_senders();
        }
        self.pass = pass;
        self.work = Work::Threads(earlier);
    }

    /// Whether all is captured but the heaps that are written, as far as these are not.
    pub(crate) fn awaits_heaps(&self) -> bool {
        matches!(self.work, Work::Records)
    }

    /// Takes one step of the cut. Not within a turn.
    pub(crate) fn step(&mut self, system: &Arc<Shared>) -> Step {
        match &mut self.work {
            Work::Over => Step::Waits,
            Work::Threads(earlier) => {
                #[cfg(test)]
                if is_planted(InjectedFault::OutsideThreadNotAwaited) {
                    earlier.forget_senders();
                }
                if !earlier.have_left() {
                    return Step::Waits;
                }
                self.work = Work::Idle(ActorWalk::default());
                Step::More
            }
            Work::Idle(walked) => {
                if let Some(active) = walked.walk_on(system) {
                    self.work = Work::Active(active);
                }
                Step::More
            }
            Work::Active(active) => {
                active.retain(|cell| enter(cell) == Entered::No);
                let before = self.pass.parity().other();
                let behind = system.registry.in_pass(before);
                #[cfg(test)]
                let behind = match is_planted(InjectedFault::CaptureNotAwaited) {
                    true => 0,
                    false => behind,
                };
                if behind > 0 {
                    if active.is_empty() {
                        self.work = Work::Idle(ActorWalk::default());
                    }
                    return Step::Waits;
                }
                match self.pass.walk() {
                    Walk::Capture => {
                        // No actor is before the line, so no other heap of before it will be
                        // detached.
                        self.work = Work::Detached(DetachedHeaps::of(system).numbers());
                    }
                    Walk::Mailbox => self.work = Work::Tables(TableWalk::default()),
                }
                Step::More
            }
            Work::Detached(left) => {
                let phase = self.pass.phase().number();
                let page = left.split_off(left.len().saturating_sub(PAGE));
                let busy = page.into_iter().filter(|number| {
                    let captured = DetachedHeaps::hold(system, *number, |heap| {
                        capture_detached(system, *number, heap, phase);
                    });
                    captured == Visit::Active
                });
                let busy: Vec<u64> = busy.collect();
                let is_busy = !busy.is_empty();
                left.extend(busy);
                if left.is_empty() {
                    self.begin_pass(system);
                }
                match is_busy {
                    true => Step::Waits,
                    false => Step::More,
                }
            }
            Work::Tables(walk) => {
                if walk.walk_on(system, PAGE) == Walked::All {
                    self.work = Work::Records;
                }
                Step::More
            }
            Work::Records => {
                let cut = recorder(system);
                let has_open_heaps = |cut| record_with(cut, system, |cut| cut.has_open_heaps());
                #[cfg(test)]
                let has_open_heaps =
                    |cut| has_open_heaps(cut) && !is_planted(InjectedFault::HeapNotAwaited);
                if let Some(cut) = cut.as_deref().filter(|cut| has_open_heaps(cut)) {
                    return write_heaps(cut, system);
                }
                if !system.passes.has_recorded() {
                    return Step::Waits;
                }
                // No record is being made that may have a handle of another one.
                let found =
                    cut.and_then(|cut| record_with(&cut, system, |cut| cut.take_found_table()));
                if let Some(table) = found {
                    table.record_older(system);
                    return Step::More;
                }
                end_recorder(system);
                self.work = Work::Over;
                Step::Complete(match system.passes.take_void() {
                    true => Outcome::Void,
                    false => Outcome::Consistent,
                })
            }
        }
    }
}

impl ActorWalk {
    /// Looks at the next actors. Returns the active ones when it has seen all.
    fn walk_on(&mut self, system: &Shared) -> Option<Vec<CellRef>> {
        let Some(page) = system.registry.next_page(&mut self.walk, PAGE) else {
            return Some(std::mem::take(&mut self.active));
        };
        let active = page.into_iter().filter(|cell| enter(cell) == Entered::No);
        self.active.extend(active);
        None
    }
}

/// Writes a piece of each heap of which no worker runs the actor: it may have nothing to do, or
/// take no message. A void cut needs none of them.
fn write_heaps(cut: &CutRecorder, system: &Arc<Shared>) -> Step {
    if system.passes.is_void() {
        record_with(cut, system, |cut| cut.give_heaps_up());
    }
    let mut step = Step::Waits;
    for heap in record_with(cut, system, |cut| cut.open_heaps()) {
        if write_piece(system, heap) == Visit::Done {
            step = Step::More;
        }
    }
    step
}

fn write_piece(system: &Arc<Shared>, heap: OpenHeap) -> Visit {
    let actor = match heap {
        OpenHeap::OfActor(actor) => actor,
        OpenHeap::Detached(number) => {
            return DetachedHeaps::hold(system, number, |heap| heap.write_image(PIECE));
        }
    };
    let cell = system.registry.get(actor.place, |cell| cell.id == actor.id);
    let Some(Ok(mut idle)) = cell.map(|cell| cell.hold_idle()) else {
        return Visit::Active;
    };
    if let Some(heap) = &idle.class.heap {
        (heap.write_image)(&mut idle.state());
    }
    idle.park();
    Visit::Done
}

/// A detached heap enters the phase, and is captured, unless it was when its actor was.
fn capture_detached(system: &Arc<Shared>, number: u64, heap: &mut DetachedHeap, phase: u64) {
    if heap.phase() != phase {
        record(system, |cut| cut.captured_detached(system, number, heap));
        heap.enter_phase(phase);
    }
}

#[derive(PartialEq, Eq)]
enum Entered {
    Yes,
    /// It is active: it enters when its next run begins, or has done so.
    No,
}

fn enter(cell: &CellRef) -> Entered {
    match cell.hold_idle() {
        Ok(idle) => {
            idle.park();
            Entered::Yes
        }
        Err(Occupied::Ended) => Entered::Yes,
        Err(Occupied::Active) => Entered::No,
    }
}
