//! [`Parcel`]: a value in transit from one heap to another.

use crate::alloc::header::Header;
use crate::foreign_code::ForeignCode;
use crate::gc::mutator::Mutator;
use crate::object::erased::Erased;
use crate::object::object_trait::Object;
use crate::object::sendable::Sendable;
use crate::object::tracer::Tracer;
use crate::orca::count_audit;
use crate::orca::count_audit::{Account, CountAudit};
use crate::orca::heap_handle::HeapHandle;
use crate::orca::outbox::Outbox;
use std::fmt;
use std::mem::{self, ManuallyDrop};
use std::ptr::NonNull;

/// A value in transit from one heap to another, or outside of any heap: [`Mutator::pack`] makes it,
/// and [`Mutator::unpack`] gives the value to a turn. `T` is the value's type outside turns, with
/// `'static` for the brand.
///
/// The shared objects in it live, because the parcel counts each reference. A dropped parcel
/// returns these counts: nothing leaks. Any thread may have it, and may read the value:
/// [`Parcel::look`].
///
/// ```
/// use std::sync::Arc;
/// use vivant_heap::{Heap, Pacing, Parcel, Root, PageSource, Val};
///
/// struct News;
/// impl Root for News {
///     type Of<'gc> = Option<Val<'gc, str>>;
/// }
///
/// let source = Arc::new(PageSource::new());
/// let mut paper = Heap::<News>::new(&source, Pacing::default(), |m| Some(m.val_str("rain")));
/// let mut reader = Heap::<News>::new(&source, Pacing::default(), |_| None);
///
/// let parcel: Parcel<Option<Val<'static, str>>> = paper.turn(|m, news| m.pack(*news));
/// paper.turn(|_, news| *news = None);
/// paper.collect();
/// assert_eq!(parcel.look(|news| news.unwrap().len()), 4);
/// reader.turn(|m, news| *news = m.unpack(parcel));
/// reader.turn(|_, news| assert_eq!(&**news.as_ref().unwrap(), "rain"));
/// ```
#[must_use = "a parcel that is dropped was packed for nothing"]
pub struct Parcel<T: Erased> {
    content: ManuallyDrop<T>,
}

// SAFETY: its content may go to another thread: `Object::Static` is `Send`, and its references are
// to shared objects, which any thread may read.
unsafe impl<T: Erased> Send for Parcel<T> {}
// SAFETY: shared access gives out a `&T`, and `T` is `Sync`; its references are to shared objects,
// which any thread may read.
unsafe impl<T: Erased<Static: Sync>> Sync for Parcel<T> {}

/// Calls `each` for each reference in the value itself: its roots (O7).
#[inline]
fn each_root<'gc, T: Object<'gc>>(value: &T, each: impl FnMut(NonNull<Header>)) {
    Tracer::each_reference(value, each);
}

/// Whether a type can hold references to shared objects: known at compile time.
const fn shares<T: Erased>() -> bool {
    <T::Of<'static> as Object<'static>>::NEEDS_TRACE
}

/// Erases the value's brand, for storage in a parcel.
fn erase_brand<'gc, T: Erased>(value: T::Of<'gc>) -> ManuallyDrop<T> {
    let value = ManuallyDrop::new(value);
    // SAFETY: the same type but for its brand. No turn gets the value in this form (Y4).
    unsafe { mem::transmute_copy(&value) }
}

impl<'gc> Mutator<'gc> {
    /// Packs a value for another heap, or for another turn of this one.
    ///
    /// Costs a count for each reference to a shared object in the value itself, and nothing for
    /// objects below it; nothing for a type without references. Sometimes, for an object of a
    /// third heap, it also sends a delta to that heap's inbox.
    #[inline]
    pub fn pack<T: Erased<Of<'gc>: Sendable<'gc>>>(&self, value: T::Of<'gc>) -> Parcel<T> {
        if shares::<T>() {
            let (own, mut sharing) = (HeapHandle::name(&self.core().owner), self.sharing());
            each_root(&value, |root| {
                count_audit::record(Account::Parcels, root, 1);
                // SAFETY: this turn has the references, and its thread holds the heap.
                unsafe { sharing.pack(own, root) };
            });
            // The INCs were sent before any receiver has the parcel (O6).
            debug_assert_eq!(CountAudit::check(), Ok(()));
        }
        Parcel {
            content: erase_brand::<T>(value),
        }
    }

    /// Takes a value out of its parcel. Costs as much as packing it.
    #[inline]
    pub fn unpack<T: Erased>(&self, parcel: Parcel<T>) -> T::Of<'gc> {
        let parcel = ManuallyDrop::new(parcel);
        // SAFETY: the same type but for its brand, which is that of this turn; its heap counts the
        // shared objects from here on. The content is used once: the parcel is not dropped.
        let value: T::Of<'gc> = unsafe { mem::transmute_copy(&parcel.content) };
        if shares::<T>() {
            let (own, mut sharing) = (HeapHandle::name(&self.core().owner), self.sharing());
            each_root(&value, |root| {
                count_audit::record(Account::Parcels, root, -1);
                // SAFETY: this turn has the references, and its thread holds the heap.
                unsafe { sharing.unpack(own, root) };
            });
        }
        value
    }
}

/// A turn's heap, for code of the runtime that runs within the turn and does not have its brand.
#[derive(Clone, Copy)]
pub struct TurnHeap(Mutator<'static>);

impl TurnHeap {
    /// A handle to the heap of this turn.
    #[inline]
    #[must_use]
    pub fn new(mutator: &Mutator<'_>) -> TurnHeap {
        // SAFETY: only `pack` uses it, and the caller of `pack` guarantees that the turn runs.
        TurnHeap(unsafe { mutator.rebranded() })
    }

    /// As [`Mutator::pack`], for a value of any brand. A reference to an object of another heap
    /// counts as an import. In the middle of an operation on a heap, as [`Parcel::new`].
    ///
    /// # Safety
    ///
    /// The turn from which this was made has not ended, and runs on this thread.
    #[inline]
    pub unsafe fn pack<'gc, T: Erased<Of<'gc>: Sendable<'gc>>>(
        self,
        value: T::Of<'gc>,
    ) -> Parcel<T> {
        if shares::<T>() && ForeignCode::runs() {
            return Parcel::new(value);
        }
        // SAFETY: the caller's contract; no operation on the heap is in progress. The brand is that
        // of the value, which is packed and used for nothing else.
        unsafe { self.0.rebranded() }.pack(value)
    }
}

impl fmt::Debug for TurnHeap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnHeap").finish_non_exhaustive()
    }
}

impl<T: Erased> Parcel<T> {
    /// Packs a value without a mutator: in a turn of an actor that has no heap.
    ///
    /// Costs a delta in the owner's inbox for each reference.
    pub fn new<'gc>(value: T::Of<'gc>) -> Parcel<T>
    where
        T::Of<'gc>: Sendable<'gc>,
    {
        if shares::<T>() {
            let mut incs = Outbox::default();
            // SAFETY: the caller is in a turn that may use the references, so they are counted
            // until that turn has ended. No weight is released.
            unsafe {
                each_root(&value, |root| {
                    count_audit::record(Account::Parcels, root, 1);
                    incs.add(root, 1);
                });
                incs.send();
            }
        }
        Parcel {
            content: erase_brand::<T>(value),
        }
    }

    /// Reads the value. Its brand is unique to this call: no part of it can be kept. So `body` is a
    /// closure, which rustc takes for every brand: `|it| it.is_none()`, not `Option::is_none`.
    pub fn look<R>(&self, body: impl for<'any> FnOnce(&T::Of<'any>) -> R) -> R {
        let value = NonNull::from(&*self.content).cast();
        // SAFETY: the same type but for its brand, which the body can neither choose nor keep. The
        // parcel counts the shared objects meanwhile.
        body(unsafe { value.as_ref() })
    }

    /// Takes the value out for the duration of `body`. Its brand is unique to this call: no part of
    /// it can be kept, unless it is packed again.
    pub fn open<R>(self, body: impl for<'any> FnOnce(T::Of<'any>) -> R) -> R {
        /// Returns the counts of a parcel without its content.
        struct ReturnCounts(Vec<NonNull<Header>>);

        impl Drop for ReturnCounts {
            fn drop(&mut self) {
                // SAFETY: the parcel has counted them, and the body is over.
                unsafe { release_weights(self.0.drain(..)) };
            }
        }

        let this = ManuallyDrop::new(self);
        let _return = ReturnCounts(this.roots());
        // SAFETY: the same type but for its brand, which the body can neither choose nor keep. The
        // content is used once: the parcel is not dropped.
        body(unsafe { mem::transmute_copy(&this.content) })
    }

    /// The references in it, each with a weight of one.
    pub(crate) fn roots(&self) -> Vec<NonNull<Header>> {
        let mut roots = Vec::new();
        if shares::<T>() {
            self.look(|value| each_root(value, |root| roots.push(root)));
        }
        roots
    }
}

/// Releases weights of one.
///
/// # Safety
///
/// The caller has these weights, and does not use the objects any more.
unsafe fn release_weights(roots: impl Iterator<Item = NonNull<Header>>) {
    let mut decs = Outbox::default();
    // SAFETY: the caller's contract: the objects are counted until the outbox is sent.
    unsafe {
        roots.for_each(|root| {
            count_audit::record(Account::Parcels, root, -1);
            decs.add(root, -1);
        });
        decs.send();
    }
}

/// Each reference of the copy has a weight too. The value is cloned with an arbitrary brand.
impl<T: Erased> Clone for Parcel<T>
where
    for<'any> T::Of<'any>: Clone + Sendable<'any>,
{
    fn clone(&self) -> Self {
        self.look(|value| Parcel::new(value.clone()))
    }
}

impl<T: Erased> Drop for Parcel<T> {
    fn drop(&mut self) {
        if shares::<T>() {
            // SAFETY: the parcel counts the objects, and its content is not used any more.
            unsafe { release_weights(self.roots().into_iter()) };
        }
        // SAFETY: dropped once. Only leaf types have destructors, and these reach no shared object
        // (H10).
        unsafe { ManuallyDrop::drop(&mut self.content) };
    }
}

impl<T: Erased> fmt::Debug for Parcel<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parcel").finish_non_exhaustive()
    }
}
