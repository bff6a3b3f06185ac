//! [`Planted`]: bugs for the tests of the tests.

use vivant::Object;

/// A planted bug.
#[doc(hidden)]
#[derive(Object, Clone, Copy, Debug, PartialEq, Eq)]
#[object(leaf)]
pub enum Planted {
    /// None.
    Nothing,
    /// Other commits are processed while one is being written.
    NotExclusive,
    /// A commit is answered before it is written.
    EarlyAnswer,
}
