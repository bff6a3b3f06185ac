//! [`ReferenceTarget`]: what a reference leads to, for the program that has it in its types.

use std::any::Any;
use std::fmt;

/// What a reference leads to: a constant of the program, which the crate that makes the reference
/// finds again by its type.
#[derive(Clone, Copy)]
pub struct ReferenceTarget(pub(super) fn() -> &'static (dyn Any + Send + Sync));

impl ReferenceTarget {
    /// The target that `target` returns.
    pub const fn new(target: fn() -> &'static (dyn Any + Send + Sync)) -> ReferenceTarget {
        ReferenceTarget(target)
    }
}

impl fmt::Debug for ReferenceTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReferenceTarget")
    }
}
