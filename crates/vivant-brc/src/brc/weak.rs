//! [`Weak`]: a weak reference.

use super::Brc;
use crate::bias::counting;
use crate::object::{Object, Raw};
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;

/// A reference that does not keep its object alive, as `Arc`'s weak one.
///
/// ```
/// use vivant_brc::{Brc, Weak};
///
/// let mut found = Weak::new();
/// assert!(found.upgrade().is_none());
/// let five = Brc::new(5);
/// found = Brc::downgrade(&five);
/// assert_eq!(found.upgrade(), Some(five));
/// assert_eq!((found.upgrade(), found.strong_count()), (None, 0));
/// ```
pub struct Weak<T: ?Sized> {
    /// Dangling, at the address [`NOTHING`], if it has no object.
    raw: Raw<T>,
    marker: PhantomData<*mut T>,
}

// SAFETY: it can become a `Brc`, which is `Send` with these bounds.
unsafe impl<T: ?Sized + Sync + Send> Send for Weak<T> {}
// SAFETY: a shared weak reference can be cloned and upgraded to a `Brc`, which is `Sync` with these
// bounds.
unsafe impl<T: ?Sized + Sync + Send> Sync for Weak<T> {}

impl<T: ?Sized> Unpin for Weak<T> {}
impl<T: ?Sized + RefUnwindSafe> UnwindSafe for Weak<T> {}
impl<T: ?Sized + RefUnwindSafe> RefUnwindSafe for Weak<T> {}

/// An address at which no object lies.
const NOTHING: usize = usize::MAX;

impl<T> Weak<T> {
    /// A weak reference without object: upgrades fail. Allocates nothing.
    #[must_use]
    pub const fn new() -> Weak<T> {
        let nothing = std::ptr::without_provenance_mut::<Object<T>>(NOTHING);
        Weak {
            // SAFETY: not null.
            raw: Raw(unsafe { NonNull::new_unchecked(nothing) }),
            marker: PhantomData,
        }
    }
}

impl<T: ?Sized> Weak<T> {
    /// # Safety
    ///
    /// The header counts one weak reference for the result.
    pub(crate) unsafe fn counted(raw: Raw<T>) -> Weak<T> {
        Weak {
            raw,
            marker: PhantomData,
        }
    }

    /// The pointer to the object, if there is one.
    #[inline]
    fn object(&self) -> Option<Raw<T>> {
        (self.raw.0.addr().get() != NOTHING).then_some(self.raw)
    }

    /// Makes a strong reference. `None` after the last strong reference was dropped.
    ///
    /// If another thread has dropped the last reference while the owner ran, an upgrade may still
    /// succeed until the owner's next [safe point](crate::merge).
    #[must_use = "the reference keeps the object only as long as it is held"]
    pub fn upgrade(&self) -> Option<Brc<T>> {
        let raw = self.object()?;
        // SAFETY: this weak reference keeps the memory.
        counting::upgrade(unsafe { raw.header() }).then(|| Brc::counted(raw))
    }

    /// The number of strong references at some instant during the call.
    #[must_use]
    pub fn strong_count(&self) -> usize {
        // SAFETY: this weak reference keeps the memory.
        self.object()
            .map_or(0, |raw| unsafe { raw.header() }.strong())
    }

    /// The number of weak references at some instant during the call; 0 if there is no strong
    /// reference.
    #[must_use]
    pub fn weak_count(&self) -> usize {
        // SAFETY: this weak reference keeps the memory.
        let counts = self.object().map(|raw| unsafe { raw.header() });
        counts
            .filter(|header| header.strong() != 0)
            .map_or(0, |header| header.weak())
    }

    /// Returns true if both are references to the same object, or both have none.
    #[must_use]
    pub fn ptr_eq(&self, other: &Self) -> bool {
        std::ptr::addr_eq(self.raw.0.as_ptr(), other.raw.0.as_ptr())
    }

    /// A pointer to the value, which may be gone. Dangling if there has never been an object.
    #[must_use]
    #[inline]
    pub fn as_ptr(&self) -> *const T {
        match self.object() {
            // SAFETY: this weak reference keeps the memory.
            Some(raw) => unsafe { raw.value() },
            None => self.raw.0.as_ptr() as *const T,
        }
    }

    /// Turns the weak reference into a pointer. It counts until [`Weak::from_raw`] takes it back.
    #[must_use = "the memory is lost if nothing takes it back"]
    #[inline]
    pub fn into_raw(self) -> *const T {
        ManuallyDrop::new(self).as_ptr()
    }

    /// Takes a weak reference back.
    ///
    /// # Safety
    ///
    /// `value` came from [`Weak::into_raw`], of the same type or one of the same layout, and is
    /// taken back once.
    #[inline]
    pub unsafe fn from_raw(value: *const T) -> Weak<T> {
        let raw = if value.addr() == NOTHING {
            // SAFETY: `NOTHING` is not null.
            Raw(unsafe { NonNull::new_unchecked(value as *mut Object<T>) })
        } else {
            // SAFETY: the weak reference counts, so the memory is there.
            unsafe { Raw::around(value) }
        };
        // SAFETY: the count is that of the weak reference that `into_raw` turned into `value`.
        unsafe { Weak::counted(raw) }
    }
}

impl<T: ?Sized> Clone for Weak<T> {
    #[inline]
    fn clone(&self) -> Weak<T> {
        if let Some(raw) = self.object() {
            // SAFETY: this weak reference keeps the memory.
            unsafe { raw.header() }.clone_weak();
        }
        Weak {
            raw: self.raw,
            marker: PhantomData,
        }
    }
}

impl<T: ?Sized> Drop for Weak<T> {
    fn drop(&mut self) {
        let Some(raw) = self.object() else { return };
        // SAFETY: this weak reference keeps the memory; if it was the last of all, no other code
        // uses the memory any more.
        unsafe {
            if raw.header().drop_weak() {
                raw.free();
            }
        }
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Weak<T> {
        Weak::new()
    }
}

impl<T: ?Sized> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}
