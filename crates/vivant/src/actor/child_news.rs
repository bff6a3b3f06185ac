//! The reports (news) of children to their supervisors.

use super::signals::HaltNumber;
use crate::failures::StopReason;

/// News of a child.
pub(crate) enum ChildNews {
    Up,
    /// This incarnation is over, and the actor waits for its start.
    Down(StopReason),
    /// The order with this number found it down already.
    IsDown(HaltNumber),
    /// It panicked, and continues.
    Resumed(StopReason),
    /// It has ended for good.
    Gone(StopReason),
}
