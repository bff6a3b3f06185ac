//! [`Val`]: a reference to something that never changes, and that any heap may have.

use super::collected::Collected;
use super::frozen::Frozen;
use super::gc::Brand;
use super::object::Object;
use super::reference::reference;
use crate::collector::{Relocator, Tracer};
use crate::header::{Header, Table};
use crate::id::HeapId;
use crate::mutator::Mutator;
use crate::orca::Owner;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::ops::Deref;
use std::ptr::NonNull;
use std::slice;

/// A reference to a shared object: deeply immutable, in whichever heap has made it. One word, two
/// if it is a slice or a string; `Copy`.
///
/// Where a [`Gc`](crate::Gc) is of one heap for good, a `Val` can be sent to others
/// ([`Mutator::pack`]) as one pointer, whatever lies below it, and be read there without copies and
/// locks. The object stays with the heap that has made it, which learns by counts when nobody else
/// has it any more (ORCA).
///
/// ```
/// use vivant_heap::{Mutator, Object, Val};
///
/// #[derive(Object)]
/// struct Page<'gc> {
///     text: String,
///     next: Option<Val<'gc, Page<'gc>>>,
/// }
///
/// fn two<'gc>(m: &Mutator<'gc>) -> Val<'gc, Page<'gc>> {
///     let page = |text: &str, next| m.val(Page { text: text.to_owned(), next });
///     page("first", Some(page("last", None)))
/// }
/// ```
///
/// What can change, or is of one heap, cannot be shared (O2):
///
/// ```compile_fail,E0277
/// use vivant_heap::{Gc, Mut, Mutator};
///
/// fn shared<'gc>(m: &Mutator<'gc>, number: Gc<'gc, Mut<u64>>) {
///     m.val(number);
/// }
/// ```
#[allow(explicit_outlives_requirements, reason = "as `Gc` has it")]
#[repr(transparent)]
pub struct Val<'gc, T: ?Sized + 'gc> {
    value: NonNull<T>,
    brand: Brand<'gc>,
}

reference!(
    Val,
    "The value is that of a shared object that this turn's heap may use, and the pointer may reach its chunk."
);

// SAFETY: the static twin is in nobody's hands (Y4). It says that a value with such references may
// go to other threads, and be read by many: what they refer to was asked for that when it was made.
unsafe impl<T: ?Sized> Send for Val<'static, T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized> Sync for Val<'static, T> {}

impl<'gc, T: ?Sized> Val<'gc, T> {
    /// The value for as long as the turn.
    #[inline]
    #[must_use]
    #[allow(
        clippy::should_implement_trait,
        reason = "no method: those are the object's"
    )]
    pub fn as_ref(this: Self) -> &'gc T {
        // SAFETY: nobody writes a shared object. It is not freed before a mark of this heap has
        // given it up, or the whole by which it was reached, and no mark runs within a turn.
        unsafe { this.value.as_ref() }
    }

    /// The heap that has made it, as its page says. Costs a mask and three loads.
    #[must_use]
    pub fn owner(this: Self) -> HeapId {
        // SAFETY: as in `as_ref`: its owner keeps it.
        unsafe { Owner::of(this.header()).as_ref() }.id()
    }
}

// SAFETY: it is one reference. It never moves.
unsafe impl<'gc, T: ?Sized + Collected<'gc>> Object<'gc> for Val<'gc, T> {
    type Static = Val<'static, T::Static>;
    const NEEDS_TRACE: bool = true;
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        tracer.shared(self.header());
    }
    #[inline]
    fn relocate(&mut self, _: &mut Relocator<'_>) {}
}

impl<'gc> Mutator<'gc> {
    /// A new shared object.
    ///
    /// It is born in the old generation (H2): costs some ten loads and stores, more than
    /// [`Mutator::alloc`].
    ///
    /// # Panics
    ///
    /// As [`Mutator::alloc`].
    #[inline]
    pub fn val<T: Frozen<'gc>>(&self, value: T) -> Val<'gc, T> {
        const {
            assert!(
                align_of::<T>() <= 8,
                "an object is aligned to 8 bytes at most; box what needs more"
            );
        }
        let room = self.room_shared(size_of::<T>());
        // SAFETY: room for the header and the value behind it.
        unsafe {
            room.write(Header::new(Table::of::<T>()));
            room.add(1).cast::<T>().write(value);
            if const { mem::needs_drop::<T>() } {
                self.note_drop_shared(room);
            }
            let value = room.add(1).cast::<T>();
            self.parts_are_counted(slice::from_ref(value.as_ref()));
            Val::at(value)
        }
    }
}
