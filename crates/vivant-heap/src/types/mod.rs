//! What users hold: `Mut`, `Val`, `Weak`, slices, and what may be frozen.

pub(crate) mod borrow;
#[cfg(any(
    feature = "bytes",
    feature = "chrono",
    feature = "jiff",
    feature = "uuid"
))]
mod foreign_leaves;
pub(crate) mod freeze;
pub(crate) mod ice;
pub(crate) mod leaf;
mod leaf_borrow;
pub(crate) mod mutable;
mod slice;
pub(crate) mod val;
pub(crate) mod weak;
