//! Death watches.

pub(crate) mod death_watch;
