//! Tables of a heap that name objects and do not keep them alive.

pub(crate) mod death_watches;
pub(crate) mod tag_entry;
pub(crate) mod tag_table;
