//! [`Planted`]: bugs for the tests of the tests.

use vivant::Object;

/// A planted bug, for the tests of the tests.
#[doc(hidden)]
#[derive(Object, Clone, Copy, Debug, PartialEq, Eq)]
#[object(leaf)]
pub enum Planted {
    /// None.
    Nothing,
    /// A late refusal ends a follow that was asked for after it.
    LateRefusal,
    /// Followers in other shards keep their reference to a removed person.
    ForgottenFollower,
}
