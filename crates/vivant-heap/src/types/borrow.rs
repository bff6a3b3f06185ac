//! [`Ref`] and [`RefMut`]: borrow guards of the value in a [`Mut`](crate::Mut), and of parts of it.

use crate::object::evacuator::CLEAN;
use std::any;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Borrowed mutably. If the borrow was split, the lower bits are the number of guards less one.
pub(crate) const WRITING: u32 = 1 << 31;
/// The bits that count shared borrows.
pub(super) const READERS: u32 = CLEAN - 1;

/// A borrow that was refused: the type of the object, the kind of borrow, and how the object is
/// borrowed already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BorrowError {
    kind: BorrowKind,
    object: &'static str,
    flag: u32,
}

/// What a borrow is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BorrowKind {
    Read,
    Write,
}

impl BorrowError {
    #[cold]
    pub(super) fn of<T>(kind: BorrowKind, flag: u32) -> BorrowError {
        let object = any::type_name::<T>();
        BorrowError { kind, object, flag }
    }

    #[cold]
    #[track_caller]
    pub(super) fn refuse(self) -> ! {
        panic!("{self}")
    }
}

impl fmt::Display for BorrowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let want = match self.kind {
            BorrowKind::Read => "read",
            BorrowKind::Write => "write",
        };
        write!(f, "cannot {want} this object, a `{}`: ", self.object)?;
        if self.flag & WRITING != 0 {
            return f.write_str("it is borrowed mutably, further up in this turn");
        }
        let readers = self.flag & READERS;
        write!(f, "it is borrowed {readers} times in this turn")
    }
}

impl std::error::Error for BorrowError {}

/// One shared borrow, as the flag counts it.
struct Reading<'gc>(&'gc Cell<u32>);

impl Reading<'_> {
    /// Counts one more borrow of the same value.
    fn again(&self) -> Self {
        let flag = self.0.get();
        assert!(flag & READERS < READERS, "too many borrows of one object");
        self.0.set(flag + 1);
        Reading(self.0)
    }
}

impl Drop for Reading<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

/// One guard of a mutable borrow.
struct Writing<'gc>(&'gc Cell<u32>);

impl Writing<'_> {
    /// Counts one more guard, for another part.
    fn again(&self) -> Self {
        let flag = self.0.get();
        assert!(flag & READERS < READERS, "too many borrows of one object");
        self.0.set(flag + 1);
        Writing(self.0)
    }
}

impl Drop for Writing<'_> {
    #[inline]
    fn drop(&mut self) {
        // Written and remembered: the next write needs no barrier.
        let flag = self.0.get();
        self.0.set(if flag == WRITING { 0 } else { flag - 1 });
    }
}

/// A shared borrow of the value in a [`Mut`](crate::Mut), or of a part of it.
///
/// The value lives at least as long as the guard. A closure of [`Ref::map`] relies on the whole
/// outliving the borrow of a part: with a whole of shorter life it could return a reference to
/// anything that lives only as long as that whole.
pub struct Ref<'gc, T: ?Sized + 'gc> {
    value: NonNull<T>,
    borrow: Reading<'gc>,
}

impl<'gc, T: ?Sized> Ref<'gc, T> {
    /// # Safety
    ///
    /// The flag has counted this borrow. The value belongs to the flag, and lives as long as the
    /// turn.
    #[inline]
    pub(super) unsafe fn new(value: NonNull<T>, flag: &'gc Cell<u32>) -> Ref<'gc, T> {
        let borrow = Reading(flag);
        Ref { value, borrow }
    }

    /// Borrows the same value once more.
    ///
    /// # Panics
    ///
    /// The value has a thousand million borrows already.
    #[must_use]
    #[allow(
        clippy::should_implement_trait,
        reason = "no method: those are the value's"
    )]
    pub fn clone(this: &Self) -> Self {
        let (value, borrow) = (this.value, this.borrow.again());
        Ref { value, borrow }
    }

    /// Borrows a part.
    ///
    /// ```
    /// use vivant_heap::{Gc, Mut, Object, Ref};
    ///
    /// #[derive(Object)]
    /// struct Page {
    ///     title: String,
    ///     words: Vec<String>,
    /// }
    ///
    /// fn title<'gc>(page: Gc<'gc, Mut<Page>>) -> Ref<'gc, str> {
    ///     Ref::map(page.borrow(), |page| page.title.as_str())
    /// }
    ///
    /// fn word<'gc>(page: Gc<'gc, Mut<Page>>, number: usize) -> Option<Ref<'gc, String>> {
    ///     Ref::filter_map(page.borrow(), |page| page.words.get(number)).ok()
    /// }
    /// ```
    #[inline]
    pub fn map<U: ?Sized>(this: Self, part: impl FnOnce(&T) -> &U) -> Ref<'gc, U> {
        Ref {
            value: NonNull::from(part(&this)),
            borrow: this.borrow,
        }
    }

    /// Borrows a part, if the closure returns one.
    ///
    /// # Errors
    ///
    /// The closure returned `None`: the borrow of the whole is returned.
    #[inline]
    pub fn filter_map<U: ?Sized>(
        this: Self,
        part: impl FnOnce(&T) -> Option<&U>,
    ) -> Result<Ref<'gc, U>, Self> {
        match part(&this).map(NonNull::from) {
            Some(value) => Ok(Ref {
                value,
                borrow: this.borrow,
            }),
            None => Err(this),
        }
    }

    /// Borrows two parts.
    ///
    /// # Panics
    ///
    /// As [`Ref::clone`].
    #[inline]
    pub fn map_split<U: ?Sized, V: ?Sized>(
        this: Self,
        parts: impl FnOnce(&T) -> (&U, &V),
    ) -> (Ref<'gc, U>, Ref<'gc, V>) {
        let (one, other) = parts(&this);
        let (one, other) = (NonNull::from(one), NonNull::from(other));
        let borrow = this.borrow.again();
        let other = Ref {
            value: other,
            borrow: this.borrow,
        };
        (Ref { value: one, borrow }, other)
    }
}

impl<T: ?Sized> Deref for Ref<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the flag counts this borrow, so the value is not written.
        unsafe { self.value.as_ref() }
    }
}

/// A mutable borrow of the value in a [`Mut`](crate::Mut), or of a part of it.
pub struct RefMut<'gc, T: ?Sized> {
    value: NonNull<T>,
    borrow: Writing<'gc>,
    /// Invariant in `T`, because the value is written.
    written: PhantomData<&'gc mut T>,
}

impl<'gc, T: ?Sized> RefMut<'gc, T> {
    /// # Safety
    ///
    /// The flag says that this is the only borrow. The value belongs to the flag, and lives as long
    /// as the turn.
    #[inline]
    pub(super) unsafe fn new(value: NonNull<T>, flag: &'gc Cell<u32>) -> RefMut<'gc, T> {
        RefMut::part(value, Writing(flag))
    }

    #[inline]
    fn part(value: NonNull<T>, borrow: Writing<'gc>) -> RefMut<'gc, T> {
        RefMut {
            value,
            borrow,
            written: PhantomData,
        }
    }

    /// Borrows a part, as [`Ref::map`].
    #[inline]
    pub fn map<U: ?Sized>(mut this: Self, part: impl FnOnce(&mut T) -> &mut U) -> RefMut<'gc, U> {
        let value = NonNull::from(part(&mut this));
        RefMut::part(value, this.borrow)
    }

    /// Borrows a part, if the closure returns one.
    ///
    /// # Errors
    ///
    /// The closure returned `None`: the borrow of the whole is returned.
    #[inline]
    pub fn filter_map<U: ?Sized>(
        mut this: Self,
        part: impl FnOnce(&mut T) -> Option<&mut U>,
    ) -> Result<RefMut<'gc, U>, Self> {
        match part(&mut this).map(NonNull::from) {
            Some(value) => Ok(RefMut::part(value, this.borrow)),
            None => Err(this),
        }
    }

    /// Borrows two parts. The object is free again when both borrows have ended.
    ///
    /// ```
    /// use vivant_heap::{Gc, Mut, Mutator, RefMut};
    ///
    /// fn exchange<'gc>(m: &Mutator<'gc>, pair: Gc<'gc, Mut<(String, String)>>) {
    ///     let (mut one, mut other) = RefMut::map_split(pair.borrow_mut(m), |pair| (&mut pair.0, &mut pair.1));
    ///     std::mem::swap(&mut *one, &mut *other);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Ref::clone`].
    #[inline]
    pub fn map_split<U: ?Sized, V: ?Sized>(
        mut this: Self,
        parts: impl FnOnce(&mut T) -> (&mut U, &mut V),
    ) -> (RefMut<'gc, U>, RefMut<'gc, V>) {
        let (one, other) = parts(&mut this);
        let (one, other) = (NonNull::from(one), NonNull::from(other));
        let borrow = this.borrow.again();
        (RefMut::part(one, borrow), RefMut::part(other, this.borrow))
    }
}

impl<T: ?Sized> Deref for RefMut<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: by the flag this is the only borrow of this part.
        unsafe { self.value.as_ref() }
    }
}

impl<T: ?Sized> DerefMut for RefMut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: by the flag this is the only borrow of this part.
        unsafe { self.value.as_mut() }
    }
}

/// A guard is formatted as its value is.
macro_rules! shown {
    ($($form:path: $guard:ident),*) => {$(
        impl<T: ?Sized + $form> $form for $guard<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }
    )*};
}

shown!(fmt::Debug: Ref, fmt::Debug: RefMut, fmt::Display: Ref, fmt::Display: RefMut);
