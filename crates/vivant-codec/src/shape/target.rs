//! [`Target`]: what a reference leads to, for the program that has the reference in its types.

use std::any::Any;
use std::fmt;

/// What a reference leads to: a constant of the program, which the crate that makes the reference
/// finds again by its type.
#[derive(Clone, Copy)]
pub struct Target(pub(super) fn() -> &'static (dyn Any + Send + Sync));

impl Target {
    /// The target that `target` returns.
    pub const fn new(target: fn() -> &'static (dyn Any + Send + Sync)) -> Target {
        Target(target)
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Target")
    }
}
