//! GC state: a state that is a graph, in a heap of its own, collected between turns.

use super::deaths::{DeathNotices, TurnWatches};
use super::detached_heaps::DetachedHeaps;
use super::edge_snapshot::EdgeSnapshot;
use super::gc_messages;
use super::gc_waker::{GcWaker, notified_after_ns};
use super::locals::{Locals, TurnLocals};
use super::marks::{ConcurrentMarks, RunningMark};
use super::rooted::{self, Roots};
use super::saved;
use crate::actor::{
    EachWatch, HostCell, LoadedState, OutgoingReferences, Shared, StateSource, TraceCoverage,
    Worker,
};
use crate::api::Actor;
use crate::api::Turn;
use crate::api::{Host, StateCodec, StoreState};
use crate::saving::HeapSaver;
use crate::statistics::HeapCounts;
use crate::sync::Arc;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::panic;
use std::task::Waker;
use vivant_codec::{Encoder, LoadError};
use vivant_heap::{DetachedHeap, GcReason, Heap, Leaf, Mutator, Object, Pacing, Root, Sharer};

/// The state is a graph of objects in a heap of the actor's own, which collects itself between
/// turns. [`Actor::State`] is a type with a lifetime, the brand of the turn; the turn
/// derefs to the heap's [`Mutator`], which allocates and writes.
#[derive(Debug)]
pub struct GcState(());

/// The root of the heap: the state, the locals that a behaviour in steps has left for its next
/// step, and the roots of flows.
pub(super) struct HeapRoot<A>(PhantomData<fn(A) -> A>);

impl<A: Actor> Root for HeapRoot<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    type Of<'gc> = (A::State<'gc>, Locals<'gc>, Leaf<DeathNotices>, Roots<'gc>);
}

/// The heap's part of a turn.
pub struct HeapPart<'gc> {
    mutator: Mutator<'gc>,
    pub(super) locals: TurnLocals<'gc>,
    pub(super) watches: RefCell<TurnWatches>,
    pub(super) roots: Cell<Roots<'gc>>,
}

/// A running turn. Its drop registers the death watches and the roots that the turn has set, after
/// a panic too.
struct RunningTurn<'t, 'gc, A: Actor<Storage = GcState>>
where
    for<'any> A::State<'any>: Object<'any>,
{
    turn: Turn<'gc, A>,
    notices: &'t mut DeathNotices,
    roots: &'t mut Roots<'gc>,
    waker: &'t Arc<GcWaker>,
}

impl<A: Actor<Storage = GcState>> Drop for RunningTurn<'_, '_, A>
where
    for<'any> A::State<'any>: Object<'any>,
{
    #[inline]
    fn drop(&mut self) {
        let part = self.turn.part();
        self.notices.end(part.watches.take());
        *self.roots = rooted::armed(part.roots.take(), self.waker);
    }
}

/// A heap in an actor's cell.
pub struct ActorHeap<A: Actor>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    pub(super) heap: Heap<HeapRoot<A>>,
    /// Number of turns begun, and its value when the heap was last stepped after a turn. They
    /// differ after a panic.
    pub(super) turns: u64,
    stepped: u64,
    pub(super) edge_snapshot: EdgeSnapshot,
    /// The concurrent mark that runs, on the system's list.
    pub(super) mark: Option<Arc<RunningMark>>,
    /// Whether a continuation message is under way.
    pub(super) continue_sent: bool,
    /// Whether the heap's largest container of `std` was reported.
    pub(super) container_reported: bool,
    pub(super) waker: Arc<GcWaker>,
}

/// Guard of a running turn. If a panic aborts the turn, the heap's work after it is not done. Then
/// this schedules an idle check, because no other turn may come.
struct AbortedTurn<'a> {
    waker: &'a GcWaker,
    worker: &'a Worker,
}

impl Drop for AbortedTurn<'_> {
    #[cold]
    fn drop(&mut self) {
        self.waker
            .schedule_check(notified_after_ns(&self.worker.system));
    }
}

impl<A: Actor<Storage = GcState>> StoreState<A> for GcState
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    type Stored = ActorHeap<A>;
    type Part<'gc> = HeapPart<'gc>;
    type Published = HeapCounts;

    fn begin(
        Host(worker): Host<'_>,
        counts: &HeapCounts,
        start: impl for<'gc> FnOnce(&Turn<'gc, A>) -> A::State<'gc>,
    ) -> ActorHeap<A> {
        let system = &worker.system;
        let pacing = pacing::<A>(system);
        system.scheduler.heap_begins(system);
        let waker = GcWaker::of(worker.me().cell(), gc_messages::idle_check::<A>);
        let std_waker = Waker::from(waker.clone());
        let phase = worker.pass().phase().number();
        let begun = Heap::begin(&system.heaps, pacing, (std_waker, phase), |mutator| {
            let mut notices = DeathNotices::default();
            let watches = notices.begin();
            let turn = Turn::new(worker, HeapPart::new(*mutator, None, watches, None));
            let state = worker.packing(mutator, || start(&turn));
            notices.end(turn.part().watches.take());
            let roots = rooted::armed(turn.part().roots.take(), &waker);
            (state, None, Leaf(notices), roots)
        });
        let heap = match begun {
            Ok(heap) => heap,
            Err((detached, panic)) => {
                detach_heap(worker, detached, &waker);
                panic::resume_unwind(panic);
            }
        };
        let mut stored = ActorHeap::new(heap, waker);
        stored.end_turn(worker, counts);
        stored
    }

    #[inline]
    fn turn<T>(
        stored: &mut ActorHeap<A>,
        Host(worker): Host<'_>,
        counts: &HeapCounts,
        body: impl for<'gc> FnOnce(&mut A::State<'gc>, &Turn<'gc, A>) -> T,
    ) -> T {
        if stored.stepped != stored.turns {
            // A panic aborted the last turn, perhaps an allocation failure. Its GC work is done
            // now, so this turn need not fail in the same way.
            stored.end_turn(worker, counts);
        }
        stored.turns += 1;
        let aborted = AbortedTurn {
            waker: &stored.waker,
            worker,
        };
        let answer = stored.heap.turn(|mutator, root| {
            let (state, locals, Leaf(notices), roots) = root;
            let part = HeapPart::new(*mutator, locals.take(), notices.begin(), roots.take());
            let running = RunningTurn {
                turn: Turn::new(worker, part),
                notices,
                roots,
                waker: &stored.waker,
            };
            let answer = worker.packing(mutator, || body(state, &running.turn));
            *locals = running.turn.part().locals.end();
            answer
        });
        std::mem::forget(aborted);
        stored.end_turn(worker, counts);
        answer
    }

    fn look<T>(stored: &mut ActorHeap<A>, body: impl for<'gc> FnOnce(&A::State<'gc>) -> T) -> T {
        stored.heap.turn(|_, (state, ..)| body(state))
    }

    const HEAP_PACING: Option<fn(&HostCell) -> Pacing> =
        Some(|HostCell(cell)| pacing::<A>(&cell.system));
    const MAY_SHOW: bool = <A::State<'static> as Object<'static>>::NEEDS_TRACE;

    fn outgoing_references(
        stored: &ActorHeap<A>,
        seen: &mut OutgoingReferences<'_>,
    ) -> TraceCoverage {
        if !stored.heap.shows() {
            return TraceCoverage::All;
        }
        match stored.edge_snapshot.is_current(stored.turns) {
            true => stored.edge_snapshot.list_into(seen),
            false => TraceCoverage::Some,
        }
    }

    fn save(stored: &mut ActorHeap<A>, codec: StateCodec<A>, out: &mut Encoder<'_>) {
        saved::save(stored, codec, out);
    }

    fn watches(stored: &mut ActorHeap<A>, each: EachWatch<'_>) {
        saved::watches(stored, each);
    }

    fn begin_image(stored: &mut ActorHeap<A>, saver: &HeapSaver) {
        saved::begin_image(stored, saver);
    }

    fn write_image(stored: &mut ActorHeap<A>) {
        saved::write_image(stored);
    }

    fn load(HostCell(cell): HostCell, source: StateSource<'_>) -> Result<LoadedState, LoadError> {
        saved::load::<A>(cell, source)
    }

    fn end(stored: ActorHeap<A>, Host(worker): Host<'_>) {
        let ActorHeap {
            heap, waker, mark, ..
        } = stored;
        mark.iter()
            .for_each(|mark| ConcurrentMarks::of(&worker.system).remove(mark));
        detach_heap(worker, heap.end(), &waker);
    }

    fn sharer(stored: &mut ActorHeap<A>) -> Option<&mut dyn Sharer> {
        Some(&mut stored.heap)
    }

    fn heap_counts(counts: &HeapCounts) -> Option<&HeapCounts> {
        Some(counts)
    }
}

/// The pacing of the heaps of this type.
pub(super) fn pacing<A: Actor>(system: &Shared) -> Pacing {
    let pacing = A::PACING.unwrap_or(system.config.pacing);
    system.config.collectors.pacing(A::NAME, pacing)
}

/// An actor's heap has ended: if other heaps refer to its objects, it becomes a detached heap (O9).
fn detach_heap(worker: &Worker, detached: Option<DetachedHeap>, waker: &GcWaker) {
    match detached {
        Some(detached) => DetachedHeaps::add(&worker.system, detached, waker),
        None => waker.close(),
    }
}

impl<A: Actor<Storage = GcState>> ActorHeap<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    /// A heap of which the first turn is over.
    pub(super) fn new(heap: Heap<HeapRoot<A>>, waker: Arc<GcWaker>) -> ActorHeap<A> {
        ActorHeap {
            heap,
            turns: 1,
            stepped: 0,
            edge_snapshot: EdgeSnapshot::default(),
            mark: None,
            continue_sent: false,
            container_reported: false,
            waker,
        }
    }

    /// The heap has changed outside a turn.
    pub(super) fn counts_as_turn(&mut self) {
        self.turns += 1;
        self.stepped = self.turns;
    }

    /// Steps the heap after a turn.
    #[inline]
    fn end_turn(&mut self, worker: &Worker, counts: &HeapCounts) {
        self.stepped = self.turns;
        if self.heap.needs_step(self.turns) {
            self.collect(worker, counts, GcReason::TurnEnd);
        }
    }
}

impl<'gc> HeapPart<'gc> {
    fn new(
        mutator: Mutator<'gc>,
        found: Locals<'gc>,
        watches: TurnWatches,
        roots: Roots<'gc>,
    ) -> HeapPart<'gc> {
        HeapPart {
            mutator,
            locals: TurnLocals::begin(found),
            watches: RefCell::new(watches),
            roots: Cell::new(roots),
        }
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

impl<A: Actor> fmt::Debug for ActorHeap<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActorHeap")
            .field("heap", &self.heap)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for HeapPart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeapPart").finish_non_exhaustive()
    }
}
