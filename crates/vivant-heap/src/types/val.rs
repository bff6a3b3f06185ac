//! [`Val`]: a reference to a shared object, which is immutable and can be referred to by any heap.

use crate::alloc::header::Header;
use crate::gc::mutator::Mutator;
use crate::object::collected::Collected;
use crate::object::erased::{Erased, ErasedOf};
use crate::object::evacuator::Evacuator;
use crate::object::frozen::{Frozen, FrozenParts};
use crate::object::gc::Brand;
use crate::object::object_trait::Object;
use crate::object::reference::reference;
use crate::object::sendable::Sendable;
use crate::object::table::Table;
use crate::object::tracer::Tracer;
use crate::orca::heap_handle::HeapHandle;
use crate::orca::heap_id::HeapId;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::ops::Deref;
use std::ptr::NonNull;
use std::slice;

/// A reference to a shared object: deeply immutable, whichever heap has allocated it. One word, two
/// if it is a slice or a string; `Copy`.
///
/// A [`Gc`](crate::Gc) belongs to one heap for good. A `Val` can be sent to other heaps
/// ([`Mutator::pack`]) as one pointer, whatever lies below it, and be read there without copies and
/// locks. The object stays in the heap that has allocated it. That heap learns by reference counts
/// when no other heap refers to the object (ORCA).
///
/// What can change, or belongs to one heap, cannot be shared:
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

// SAFETY: no program has a value of the erased form (Y4). It says that a value with such references
// may go to other threads, and be read by many: their referents passed that check when they were
// allocated.
unsafe impl<T: ?Sized> Send for Val<'static, T> {}
// SAFETY: no program has a value of the erased form (Y4), and the referents passed the check for
// `Sync` when they were allocated.
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
        // SAFETY: a shared object is never written. It is not freed before a mark of this heap has
        // released it, or the container by which it was reached, and no mark runs within a turn.
        unsafe { this.value.as_ref() }
    }

    /// The heap that has allocated it, as its page says. Costs a mask and three loads.
    #[must_use]
    pub fn owner(this: Self) -> HeapId {
        // SAFETY: the object is not freed within the turn (see `as_ref`), so its page has an owner,
        // which exists.
        unsafe { HeapHandle::of(this.header()).as_ref() }.id()
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
    fn evacuate(&mut self, _: &mut Evacuator<'_>) {}
}

// SAFETY: its brand is replaced, and so is that of its referent.
unsafe impl<'a, T: ?Sized + ErasedOf> Erased for Val<'a, T> {
    type Of<'gc> = Val<'gc, T::Of<'gc>>;
    type Static = Val<'static, T::Static>;
}

// SAFETY: it is a `Val`, and nothing in it changes.
unsafe impl<'gc, T: ?Sized + Collected<'gc>> FrozenParts<'gc> for Val<'gc, T> {}

// SAFETY: it is a `Val`.
unsafe impl<'gc, T: ?Sized + Collected<'gc>> Sendable<'gc> for Val<'gc, T> {}

impl<'gc> Mutator<'gc> {
    /// Allocates a shared object.
    ///
    /// It is born in the old generation: costs some ten loads and stores, more than
    /// [`Mutator::alloc`].
    ///
    /// # Panics
    ///
    /// As [`Mutator::alloc`].
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
    #[inline]
    pub fn val<T: Frozen<'gc>>(&self, value: T) -> Val<'gc, T> {
        const {
            assert!(
                align_of::<T>() <= 8,
                "an object is aligned to 8 bytes at most; box what needs more"
            );
        }
        let room = self.allocate_shared(size_of::<T>());
        // SAFETY: there is room for the header, and for the value behind it.
        unsafe {
            room.write(Header::new(Table::of::<T>()));
            room.add(1).cast::<T>().write(value);
            if const { mem::needs_drop::<T>() } {
                self.note_drop_shared(room);
            }
            let value = room.add(1).cast::<T>();
            self.count_components(slice::from_ref(value.as_ref()));
            Val::at(value)
        }
    }
}
