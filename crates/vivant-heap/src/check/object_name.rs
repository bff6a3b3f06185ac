//! [`ObjectName`]: names an object in a query.

use crate::alloc::header::Header;
use crate::orca::heap_handle::HeapHandle;
use crate::orca::heap_id::HeapId;
use crate::share::holder_root::Held;
use std::ptr::NonNull;

/// Names an object in a query. The name retains nothing, and may name
/// another object as soon as this one is freed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ObjectName(usize);

impl ObjectName {
    pub(super) fn of(object: NonNull<Header>) -> ObjectName {
        ObjectName(object.addr().get())
    }
}

impl<T: ?Sized> Held<T> {
    /// The name of the held object.
    #[must_use]
    pub fn object(&self) -> ObjectName {
        ObjectName::of(self.header())
    }

    /// The heap that owns the object, or did until the heap ended.
    #[must_use]
    pub fn owner(&self) -> HeapId {
        // SAFETY: this counts the object, so its owner is live.
        unsafe { HeapHandle::of(self.header()).as_ref() }.id()
    }
}
