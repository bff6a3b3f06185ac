//! [`Pending`]: what continues with the value of a promise, of any type.

use super::shown::Shown;
use crate::actor::{AskError, Next};
use crate::message::pool;
use std::ptr::NonNull;

/// Takes a promise's value; returns what follows.
pub(crate) trait Continue<T>: Send + 'static {
    fn fill(self, value: Result<T, AskError>) -> Next;

    /// The address and the resolver that this continuation alone has, as far as it shows them.
    fn shown(&self) -> Shown<'_> {
        Shown::default()
    }
}

/// A continuation of any type, in recycled memory.
pub(crate) struct Pending<T: 'static> {
    place: NonNull<()>,
    table: &'static SinkTable<T>,
}

// SAFETY: it owns a `Continue`, which is `Send` (X9); the table is a constant.
unsafe impl<T> Send for Pending<T> {}

/// The table (vtable) of a continuation's type.
///
/// # Safety
///
/// `fill` and `drop` demand what [`unpacked`] demands.
struct SinkTable<T> {
    fill: unsafe fn(NonNull<()>, Result<T, AskError>) -> Next,
    drop: unsafe fn(NonNull<()>),
    /// Demands that [`Pending::new`] wrote a value of the table's type there, which is not taken
    /// out meanwhile.
    shown: for<'s> unsafe fn(&'s NonNull<()>) -> Shown<'s>,
}

trait Tabled<T> {
    const TABLE: SinkTable<T>;
}

impl<T: 'static, C: Continue<T>> Tabled<T> for C {
    const TABLE: SinkTable<T> = SinkTable {
        // SAFETY: the contract of `SinkTable`, which is that of `unpacked` (X1).
        fill: |place, value| unsafe { unpacked::<C>(place) }.fill(value),
        // SAFETY: the contract of `SinkTable`, which is that of `unpacked` (X1).
        drop: |place| drop(unsafe { unpacked::<C>(place) }),
        // SAFETY: the contract of `shown` (X1): a `C` is there as long as the place is borrowed.
        shown: |place| unsafe { place.cast::<C>().as_ref() }.shown(),
    };
}

/// # Safety
///
/// `place` was written by `Pending::new::<C>`, and this is called once for it.
unsafe fn unpacked<C>(place: NonNull<()>) -> C {
    let place = place.cast::<C>();
    // SAFETY: `Pending::new::<C>` wrote it, into memory taken for this type (N4), and this is
    // called once for it (X1).
    unsafe {
        let content = place.read();
        pool::give(place);
        content
    }
}

impl<T: 'static> Pending<T> {
    pub(crate) fn new<C: Continue<T>>(content: C) -> Pending<T> {
        let place = pool::take::<C>();
        // SAFETY: `take` returned memory for this type (N4), which has no other owner (N1).
        unsafe { place.write(content) };
        Pending {
            place: place.cast(),
            table: const { &<C as Tabled<T>>::TABLE },
        }
    }

    /// As `new`; also returns the place of one of its fields, which does not move.
    pub(super) fn with_field<C: Continue<T>, F>(
        content: C,
        field: impl FnOnce(&mut C) -> &mut F,
    ) -> (Pending<T>, NonNull<F>) {
        let pending = Pending::new(content);
        // SAFETY: `Pending::new` has written a `C` there (X5), and no other code knows the place
        // yet (X3).
        let field = NonNull::from(field(unsafe { pending.place.cast::<C>().as_mut() }));
        (pending, field)
    }

    pub(super) fn shown(&self) -> Shown<'_> {
        // SAFETY: `new` wrote the type that the table is for (X5), and it is taken out only with
        // `self`, which is borrowed.
        unsafe { (self.table.shown)(&self.place) }
    }

    pub(super) fn fill(self, value: Result<T, AskError>) -> Next {
        let (place, fill) = (self.place, self.table.fill);
        std::mem::forget(self);
        // SAFETY: `new` wrote the type that the table is for (X5). It is taken out once, because
        // `self` is forgotten (X10).
        unsafe { fill(place, value) }
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        // SAFETY: `new` wrote the type that the table is for (X5). It is taken out once, because
        // `fill` forgets `self` (X10).
        unsafe { (self.table.drop)(self.place) };
    }
}
