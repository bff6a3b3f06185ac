//! [`Planted`]: bugs for the tests of the tests.

/// A planted bug.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planted {
    /// None.
    Nothing,
    /// A timer's message that waited while a player moved hits the next player.
    StaleTimer,
    /// A player that waits for a game may ask for another one.
    TwoRequests,
    /// The numbers of rooms begin anew when the lobby is restarted.
    NumbersTwice,
}
