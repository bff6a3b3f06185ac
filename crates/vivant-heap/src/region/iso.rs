//! [`Iso`]: the only handle to a region, which has one holder at a time.

use crate::gc::heap::{Heap, Root};
use crate::gc::mutator::Mutator;
use crate::gc::pacing::Pacing;
use crate::gc::role::{Holder, Role};
use crate::mark::stats::HeapStats;
use crate::object::erased::Erased;
use crate::object::object_trait::Object;
use crate::object::sendable::Sendable;
use crate::pages::page_source::PageSource;
use crate::sync::Arc;
use std::cell::{RefCell, RefMut};
use std::fmt;
use std::marker::PhantomData;
use std::mem;

/// The root of a region as the state of a heap.
pub(crate) struct Rooted<T>(PhantomData<fn(T) -> T>);

impl<T: Erased> Root for Rooted<T> {
    type Of<'gc> = T::Of<'gc>;
}

/// A graph of objects in a region of its own. `T` is the type of its root, named as it is outside
/// turns, with `'static` for its brand. The holder of the `Iso` has the whole graph, alone: it can
/// be sent to another actor or thread as it is, in the time that moving two words takes.
///
/// Nothing outside refers to what lies in it, so the holder works on it in turns of its own:
/// [`Iso::open`]. The brand there differs from that of the turn around it, and nothing private gets
/// in or out; shared objects do, by [`Mutator::pack`] and [`Mutator::unpack`].
///
/// A region collects itself when it is closed and has grown. It is freed when its `Iso` is dropped;
/// or it ends as private objects of a heap ([`Iso::merge`]), or as shared objects that never change
/// ([`Iso::freeze`]).
///
/// Costs at least a page (4 KiB) and about half a KiB beside.
pub struct Iso<T: Erased> {
    /// Exclusive access is enough for all but [`Iso::closed`].
    heap: RefCell<Heap<Rooted<T>>>,
}

impl<T: Erased> Iso<T> {
    /// Creates a region with the root that `make` returns. `make` cannot allocate shared objects.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::thread;
    /// use vivant_heap::{Gc, Iso, Mut, Object, PageSource};
    ///
    /// #[derive(Object)]
    /// struct Node<'gc> {
    ///     value: u64,
    ///     next: Option<Gc<'gc, Mut<Node<'gc>>>>,
    /// }
    ///
    /// let source = Arc::new(PageSource::new());
    /// let mut list = Iso::<Node<'static>>::new(&source, |r| {
    ///     let last = r.alloc(Mut::new(Node { value: 1, next: None }));
    ///     Node { value: 2, next: Some(last) }
    /// });
    /// let sum = thread::spawn(move || {
    ///     list.open(|r, first| {
    ///         let last = first.next.unwrap();
    ///         last.borrow_mut(r).value += 10;
    ///         first.value + last.borrow().value
    ///     })
    /// });
    /// assert_eq!(sum.join().unwrap(), 13);
    /// ```
    pub fn new(
        source: &Arc<PageSource>,
        make: impl for<'r> FnOnce(&Mutator<'r>) -> T::Of<'r>,
    ) -> Iso<T> {
        Iso::paced(source, Pacing::default(), make)
    }

    /// As [`Iso::new`], with a pacing other than the default.
    pub fn paced(
        source: &Arc<PageSource>,
        pacing: Pacing,
        make: impl for<'r> FnOnce(&Mutator<'r>) -> T::Of<'r>,
    ) -> Iso<T> {
        Iso::with_holder(source, pacing, Holder::None, make)
    }

    pub(super) fn with_holder(
        source: &Arc<PageSource>,
        pacing: Pacing,
        holder: Holder,
        make: impl for<'r> FnOnce(&Mutator<'r>) -> T::Of<'r>,
    ) -> Iso<T> {
        let role = Role::Region(holder);
        let mut heap = Heap::<Rooted<T>>::with_role(source, pacing, role, make);
        heap.begin_old();
        Iso::of(heap)
    }

    pub(crate) fn of(heap: Heap<Rooted<T>>) -> Iso<T> {
        let heap = RefCell::new(heap);
        Iso { heap }
    }

    /// The heap of the region, which is closed, to be saved. `None`: it is being saved.
    pub(crate) fn closed(&self) -> Option<RefMut<'_, Heap<Rooted<T>>>> {
        self.heap.try_borrow_mut().ok()
    }

    /// Opens the region without a heap: shared objects cannot be allocated in it. It is collected
    /// afterwards, if it has grown.
    pub fn open<R>(&mut self, body: impl for<'r> FnOnce(&Mutator<'r>, &mut T::Of<'r>) -> R) -> R {
        let heap = self.heap.get_mut();
        if heap.core().needs_emergency_mark() {
            // An allocation failure ended the last turn.
            heap.pace();
        }
        let result = heap.turn(body);
        if heap.has_gc_work() {
            heap.pace();
        }
        result
    }

    /// The same region with another root, which `body` makes of the old one. What the new root does
    /// not reach is freed when the region is collected. No shared objects can be allocated
    /// meanwhile. If `body` panics, the region is lost.
    ///
    /// ```
    /// use vivant_heap::{Gc, Iso};
    ///
    /// fn second(words: Iso<Vec<Gc<'static, str>>>) -> Iso<Option<Gc<'static, str>>> {
    ///     words.map(|_, words| words.get(1).copied())
    /// }
    /// ```
    pub fn map<U: Erased>(
        self,
        body: impl for<'r> FnOnce(&Mutator<'r>, T::Of<'r>) -> U::Of<'r>,
    ) -> Iso<U> {
        let (core, root) = self.into_heap().into_parts();
        let heap = Heap::<Rooted<U>>::on(core, |r| {
            // SAFETY: the same type but for its brand, which the body cannot choose or keep. It is
            // used once.
            body(r, unsafe { mem::transmute_copy(&root) })
        });
        Iso::of(heap)
    }

    pub(crate) fn heap_mut(&mut self) -> &mut Heap<Rooted<T>> {
        self.heap.get_mut()
    }

    pub(super) fn into_heap(self) -> Heap<Rooted<T>> {
        self.heap.into_inner()
    }

    /// Collects the region now.
    pub fn collect(&mut self) {
        self.heap_mut().collect();
    }

    /// The statistics of the region's heap.
    ///
    /// # Panics
    ///
    /// Called by code that saves or drops an object of the region, while the region is saved.
    pub fn stats(&self) -> HeapStats {
        self.heap.borrow().stats()
    }
}

// SAFETY: it is one value without a brand, and has no reference to an object of its holder's heap.
unsafe impl<'gc, T: Erased + 'static> Object<'gc> for Iso<T> {
    type Static = Iso<T>;
    const NEEDS_TRACE: bool = false;
    #[inline]
    fn trace(&self, _: &mut crate::Tracer<'_>) {}
    #[inline]
    fn evacuate(&mut self, _: &mut crate::Evacuator<'_>) {}
}
// SAFETY: it has no reference to an object outside its region: it goes whole.
unsafe impl<'gc, T: Erased + 'static> Sendable<'gc> for Iso<T> {}
// SAFETY: the brand that names the type of its root is replaced.
unsafe impl<T: Erased<Static: Erased>> Erased for Iso<T> {
    type Of<'gc> = Iso<T::Static>;
    type Static = Iso<T::Static>;
}

impl<T: Erased> fmt::Debug for Iso<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Iso");
        match self.heap.try_borrow() {
            Ok(heap) => shown.field("stats", &heap.stats()).finish(),
            Err(_) => shown.finish_non_exhaustive(),
        }
    }
}
