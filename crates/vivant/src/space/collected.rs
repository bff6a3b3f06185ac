//! A state that is a graph: in a heap of its own, collected between turns.

use super::rest::Rest;
use super::{HeapCounts, Host, Keep};
use crate::actor::Actor;
use crate::scheduler::Worker;
use crate::turn::Turn;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use vivant_heap::{Anything, Gc, Heap, Mut, Mutator, Object, Root, unsize};

/// The state is a graph of objects in a heap of the actor's own, which collects itself between turns (H1). [`Actor::State`] is a type with
/// a lifetime, the brand of the turn (Y1); the turn derefs to the heap's [`Mutator`], which allocates and writes.
#[derive(Debug)]
pub struct Collected(());

/// What a heap holds: the state, and what a behaviour in steps has left for its next one.
pub(super) struct Rooted<A>(PhantomData<fn(A) -> A>);

impl<A: Actor> Root for Rooted<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    type Of<'gc> = (A::State<'gc>, Locals<'gc>);
}

/// What a behaviour in steps has left: a `Mut<Option<L>>`, whatever its `L` is.
type Locals<'gc> = Option<Gc<'gc, dyn Anything>>;

/// What a turn has of a heap.
pub struct Part<'gc> {
    mutator: Mutator<'gc>,
    locals: Cell<Locals<'gc>>,
}

/// A heap in an actor's cell.
pub struct Heaped<A: Actor>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    pub(super) heap: Heap<Rooted<A>>,
    /// Turns so far.
    pub(super) turns: u64,
    pub(super) rest: Rest,
}

impl<A: Actor<Space = Collected>> Keep<A> for Collected
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    type Kept = Heaped<A>;
    type Part<'gc> = Part<'gc>;
    type Facts = HeapCounts;

    fn begin(
        Host(worker): Host<'_>,
        facts: &HeapCounts,
        start: impl for<'gc> FnOnce(&Turn<'gc, A>) -> A::State<'gc>,
    ) -> Heaped<A> {
        let system = &worker.system;
        let pacing = A::PACING.unwrap_or(system.config.pacing);
        let heap = Heap::new(&system.heaps, pacing, |mutator| {
            let turn = Turn::new(worker, Part::new(*mutator, None));
            (start(&turn), None)
        });
        let mut kept = Heaped {
            heap,
            turns: 0,
            rest: Rest::default(),
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
        let answer = kept.heap.turn(|mutator, (state, locals)| {
            let turn = Turn::new(worker, Part::new(*mutator, locals.take()));
            let answer = body(state, &turn);
            *locals = turn.part().locals.take();
            answer
        });
        kept.turn_is_over(worker, facts);
        answer
    }

    fn look<T>(kept: &mut Heaped<A>, body: impl for<'gc> FnOnce(&A::State<'gc>) -> T) -> T {
        kept.heap.turn(|_, (state, _)| body(state))
    }

    fn heap_facts(facts: &HeapCounts) -> Option<&HeapCounts> {
        Some(facts)
    }
}

impl<A: Actor<Space = Collected>> Heaped<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    /// Between two turns: what the heap needs.
    #[inline]
    fn turn_is_over(&mut self, worker: &Worker, facts: &HeapCounts) {
        self.turns += 1;
        if self.heap.is_due() {
            self.collect(worker, facts);
        }
        self.will_rest(worker);
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
    }

    /// Has the heap collect, and publishes how long that took.
    pub(super) fn timed(
        &mut self,
        worker: &Worker,
        facts: &HeapCounts,
        collect: impl FnOnce(&mut Heap<Rooted<A>>),
    ) {
        let oracle = &worker.system.oracle;
        let (before, young, began_ns) = (self.heap.stats(), self.heap.young(), oracle.now_ns());
        collect(&mut self.heap);
        let (after, ns) = (self.heap.stats(), oracle.now_ns() - began_ns);
        facts.collected(&before, &after, young, ns);
    }
}

impl<'gc> Part<'gc> {
    fn new(mutator: Mutator<'gc>, locals: Locals<'gc>) -> Part<'gc> {
        Part {
            mutator,
            locals: Cell::new(locals),
        }
    }
}

impl<'gc, A: Actor<Space = Collected>> Turn<'gc, A>
where
    for<'any> A::State<'any>: Object<'any>,
{
    /// What the last step has left, taken out; or a beginning. For the macros.
    #[doc(hidden)]
    pub fn __locals<L: Object<'gc> + Default>(&self) -> L {
        let left = self.part().locals.take();
        let left = left.and_then(Gc::downcast::<Mut<Option<L>>>);
        left.and_then(|left| left.borrow_mut(self).take())
            .unwrap_or_default()
    }

    /// Leaves this for the next step. For the macros.
    #[doc(hidden)]
    pub fn __leave<L: Object<'gc>>(&self, locals: L) {
        let left = unsize!(self.alloc(Mut::new(Some(locals))) => dyn Anything);
        self.part().locals.set(Some(left));
    }
}

/// `t.alloc(…)`, `node.borrow_mut(t)`: the turn is the right to allocate in its actor's heap, and to write.
impl<'gc, A: Actor<Space = Collected>> Deref for Turn<'gc, A>
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
