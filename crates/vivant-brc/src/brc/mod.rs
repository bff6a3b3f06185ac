//! [`Brc`]: the counted pointer.

mod any;
mod bytes;
mod compare;
mod convert;
mod default;
mod forward;
mod io;
mod mutate;
mod raw;
#[cfg(feature = "serde")]
mod serde;
mod slice;
mod uninit;
mod unique;
pub mod unsizing;
mod weak;

pub use weak::Weak;

pub use mutate::CloneToNew;

use crate::bias::handed::EndObject;
use crate::bias::header::{Header, MERGED_OWNER};
use crate::bias::{counting, current};
use crate::object::{Raw, allocate};
use std::alloc::Layout;
use std::marker::PhantomData;
use std::ops::Deref;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::Pin;

/// A shared pointer with `Arc`'s interface. The object's owner counts without atomics.
///
/// The owner is the thread, or the [`Owner`](crate::Owner), that made the object. The documentation
/// of `Arc` applies, except for the differences that the [crate's page](crate) lists.
///
/// ```
/// use vivant_brc::Brc;
/// # use std::thread;
///
/// let text = Brc::new(String::from("shared"));
/// let other = text.clone();
/// thread::spawn(move || assert_eq!(*other, "shared")).join().unwrap();
/// assert_eq!(Brc::strong_count(&text), 1);
/// ```
pub struct Brc<T: ?Sized> {
    pub(crate) raw: Raw<T>,
    /// Invariant: the value may be dropped later than its last reference. So no value may be put
    /// into it that lives less long than the type with which the object was made.
    marker: PhantomData<*mut T>,
}

// SAFETY: as for `Arc`: it gives access to a `T` from several threads, and any of them may drop it.
unsafe impl<T: ?Sized + Sync + Send> Send for Brc<T> {}
// SAFETY: as for `Arc`: a shared reference can be cloned, so it gives the same access as a `Brc`
// that was sent, and `T` is `Sync + Send`.
unsafe impl<T: ?Sized + Sync + Send> Sync for Brc<T> {}

impl<T: ?Sized> Unpin for Brc<T> {}
impl<T: ?Sized + RefUnwindSafe> UnwindSafe for Brc<T> {}
impl<T: ?Sized + RefUnwindSafe> RefUnwindSafe for Brc<T> {}

/// The header for an object that is made now.
#[inline]
fn newborn(bytes: usize) -> Header {
    match current::birth(bytes) {
        MERGED_OWNER => Header::merged(),
        owner => Header::owned(owner),
    }
}

impl<T> Brc<T> {
    /// A new object, which belongs to the owner that this thread is.
    ///
    /// The value may be dropped later than its last reference and on another thread. Hence the
    /// bounds, which `Arc::new` does not have. For other values there is [`Brc::unbiased`].
    ///
    /// ```
    /// # use vivant_brc::Brc;
    /// let five = Brc::new(5);
    /// assert_eq!(*five, 5);
    /// ```
    #[inline]
    pub fn new(value: T) -> Brc<T>
    where
        T: Send + Sync + 'static,
    {
        Brc::counted(Raw::new(newborn(size_of::<T>()), value))
    }

    /// A new object without owner, of any type: it counts as an `Arc` does. The drop of the last
    /// reference drops the value at once and on the same thread.
    ///
    /// ```
    /// # use vivant_brc::Brc;
    /// let text = String::from("borrowed");
    /// let part = Brc::unbiased(&text[..6]);
    /// assert_eq!(*part, "borrow");
    /// ```
    #[inline]
    pub fn unbiased(value: T) -> Brc<T> {
        Brc::counted(Raw::new(Header::merged(), value))
    }

    /// A new object. `make` gets a weak reference to it, which cannot be upgraded before `make` has
    /// returned.
    ///
    /// ```
    /// # use vivant_brc::{Brc, Weak};
    /// struct Gadget {
    ///     me: Weak<Gadget>,
    /// }
    /// let gadget = Brc::new_cyclic(|me| Gadget { me: me.clone() });
    /// assert!(Brc::ptr_eq(&gadget, &gadget.me.upgrade().unwrap()));
    /// ```
    ///
    /// # Panics
    ///
    /// As `make` does. Weak references that it has stored can never be upgraded then.
    pub fn new_cyclic(make: impl FnOnce(&Weak<T>) -> T) -> Brc<T>
    where
        T: Send + Sync + 'static,
    {
        let (start, place) = allocate(Layout::new::<T>(), Header::unborn());
        let raw = Raw(start.cast());
        // If `make` panics, dropping this frees the memory, unless other weak references exist.
        // SAFETY: the header counts this weak reference.
        let weak = unsafe { Weak::counted(raw) };
        let value = make(&weak);
        // SAFETY: the place for the value. No thread reads it before `born`.
        unsafe { place.cast::<T>().write(value) };
        // From here on the weak reference stands for the strong ones.
        std::mem::forget(weak);
        // SAFETY: the weak reference keeps the memory.
        unsafe { raw.header() }.born(current::birth(size_of::<T>()));
        Brc::counted(raw)
    }

    /// As [`Brc::new`], pinned.
    #[inline]
    pub fn pin(value: T) -> Pin<Brc<T>>
    where
        T: Send + Sync + 'static,
    {
        // SAFETY: the value is not moved before it is dropped: `get_mut` and its like give no
        // access to a pinned value.
        unsafe { Pin::new_unchecked(Brc::new(value)) }
    }
}

impl<T: ?Sized> Brc<T> {
    /// The first reference to this object, which its header counts already.
    #[inline]
    pub(crate) fn counted(raw: Raw<T>) -> Brc<T> {
        Brc {
            raw,
            marker: PhantomData,
        }
    }

    #[inline]
    pub(crate) fn header(&self) -> &Header {
        // SAFETY: this reference keeps the object.
        unsafe { self.raw.header() }
    }

    /// Makes a reference for another thread to drop.
    ///
    /// If another thread drops a clone that the owner made, the first such reference goes back to
    /// the owner's queue. A reference made by `clone_out` is in the shared count, so its drop is
    /// one exchange and no more. Costs an atomic addition.
    ///
    /// ```
    /// use vivant_brc::Brc;
    /// # use std::thread;
    ///
    /// let text: Brc<str> = "shared".into();
    /// let there = Brc::clone_out(&text);
    /// thread::spawn(move || assert_eq!(&*there, "shared")).join().unwrap();
    /// assert_eq!(Brc::strong_count(&text), 1);
    /// ```
    #[inline]
    #[must_use = "a reference that is dropped at once does nothing"]
    pub fn clone_out(this: &Self) -> Brc<T> {
        counting::clone_out(this.header());
        Brc::counted(this.raw)
    }

    /// Makes a weak reference.
    ///
    /// ```
    /// # use vivant_brc::Brc;
    /// let five = Brc::new(5);
    /// let weak = Brc::downgrade(&five);
    /// assert_eq!(weak.upgrade().as_deref(), Some(&5));
    /// drop(five);
    /// assert!(weak.upgrade().is_none());
    /// ```
    #[must_use = "a weak reference that is dropped at once does nothing"]
    pub fn downgrade(this: &Self) -> Weak<T> {
        this.header().clone_weak();
        // SAFETY: `clone_weak` has counted it.
        unsafe { Weak::counted(this.raw) }
    }

    /// The number of weak references at some instant during the call. Not for decisions; not
    /// deterministic in a replay.
    #[must_use]
    pub fn weak_count(this: &Self) -> usize {
        this.header().weak()
    }

    /// The number of references at some instant during the call. Not for decisions; not
    /// deterministic in a replay.
    ///
    /// A reference that waits in its owner's queue is not counted.
    #[must_use]
    pub fn strong_count(this: &Self) -> usize {
        this.header().strong()
    }

    /// Returns true if both are references to the same object.
    ///
    /// ```
    /// # use vivant_brc::Brc;
    /// let five = Brc::new(5);
    /// assert!(Brc::ptr_eq(&five, &five.clone()));
    /// assert!(!Brc::ptr_eq(&five, &Brc::new(5)));
    /// ```
    #[inline]
    #[must_use]
    pub fn ptr_eq(this: &Self, other: &Self) -> bool {
        std::ptr::addr_eq(this.raw.0.as_ptr(), other.raw.0.as_ptr())
    }

    /// All of `drop` but the common case. Takes the pointer by value, so the call can be a tail
    /// call.
    ///
    /// # Safety
    ///
    /// The caller gives up one reference and does not use it again.
    #[cold]
    #[inline(never)]
    unsafe fn drop_slow(raw: Raw<T>) {
        // SAFETY: the reference counts until `decrement`. Objects with an owner have values that
        // are `Send` and borrow nothing; objects without are never handed over. If it was the last
        // reference, the object is ended once.
        unsafe {
            if counting::decrement(raw.header(), || raw.hand()) {
                raw.end();
            }
        }
    }
}

impl<T: ?Sized> Deref for Brc<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this reference keeps the object, and a mutable reference is given out only if it
        // is the only one.
        unsafe { &(*self.raw.0.as_ptr()).value }
    }
}

impl<T: ?Sized> Clone for Brc<T> {
    /// Makes another reference: an addition by the owner, an atomic addition by another thread.
    ///
    /// Aborts the process when there are more than 2²⁸.
    #[inline]
    fn clone(&self) -> Brc<T> {
        counting::clone(self.header());
        Brc::counted(self.raw)
    }
}

impl<T: ?Sized> Drop for Brc<T> {
    /// Drops one reference: a subtraction by the owner, an exchange by another thread.
    ///
    /// The value is dropped with the last reference. If references lie in the queue of a running
    /// owner, the last one may be there: then the value is dropped at the owner's next [safe
    /// point](crate::merge).
    #[inline]
    fn drop(&mut self) {
        if !counting::decrement_owned(self.header()) {
            // SAFETY: `decrement_owned` has done nothing, so the reference still counts; it is not
            // used any more.
            unsafe { Brc::drop_slow(self.raw) };
        }
    }
}
