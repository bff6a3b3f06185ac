//! The memory of one heap: nursery and old generation, in spans of the page pool, and the header of
//! an object.

pub(crate) mod header;
pub(crate) mod nursery;
pub(crate) mod old;
pub(crate) mod poison;
pub(crate) mod raw_head;
