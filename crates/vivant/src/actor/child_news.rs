//! The reports (news) of children to their supervisors.

use crate::failures::StopReason;

/// News of a child.
pub(crate) enum ChildNews {
    Up,
    /// This incarnation is over, and the actor waits for its start.
    Down(StopReason),
    /// It was ordered down, and is down already.
    IsDown,
    /// It panicked, and continues.
    Resumed(StopReason),
    /// It has ended for good.
    Gone(StopReason),
}
