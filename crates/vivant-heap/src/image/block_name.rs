//! [`BlockName`]: the name of an old object in files.

use crate::alloc::header::Header;
use crate::pages::chunk::{GRANULE, PAGE, PageName, name_of};
use std::fmt;
use std::ptr::NonNull;

/// The name of an old object among those of its heap: the number of the span, and where in the span
/// its block begins. An old object never moves, so its name lasts as long as the object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct BlockName(u64);

/// Granules of a page.
const GRANULES: u64 = (PAGE / GRANULE) as u64;

/// Granules of the pages that a span may have a name for.
const SPAN_GRANULES: u64 = GRANULES << PageName::PAGE_BITS;

impl BlockName {
    /// The name of an old object.
    ///
    /// # Safety
    ///
    /// It is an old object, in its place.
    #[inline]
    pub(crate) unsafe fn of(object: NonNull<Header>) -> BlockName {
        // SAFETY: guaranteed by the caller (X1).
        let page = unsafe { name_of(object.cast()) };
        let granule = (object.addr().get() & (PAGE - 1)) / GRANULE;
        BlockName(u64::from(page.number()) * GRANULES + granule as u64)
    }

    /// What a file has for a name; it may name nothing.
    pub(crate) fn from_file(name: u64) -> BlockName {
        BlockName(name)
    }

    /// What a file has for this name.
    pub(crate) fn to_file(self) -> u64 {
        self.0
    }

    /// The number of the span.
    pub(crate) fn span(self) -> u64 {
        self.0 / SPAN_GRANULES
    }

    /// The number of the block in a span of blocks of `size` bytes; `None` if none begins there.
    pub(crate) fn block(self, size: usize) -> Option<usize> {
        let offset = (self.0 % SPAN_GRANULES) as usize * GRANULE;
        offset.is_multiple_of(size).then_some(offset / size)
    }
}

impl fmt::Display for BlockName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let granule = self.0 % SPAN_GRANULES;
        write!(f, "{}:{granule}", self.span())
    }
}
