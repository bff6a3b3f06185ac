//! A heap: a state and all that it reaches.

use crate::collector::Ageing;
use crate::deaths::Deaths;
use crate::header::{Header, Table, young_size};
use crate::id::HeapId;
use crate::nursery::Nursery;
use crate::old::{FreeCells, Old};
use crate::pacing::Pacing;
use crate::pages::Source;
use crate::pages::chunk::{PAGE, age_of};
use crate::pages::page::Age;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::reserve::Reserve;
use crate::stats::Counted;
use crate::stress::{Chance, When};
use crate::sync::Arc;
use crate::types::Object;
use crate::types::gc::{Brand, Gc};
use std::cell::{RefCell, UnsafeCell};
use std::fmt;
use std::marker::PhantomData;
use std::mem::{self, ManuallyDrop};
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;

/// Names a type with a brand, without one: what a heap's state is in a turn with brand `'gc`.
pub trait Root: 'static {
    /// The state.
    type Of<'gc>: Object<'gc>;
}

/// What collections work on.
pub(crate) struct Core {
    pub(crate) id: u32,
    pub(crate) source: Arc<Source>,
    pub(crate) nursery: Nursery,
    pub(crate) old: Old,
    /// Old objects that were written since the nursery was last emptied, and those that refer to young ones still (H5).
    pub(crate) remembered: RefCell<Vec<NonNull<Header>>>,
    /// Old weak references to young objects.
    pub(crate) weak: Vec<NonNull<Header>>,
    pub(crate) deaths: RefCell<Deaths>,
    pub(crate) counted: Counted,
    /// Blocks for the nursery.
    pub(crate) reserve: Reserve,
    pub(crate) pacing: Pacing,
    /// For a heap under stress.
    chance: Chance,
    /// Bytes of living old objects at which the next mark begins.
    pub(crate) mark_at: usize,
}

/// A collected heap with one state, for one actor.
///
/// [`Heap::turn`] gives access to it; collections run between turns, because they need the heap itself, which no turn can reach (H1).
pub struct Heap<R: Root> {
    /// Turns have it shared: they allocate.
    core: Box<UnsafeCell<Core>>,
    /// First of all that ends.
    state: ManuallyDrop<R::Of<'static>>,
}

// SAFETY: all that lies in it may go to another thread: `Object::Static` is `Send`, of the state and of all that was allocated (Y5). What
// is raw are pages, which go with it.
unsafe impl<R: Root> Send for Heap<R> {}

/// The right to allocate and to write, in a turn. As many as one likes: the brand keeps them all in the turn.
#[derive(Clone, Copy)]
pub struct Mutator<'gc> {
    core: NonNull<UnsafeCell<Core>>,
    brand: Brand<'gc>,
}

impl Core {
    /// The source has hardly any pages left for turns: gives back all that can be.
    #[cold]
    fn spare(&mut self) {
        while !self.old.sweep(usize::MAX, &self.source) {}
        self.reserve.shrink(0, &self.source);
    }

    /// Whether a turn gets no more pages, by chance, for a test.
    fn is_unlucky(&self) -> bool {
        let one_in = self.pacing.stress.map_or(0, |stress| stress.refuses);
        one_in != 0 && self.chance.below(one_in) == 0
    }

    /// Whether the source has pages for an object of so many bytes, made by a turn.
    fn has_pages(&self, bytes: usize) -> bool {
        self.source.allows(bytes.div_ceil(PAGE))
    }
}

impl<R: Root> Heap<R> {
    /// A heap with the state that `make` makes in a first turn.
    pub fn new(
        source: &Arc<Source>,
        pacing: Pacing,
        make: impl for<'gc> FnOnce(&Mutator<'gc>) -> R::Of<'gc>,
    ) -> Heap<R> {
        let core = Box::new(UnsafeCell::new(Core {
            id: HeapId::take().number(),
            source: source.clone(),
            nursery: Nursery::new(Age::New),
            old: Old::new(match pacing.stress {
                Some(_) => FreeCells::Poisoned,
                None => FreeCells::Stale,
            }),
            remembered: RefCell::default(),
            weak: Vec::new(),
            deaths: RefCell::default(),
            counted: Counted::default(),
            reserve: Reserve::default(),
            pacing,
            chance: Chance::new(pacing.stress.map_or(0, |stress| stress.seed)),
            mark_at: pacing.first,
        }));
        let state = make(&Mutator {
            core: NonNull::from(&*core),
            brand: PhantomData,
        });
        Heap {
            core,
            state: ManuallyDrop::new(forge::<R>(state)),
        }
    }

    /// Runs a turn: `body` has the state, and the right to allocate and to write.
    pub fn turn<T>(
        &mut self,
        body: impl for<'gc> FnOnce(&Mutator<'gc>, &mut R::Of<'gc>) -> T,
    ) -> T {
        let mutator = Mutator {
            core: NonNull::from(&*self.core),
            brand: PhantomData,
        };
        let state = NonNull::from(&mut *self.state).cast::<R::Of<'_>>();
        // SAFETY: the same type but for its brand, which the body cannot choose or keep: it is one for any brand.
        body(&mutator, unsafe { &mut *state.as_ptr() })
    }

    /// Empties the nursery.
    pub fn collect_young(&mut self) {
        if self.never() {
            return;
        }
        self.core.get_mut().minor(&mut *self.state, Ageing::Once);
        self.check();
    }

    /// Empties the nursery and marks everything; the dead are swept when room is needed, or by [`Heap::sweep`].
    pub fn collect(&mut self) {
        if self.never() {
            return;
        }
        self.core.get_mut().major(&mut *self.state);
        self.check();
    }

    /// Sweeps all that is left of the last mark, and gives empty pages back.
    pub fn sweep(&mut self) {
        let core = self.core.get_mut();
        while !core.old.sweep(usize::MAX, &core.source) {}
        self.check();
    }

    /// The heap will not be used for a while: gives back what it has in reserve for its nursery. The next turn may cost a call of the system
    /// for it.
    pub fn rest(&mut self) {
        let core = self.core.get_mut();
        core.reserve.shrink(0, &core.source);
    }

    /// Whether [`Heap::pace`] would do something. Costs a few loads.
    #[inline]
    #[must_use]
    pub fn is_due(&self) -> bool {
        // SAFETY: no turn runs: it would borrow the heap exclusively.
        let core = unsafe { &*self.core.get() };
        core.nursery.used() >= core.pacing.nursery
            || core.old.living() >= core.mark_at
            || core.old.unswept != 0
            || core.pacing.stress.is_some()
    }

    /// Bytes that were allocated since the nursery was last emptied, and what survived that.
    #[inline]
    #[must_use]
    pub fn young(&self) -> usize {
        // SAFETY: as in `is_due`.
        unsafe { &*self.core.get() }.nursery.used()
    }

    /// Between two turns: collects what is due by the heap's pacing.
    pub fn pace(&mut self) {
        let core = self.core.get_mut();
        let (young, old) = (
            core.nursery.used() >= core.pacing.nursery,
            core.old.living() >= core.mark_at,
        );
        let due = match core.pacing.stress.map_or(When::Paced, |stress| stress.when) {
            // Large objects fill the old generation without the nursery.
            When::Paced if old => Due::All,
            When::Paced if young => Due::Young,
            When::Paced | When::Never => Due::Nothing,
            When::Young => Due::Young,
            When::All => Due::All,
            When::Chance => match core.chance.below(8) {
                0 => Due::All,
                1..4 => Due::Young,
                _ => Due::Nothing,
            },
        };
        match due {
            Due::Nothing => {}
            Due::Young => core.minor(&mut *self.state, Ageing::Once),
            Due::All => core.major(&mut *self.state),
        }
        if core.old.unswept != 0 {
            core.sweep_some();
        }
        if !core.has_pages(SPARE) {
            core.spare();
        }
        self.check();
    }

    /// Whether it does not collect, for a test.
    fn never(&mut self) -> bool {
        let stress = self.core.get_mut().pacing.stress;
        stress.is_some_and(|stress| stress.when == When::Never)
    }

    /// Under stress: verifies.
    #[inline]
    fn check(&mut self) {
        if self.core.get_mut().pacing.stress.is_none() {
            return;
        }
        if let Err(fault) = self.verify() {
            panic!("{fault}");
        }
    }

    /// The collector's view of it, to read.
    pub(crate) fn core(&self) -> &Core {
        // SAFETY: no turn runs: it would borrow the heap exclusively.
        unsafe { &*self.core.get() }
    }

    /// The collector's view of it, for the verifier.
    pub(crate) fn parts(&mut self) -> (&mut Core, &mut R::Of<'static>) {
        (self.core.get_mut(), &mut self.state)
    }
}

/// What a heap should collect now.
enum Due {
    Nothing,
    Young,
    All,
}

/// A state, as it is between turns.
fn forge<'gc, R: Root>(state: R::Of<'gc>) -> R::Of<'static> {
    let state = ManuallyDrop::new(state);
    // SAFETY: the same type but for its brand. Nobody gets it in this form (Y4).
    unsafe { mem::transmute_copy(&*state) }
}

impl<R: Root> Drop for Heap<R> {
    fn drop(&mut self) {
        let state = &mut self.state;
        // SAFETY: once; it may have destructors of leaves, which reach nothing collected (H10).
        let ended = panic::catch_unwind(AssertUnwindSafe(|| unsafe { ManuallyDrop::drop(state) }));
        if let Err(panic) = ended {
            crate::old::over(panic);
        }
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        for object in self.nursery.droppable() {
            // SAFETY: nobody uses it any more: the state has ended, or was never made.
            unsafe { crate::old::end(object) };
        }
        // SAFETY: as above.
        unsafe {
            self.nursery.clear(&self.reserve);
            self.reserve.shrink(0, &self.source);
            self.old.clear(&self.source);
        }
        HeapId::of(self.id).give();
    }
}

impl<R: Root> fmt::Debug for Heap<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Heap")
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

impl<'gc> Mutator<'gc> {
    #[inline]
    pub(crate) fn core(&self) -> &Core {
        // SAFETY: the heap is there as long as its turn. Turns share it; who changes more than cells, below, has no other reference.
        unsafe { &*self.core.as_ref().get() }
    }

    /// A new object.
    ///
    /// Costs a few stores in the nursery. Large values are born in the old generation (H2). What is aligned to more than eight bytes lies in
    /// a box, or the program does not compile:
    ///
    /// ```compile_fail,E0080
    /// # use vivant_heap::{Heap, Leaf, Pacing, Root, Source};
    /// # struct Nothing;
    /// # impl Root for Nothing {
    /// #     type Of<'gc> = ();
    /// # }
    /// #[repr(align(64))]
    /// struct Line([u8; 64]);
    ///
    /// # let source = std::sync::Arc::new(Source::new());
    /// Heap::<Nothing>::new(&source, Pacing::default(), |m| {
    ///     m.alloc(Leaf(Line([0; 64])));
    /// });
    /// ```
    ///
    /// # Panics
    ///
    /// There is no memory, or the source's bound is reached: the turn is lost, the heap is as it was, and can be collected.
    #[inline]
    pub fn alloc<T: Object<'gc>>(&self, value: T) -> Gc<'gc, T> {
        const {
            assert!(
                align_of::<T>() <= 8,
                "an object is aligned to 8 bytes at most; box what needs more"
            );
        }
        let room = if const { young_size(size_of::<T>()) <= YOUNG_MAX } {
            match self
                .core()
                .nursery
                .room(const { young_size(size_of::<T>()) })
            {
                Some(room) => room.cast(),
                None => self.room_slow(young_size(size_of::<T>())),
            }
        } else {
            self.room_old(size_of::<T>(), T::NEEDS_TRACE || T::MUTABLE)
        };
        // SAFETY: room for the header and the value behind it.
        unsafe {
            room.write(Header::new(Table::of::<T>()));
            room.add(1).cast::<T>().write(value);
            if const { mem::needs_drop::<T>() } {
                self.note_drop(room, size_of::<T>());
            }
            Gc::at(room.add(1).cast())
        }
    }

    /// Room for an object of which the type does not tell the size: so many bytes behind its header.
    pub(crate) fn room(&self, bytes: usize, needs_trace: bool) -> NonNull<Header> {
        let young = young_size(bytes);
        if young > YOUNG_MAX {
            return self.room_old(bytes, needs_trace);
        }
        match self.core().nursery.room(young) {
            Some(room) => room.cast(),
            None => self.room_slow(young),
        }
    }

    #[cold]
    #[inline(never)]
    fn room_slow(&self, bytes: usize) -> NonNull<Header> {
        let core = self.core();
        // What the heap has in reserve it need not ask for.
        let may_grow = !core.is_unlucky() && (core.reserve.pages() > 0 || core.has_pages(bytes));
        if !may_grow
            || !core
                .nursery
                .grow(&core.reserve, &core.source, core.id, bytes)
        {
            no_memory(bytes);
        }
        match core.nursery.room(bytes) {
            Some(room) => room.cast(),
            None => no_memory(bytes),
        }
    }

    #[cold]
    #[inline(never)]
    fn room_old(&self, bytes: usize, remembers: bool) -> NonNull<Header> {
        // SAFETY: a mutator's methods are the only way to the core in a turn; each has the reference of `core()` within its own body, and calls nothing of
        // the user's meanwhile that could come here: values are made before `alloc` is entered, and no `Clone`, `Drop` or iterator runs in it.
        let core = unsafe { &mut *self.core.as_ref().get() };
        if core.is_unlucky() || !core.has_pages(bytes) {
            no_memory(bytes);
        }
        let Some(room) = core.old.allocate(bytes, &core.source, core.id) else {
            no_memory(bytes);
        };
        core.counted.born_old(bytes);
        if remembers {
            // Born written: what it is made of may be young (GC-NOTES §3, 17).
            core.remembered.get_mut().push(room);
        }
        room
    }

    /// # Safety
    ///
    /// The object was just made, there, with so many bytes behind its header.
    #[inline(never)]
    pub(crate) unsafe fn note_drop(&self, object: NonNull<Header>, bytes: usize) {
        if young_size(bytes) <= YOUNG_MAX {
            self.core().nursery.note_drop(object);
        } else {
            // SAFETY: as in `room_old`.
            let core = unsafe { &mut *self.core.as_ref().get() };
            // SAFETY: the caller's.
            unsafe { core.old.note_drop(object) };
        }
    }

    /// An old object is written for the first time since the nursery was last emptied (H5).
    #[cold]
    pub(crate) fn barrier(&self, object: NonNull<Header>) {
        #[cfg(test)]
        if is_planted(Planted::ForgottenWrite) {
            return;
        }
        #[cfg(test)]
        if is_planted(Planted::RememberedTwice) {
            self.core().remembered.borrow_mut().push(object);
        }
        // One that was made of a part of an old object is young, whatever its flag says.
        // SAFETY: an object lies in a chunk.
        if unsafe { age_of(object.cast()) }.is_young() {
            return;
        }
        self.core().remembered.borrow_mut().push(object);
    }
}

/// Bytes that a turn should find at the source, or its heap keeps nothing that it can do without.
const SPARE: usize = 64 * PAGE;

/// The largest object that is born in the nursery.
const YOUNG_MAX: usize = 2048;

#[cold]
pub(crate) fn no_memory(bytes: usize) -> ! {
    panic!(
        "no memory for an object of {bytes} bytes: the source of pages has none left. The turn is lost, the heap is as it was: drop what is \
         not needed and collect, or give the source more pages"
    )
}

impl fmt::Debug for Mutator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutator").finish_non_exhaustive()
    }
}
