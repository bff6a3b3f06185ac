//! The owner of an object, as its page says.

use super::heap_handle::HeapHandle;
use super::heap_id::HeapId;
use crate::object::collected::Collected;
use crate::object::gc::Gc;

impl<'gc, T: ?Sized + Collected<'gc>> Gc<'gc, T> {
    /// The heap that owns the object, as the object's page says. Costs a mask and two loads, and
    /// needs nothing but the reference.
    ///
    /// ```
    /// use vivant_heap::{Gc, Mutator};
    ///
    /// fn is_own<'gc>(m: &Mutator<'gc>, text: Gc<'gc, str>) -> bool {
    ///     Gc::owner(text) == m.id()
    /// }
    /// ```
    #[must_use]
    pub fn owner(this: Self) -> HeapId {
        // SAFETY: an object of this turn, so the turn's heap, its owner, is live.
        unsafe { HeapHandle::of(this.header()).as_ref() }.id()
    }
}
