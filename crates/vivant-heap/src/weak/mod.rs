//! Tables of a heap that name objects and do not keep them alive.

pub(crate) mod tag_entry;
pub(crate) mod tag_table;
