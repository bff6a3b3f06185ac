//! GC state: a state that is a graph, in a heap of its own, collected between turns.

use super::deaths::{Asked, Notices};
use super::detached_heaps::DetachedHeaps;
use super::edge_snapshot::EdgeSnapshot;
use super::gc_messages;
use super::gc_waker::{GcWaker, notified_after_ns};
use super::marks::{Mark, Marks};
use crate::actor::Worker;
use crate::actor::{OutgoingReferences, Sight};
use crate::api::Actor;
use crate::api::Turn;
use crate::api::{Host, StoreState};
use crate::statistics::HeapCounts;
use crate::sync::Arc;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::panic;
use std::task::Waker;
use vivant_heap::{
    Anything, DetachedHeap, Gc, GcReason, Heap, Leaf, Mut, Mutator, Object, Root, Sharer, unsize,
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
    /// Number of turns begun, and its value when the heap was last stepped after a turn. They
    /// differ after a panic.
    pub(super) turns: u64,
    stepped: u64,
    pub(super) edge_snapshot: EdgeSnapshot,
    /// The concurrent mark that runs, on the system's list.
    pub(super) mark: Option<Arc<Mark>>,
    /// Whether a continuation message is under way.
    pub(super) continues: bool,
    pub(super) waker: Arc<GcWaker>,
}

/// Guard of a running turn. If a panic aborts the turn, the heap's work after it is not done. Then
/// this schedules an idle check, because no other turn may come.
struct CutOff<'a> {
    waker: &'a GcWaker,
    worker: &'a Worker,
}

impl Drop for CutOff<'_> {
    #[cold]
    fn drop(&mut self) {
        self.waker.ask(notified_after_ns(&self.worker.system));
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
        system.scheduler.heap_begins(system);
        let waker = GcWaker::of(worker.me().cell(), gc_messages::send_idle_check::<A>);
        let wakes = Waker::from(waker.clone());
        let begun = Heap::begin(&system.heaps, pacing, wakes, |mutator| {
            let mut notices = Notices::default();
            let asked = notices.begin();
            let turn = Turn::new(worker, Part::new(*mutator, None, asked));
            let state = worker.packing(mutator, || start(&turn));
            notices.end(turn.part().asked.take());
            (state, None, Leaf(notices))
        });
        let heap = match begun {
            Ok(heap) => heap,
            Err((detached, panic)) => {
                outlives(worker, detached, &waker);
                panic::resume_unwind(panic);
            }
        };
        let mut kept = Heaped {
            heap,
            turns: 1,
            stepped: 0,
            edge_snapshot: EdgeSnapshot::default(),
            mark: None,
            continues: false,
            waker,
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
        if kept.stepped != kept.turns {
            // The last turn was aborted by a panic, perhaps for want of memory: this does its work
            // now, so that this turn need not fail in the same way.
            kept.turn_is_over(worker, facts);
        }
        kept.turns += 1;
        let cut_off = CutOff {
            waker: &kept.waker,
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
        match kept.edge_snapshot.is_of(kept.turns) {
            true => kept.edge_snapshot.show(seen),
            false => Sight::Some,
        }
    }

    fn forget_locals(kept: &mut Heaped<A>) {
        kept.heap.turn(|_, (_, locals, _)| *locals = None);
    }

    fn end(kept: Heaped<A>, Host(worker): Host<'_>) {
        let Heaped {
            heap, waker, mark, ..
        } = kept;
        mark.iter()
            .for_each(|mark| Marks::of(&worker.system).ends(mark));
        outlives(worker, heap.end(), &waker);
    }

    fn sharer(kept: &mut Heaped<A>) -> Option<&mut dyn Sharer> {
        let _released = kept.heap.drain_all();
        Some(&mut kept.heap)
    }

    fn heap_facts(facts: &HeapCounts) -> Option<&HeapCounts> {
        Some(facts)
    }
}

/// An actor's heap has ended: what other heaps refer to outlives it (O9).
fn outlives(worker: &Worker, detached: Option<DetachedHeap>, waker: &GcWaker) {
    match detached {
        Some(detached) => DetachedHeaps::take_in(&worker.system, detached, waker),
        None => waker.is_over(),
    }
}

impl<A: Actor<Storage = GcState>> Heaped<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    /// Steps the heap after a turn.
    #[inline]
    fn turn_is_over(&mut self, worker: &Worker, facts: &HeapCounts) {
        self.stepped = self.turns;
        if self.heap.needs_step(self.turns) {
            self.collect(worker, facts, GcReason::TurnEnd);
        }
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
