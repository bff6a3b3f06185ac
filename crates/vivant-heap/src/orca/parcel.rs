//! [`Parcel`]: a value on its way from one heap to another.

use super::books::{self, Account, Books};
use super::owner::Owner;
use super::post::Post;
use crate::collector::Tracer;
use crate::header::Header;
use crate::mutator::Mutator;
use crate::types::{Object, Sendable, Twin};
use std::fmt;
use std::mem::{self, ManuallyDrop};
use std::ptr::NonNull;

/// A value on its way from one heap to another, or to no heap at all: what [`Mutator::pack`] took,
/// until [`Mutator::unpack`] gives it to a turn. `T` is its type outside turns, with `'static` for
/// the brand.
///
/// What it shares lives, because the parcel counts each reference in it (O5). One that is dropped
/// gives that back (O11): nothing leaks. It may be in any thread's hands, and be looked at there:
/// [`Parcel::look`].
///
/// ```
/// use std::sync::Arc;
/// use vivant_heap::{Heap, Pacing, Parcel, Root, Source, Val};
///
/// struct News;
/// impl Root for News {
///     type Of<'gc> = Option<Val<'gc, str>>;
/// }
///
/// let source = Arc::new(Source::new());
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
pub struct Parcel<T: Twin> {
    content: ManuallyDrop<T>,
}

// SAFETY: all that lies in it may go to another thread: `Object::Static` is `Send`, and what it
// shares was allowed to be shared.
unsafe impl<T: Twin> Send for Parcel<T> {}
// SAFETY: what others get of it is what may be read by many.
unsafe impl<T: Twin + Sync> Sync for Parcel<T> {}

/// Does something for each reference that lies in a value itself (O7).
#[inline]
fn each_root<'gc>(value: &impl Object<'gc>, each: impl FnMut(NonNull<Header>)) {
    Tracer::tell(value, each);
}

/// Whether a type can share anything: known when it is compiled.
pub(super) const fn shares<T: Twin>() -> bool {
    <T::Of<'static> as Object<'static>>::NEEDS_TRACE
}

/// As it lies in a parcel.
fn forge<'gc, T: Twin>(value: T::Of<'gc>) -> ManuallyDrop<T> {
    let value = ManuallyDrop::new(value);
    // SAFETY: the same type but for its brand. Nobody gets it in this form (Y4).
    unsafe { mem::transmute_copy(&value) }
}

impl<'gc> Mutator<'gc> {
    /// Packs a value for another heap, or for another turn of this one.
    ///
    /// Costs a count for each reference to something shared that lies in the value itself, whatever
    /// lies below it (O7); nothing for a type that has none. Sometimes, for what belongs to a third
    /// heap, a change in that one's lane (O6).
    #[inline]
    pub fn pack<T: Twin<Of<'gc>: Sendable<'gc>>>(&self, value: T::Of<'gc>) -> Parcel<T> {
        if shares::<T>() {
            let (own, mut sharing) = (Owner::name(&self.core().owner), self.sharing());
            each_root(&value, |root| {
                books::post(Account::Parcels, root, 1);
                // SAFETY: this turn has the references, and its thread holds the heap.
                unsafe { sharing.pack(own, root) };
            });
            // What was asked for was left before anybody has the parcel (O6).
            debug_assert_eq!(Books::check(), Ok(()));
        }
        Parcel {
            content: forge::<T>(value),
        }
    }

    /// Takes a value out of its parcel. Costs as much as packing it.
    #[inline]
    pub fn unpack<T: Twin>(&self, parcel: Parcel<T>) -> T::Of<'gc> {
        let parcel = ManuallyDrop::new(parcel);
        // SAFETY: as in `forge`: with the brand of this turn, whose heap has what the value shares
        // from here on. It is used once: nobody drops the parcel.
        let value: T::Of<'gc> = unsafe { mem::transmute_copy(&parcel.content) };
        if shares::<T>() {
            let (own, mut sharing) = (Owner::name(&self.core().owner), self.sharing());
            each_root(&value, |root| {
                books::post(Account::Parcels, root, -1);
                // SAFETY: as in `pack`.
                unsafe { sharing.unpack(own, root) };
            });
        }
        value
    }
}

impl<T: Twin> Parcel<T> {
    /// Packs a value where no mutator is at hand: in a turn of something that has no heap.
    ///
    /// Costs a change in its owner's lane for each reference.
    pub fn new<'gc>(value: T::Of<'gc>) -> Parcel<T>
    where
        T::Of<'gc>: Sendable<'gc>,
    {
        if shares::<T>() {
            let mut more = Post::default();
            // SAFETY: whoever has the references is in a turn that may use them, so they are
            // counted until it has ended. Nothing is given up.
            unsafe {
                each_root(&value, |root| {
                    books::post(Account::Parcels, root, 1);
                    more.add(root, 1);
                });
                more.leave();
            }
        }
        Parcel {
            content: forge::<T>(value),
        }
    }

    /// Looks at the value. The brand is its own: nothing of it can be kept.
    pub fn look<R>(&self, body: impl for<'any> FnOnce(&T::Of<'any>) -> R) -> R {
        let value = NonNull::from(&*self.content).cast();
        // SAFETY: the same type but for its brand, which the body cannot choose or keep. The parcel
        // counts what it shares meanwhile.
        body(unsafe { value.as_ref() })
    }

    /// Takes the value out for a while. The brand is its own: nothing of it can be kept, but what
    /// is packed again.
    pub fn open<R>(self, body: impl for<'any> FnOnce(T::Of<'any>) -> R) -> R {
        /// Gives back what a parcel without its content has counted.
        struct Counted(Vec<NonNull<Header>>);

        impl Drop for Counted {
            fn drop(&mut self) {
                // SAFETY: the parcel has counted them, and the body is over.
                unsafe { give_back(self.0.drain(..)) };
            }
        }

        let this = ManuallyDrop::new(self);
        let _counted = Counted(this.roots());
        // SAFETY: as in `look`; it is used once: nobody drops the parcel.
        body(unsafe { mem::transmute_copy(&this.content) })
    }

    /// The references in it, each with a weight of one.
    pub(super) fn roots(&self) -> Vec<NonNull<Header>> {
        let mut roots = Vec::new();
        if shares::<T>() {
            self.look(|value| each_root(value, |root| roots.push(root)));
        }
        roots
    }
}

/// Gives up weights of one.
///
/// # Safety
///
/// The caller has them, and uses the objects no more.
unsafe fn give_back(roots: impl Iterator<Item = NonNull<Header>>) {
    let mut fewer = Post::default();
    // SAFETY: the caller's: they are counted until the post leaves.
    unsafe {
        roots.for_each(|root| {
            books::post(Account::Parcels, root, -1);
            fewer.add(root, -1);
        });
        fewer.leave();
    }
}

/// Each reference of the copy has a weight too. The value is cloned as one of any brand.
impl<T: Twin> Clone for Parcel<T>
where
    for<'any> T::Of<'any>: Clone + Sendable<'any>,
{
    fn clone(&self) -> Self {
        self.look(|value| Parcel::new(value.clone()))
    }
}

impl<T: Twin> Drop for Parcel<T> {
    fn drop(&mut self) {
        if shares::<T>() {
            // SAFETY: the parcel counts them, and nobody uses it any more.
            unsafe { give_back(self.roots().into_iter()) };
        }
        // SAFETY: once. Destructors are of leaves, which reach nothing shared (H10).
        unsafe { ManuallyDrop::drop(&mut self.content) };
    }
}

impl<T: Twin> fmt::Debug for Parcel<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parcel").finish_non_exhaustive()
    }
}
