//! GC state: a state that is a graph, in a heap of its own, collected between turns.

use super::deaths::{Asked, Notice, Notices};
use super::detached_heaps::DetachedHeaps;
use super::edge_snapshot::EdgeSnapshot;
use super::gc_continuation::GcContinuation;
use super::gc_waker::GcWaker;
use super::idle_check;
use super::idle_check::IdleCheck;
use crate::actor::{OutgoingReferences, Sight, Worker};
use crate::api::{Actor, Host, StoreState, Turn};
use crate::observe;
use crate::sched::Scheduler;
use crate::statistics::{HeapCounts, PauseKind};
use crate::sync::Arc;
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::ops::Deref;
use std::task::Waker;
use std::{fmt, panic};
use vivant_heap::{
    Anything, DetachedHeap, Gc, Heap, HeapStats, Leaf, Mut, Mutator, Object, Root, Sharer, unsize,
};

/// The state is a graph of objects in a heap of the actor's own, which collects itself between
/// turns (H1). [`Actor::State`] is a type with a lifetime, the brand of the turn (Y1); the turn
/// derefs to the heap's [`Mutator`], which allocates and writes.
#[derive(Debug)]
pub struct GcState(());

/// The root of the heap: the state, and the locals that a behaviour in steps has left for its next
/// step.
pub(super) struct Rooted<A>(PhantomData<fn(A) -> A>);

impl<A: Actor> Root for Rooted<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    type Of<'gc> = (A::State<'gc>, Locals<'gc>, Leaf<Notices>);
}

/// The locals that a behaviour in steps has left: a `Mut<Option<L>>`, whatever its `L` is.
type Locals<'gc> = Option<Gc<'gc, dyn Anything>>;

/// The heap's part of a turn.
pub struct Part<'gc> {
    mutator: Mutator<'gc>,
    locals: Cell<Locals<'gc>>,
    pub(super) asked: RefCell<Asked>,
}

/// A running turn. Its drop registers the death watches that the turn has set, after a panic too.
struct Running<'t, 'gc, A: Actor<Storage = GcState>>
where
    for<'any> A::State<'any>: Object<'any>,
{
    turn: Turn<'gc, A>,
    notices: &'t mut Notices,
}

impl<A: Actor<Storage = GcState>> Drop for Running<'_, '_, A>
where
    for<'any> A::State<'any>: Object<'any>,
{
    #[inline]
    fn drop(&mut self) {
        self.notices.end(self.turn.part().asked.take());
    }
}

/// A heap in an actor's cell.
pub struct Heaped<A: Actor>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    pub(super) heap: Heap<Rooted<A>>,
    /// Number of turns begun, and its value when the heap's work after a turn was last done. They
    /// differ after a panic.
    pub(super) turns: u64,
    looked_after: u64,
    pub(super) rest: IdleCheck,
    pub(super) sighting: EdgeSnapshot,
    pub(super) tending: GcContinuation,
    /// The heap's GC waker.
    pub(super) bell: Arc<GcWaker>,
}

/// Guard of a running turn. If a panic aborts the turn, the heap's work after it is not done. Then
/// this schedules an idle check, because no other turn may come.
struct CutOff<'a> {
    bell: &'a GcWaker,
    worker: &'a Worker,
}

impl Drop for CutOff<'_> {
    #[cold]
    fn drop(&mut self) {
        self.bell
            .ask(idle_check::heard_after_ns(&self.worker.system));
    }
}

impl<A: Actor<Storage = GcState>> StoreState<A> for GcState
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    type Stored = Heaped<A>;
    type Part<'gc> = Part<'gc>;
    type Published = HeapCounts;

    fn begin(
        Host(worker): Host<'_>,
        facts: &HeapCounts,
        start: impl for<'gc> FnOnce(&Turn<'gc, A>) -> A::State<'gc>,
    ) -> Heaped<A> {
        let system = &worker.system;
        let pacing = A::PACING.unwrap_or(system.config.pacing);
        let pacing = system.config.collectors.pacing(A::NAME, pacing);
        if let Scheduler::Threads(threads) = &system.scheduler {
            threads.begin_memory(system);
        }
        let bell = GcWaker::of(worker.me().cell(), idle_check::ask::<A>);
        let waker = Waker::from(bell.clone());
        let begun = Heap::begin(&system.heaps, pacing, waker, |mutator| {
            let mut notices = Notices::default();
            let asked = notices.begin();
            let turn = Turn::new(worker, Part::new(*mutator, None, asked));
            let state = worker.packing(mutator, || start(&turn));
            notices.end(turn.part().asked.take());
            (state, None, Leaf(notices))
        });
        let heap = match begun {
            Ok(heap) => heap,
            Err((orphan, panic)) => {
                outlives(worker, orphan, &bell);
                panic::resume_unwind(panic);
            }
        };
        let mut kept = Heaped {
            heap,
            turns: 1,
            looked_after: 0,
            rest: IdleCheck::default(),
            sighting: EdgeSnapshot::default(),
            tending: GcContinuation::default(),
            bell,
        };
        kept.turn_is_over(worker, facts);
        kept
    }

    #[inline]
    fn turn<T>(
        kept: &mut Heaped<A>,
        Host(worker): Host<'_>,
        facts: &HeapCounts,
        body: impl for<'gc> FnOnce(&mut A::State<'gc>, &Turn<'gc, A>) -> T,
    ) -> T {
        if kept.looked_after != kept.turns {
            // The last turn was aborted by a panic, perhaps for want of memory: this does its work
            // now, so that this turn need not fail in the same way.
            kept.turn_is_over(worker, facts);
        }
        kept.turns += 1;
        let cut_off = CutOff {
            bell: &kept.bell,
            worker,
        };
        let answer = kept.heap.turn(|mutator, (state, locals, Leaf(notices))| {
            let part = Part::new(*mutator, locals.take(), notices.begin());
            let running = Running {
                turn: Turn::new(worker, part),
                notices,
            };
            let answer = worker.packing(mutator, || body(state, &running.turn));
            *locals = running.turn.part().locals.take();
            answer
        });
        std::mem::forget(cut_off);
        kept.turn_is_over(worker, facts);
        answer
    }

    fn look<T>(kept: &mut Heaped<A>, body: impl for<'gc> FnOnce(&A::State<'gc>) -> T) -> T {
        kept.heap.turn(|_, (state, ..)| body(state))
    }

    const MAY_SHOW: bool = <A::State<'static> as Object<'static>>::NEEDS_TRACE;

    fn outgoing_references(kept: &Heaped<A>, seen: &mut OutgoingReferences<'_>) -> Sight {
        if !kept.heap.shows() {
            return Sight::All;
        }
        match kept.sighting.is_of(kept.turns) {
            true => kept.sighting.show(seen),
            false => Sight::Some,
        }
    }

    fn forget_locals(kept: &mut Heaped<A>) {
        kept.heap.turn(|_, (_, locals, _)| *locals = None);
    }

    fn end(kept: Heaped<A>, Host(worker): Host<'_>) {
        let Heaped {
            heap,
            bell,
            tending,
            ..
        } = kept;
        tending.ends(&worker.system.marks);
        outlives(worker, heap.end(), &bell);
    }

    fn sharer(kept: &mut Heaped<A>) -> Option<&mut dyn Sharer> {
        let _later = kept.heed();
        Some(&mut kept.heap)
    }

    fn heap_facts(facts: &HeapCounts) -> Option<&HeapCounts> {
        Some(facts)
    }
}

/// An actor's heap has ended: what other heaps refer to outlives it (O9).
fn outlives(worker: &Worker, orphan: Option<DetachedHeap>, bell: &GcWaker) {
    match orphan {
        Some(orphan) => DetachedHeaps::take_in(&worker.system, orphan, bell),
        None => bell.is_over(),
    }
}

impl<A: Actor<Storage = GcState>> Heaped<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    /// Work of the heap between two turns.
    #[inline]
    fn turn_is_over(&mut self, worker: &Worker, facts: &HeapCounts) {
        self.looked_after = self.turns;
        if self.heap.has_gc_work() {
            self.collect(worker, facts);
        }
        self.will_rest(worker, facts);
    }

    #[cold]
    fn collect(&mut self, worker: &Worker, facts: &HeapCounts) {
        let young = self.heap.young();
        let limit = worker.system.config.allocation_limit;
        if young > limit {
            let reports = &worker.system.reports;
            reports.large_turn(worker.path(), worker.behaviour(), young as u64);
        }
        self.timed(worker, facts, Heap::pace);
        self.has_heard();
        self.leaves_to_others(worker);
    }

    /// Runs `collect` on the heap, and publishes its duration as a pause of the kind that it was.
    pub(super) fn timed(
        &mut self,
        worker: &Worker,
        facts: &HeapCounts,
        collect: impl FnOnce(&mut Heap<Rooted<A>>),
    ) {
        self.timed_as(worker, facts, PauseKind::of, collect);
    }

    /// Like `timed`; `kind` computes the kind from the heap's statistics before and after.
    pub(super) fn timed_as(
        &mut self,
        worker: &Worker,
        facts: &HeapCounts,
        kind: impl FnOnce(&HeapStats, &HeapStats) -> PauseKind,
        collect: impl FnOnce(&mut Heap<Rooted<A>>),
    ) {
        let (oracle, clock) = (&worker.system.oracle, worker.system.config.pause_clock);
        let (before, began_ns) = (self.heap.stats(), oracle.now_ns());
        let began = clock.read(oracle, began_ns);
        collect(&mut self.heap);
        let (after, ended_ns) = (self.heap.stats(), oracle.now_ns());
        let paused_ns = clock.read(oracle, ended_ns) - began;
        let kind = kind(&before, &after);
        facts.paused(kind, paused_ns, &after);
        worker.system.pauses.add(kind, paused_ns);
        observe::paused(worker, kind, paused_ns);
        // Pacing uses wall-clock time.
        self.takes_note(worker, &before, ended_ns - began_ns, ended_ns);
        self.tell_of_deaths();
    }

    fn tell_of_deaths(&mut self) {
        let dead = self.heap.take_watches();
        if dead.is_empty() {
            return;
        }
        let take = |notices: &mut Notices| -> Vec<Notice> {
            dead.iter()
                .filter_map(|&(watch, token)| notices.take(watch, token))
                .collect()
        };
        let due = self.heap.turn(|_, (_, _, Leaf(notices))| take(notices));
        due.into_iter().for_each(|notice| notice());
    }
}

impl<'gc> Part<'gc> {
    fn new(mutator: Mutator<'gc>, locals: Locals<'gc>, asked: Asked) -> Part<'gc> {
        Part {
            mutator,
            locals: Cell::new(locals),
            asked: RefCell::new(asked),
        }
    }
}

impl<'gc, A: Actor<Storage = GcState>> Turn<'gc, A>
where
    for<'any> A::State<'any>: Object<'any>,
{
    /// Takes the locals that the last step has left, or default ones in the first step. For the
    /// macros.
    #[doc(hidden)]
    pub fn __locals<L: Object<'gc> + Default>(&self) -> L {
        let left = self.part().locals.take();
        let left = left.and_then(Gc::downcast::<Mut<Option<L>>>);
        left.and_then(|left| left.borrow_mut(self).take())
            .unwrap_or_default()
    }

    /// Stores the locals for the next step. For the macros.
    #[doc(hidden)]
    pub fn __leave<L: Object<'gc>>(&self, locals: L) {
        let left = unsize!(self.alloc(Mut::new(Some(locals))) => dyn Anything);
        self.part().locals.set(Some(left));
    }
}

/// `t.alloc(…)`, `node.borrow_mut(t)`: a turn may allocate in its actor's heap, and write to it.
impl<'gc, A: Actor<Storage = GcState>> Deref for Turn<'gc, A>
where
    for<'any> A::State<'any>: Object<'any>,
{
    type Target = Mutator<'gc>;
    #[inline]
    fn deref(&self) -> &Mutator<'gc> {
        &self.part().mutator
    }
}

impl<A: Actor> fmt::Debug for Heaped<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Heaped")
            .field("heap", &self.heap)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part").finish_non_exhaustive()
    }
}
