//! The reports (news) of children to their supervisors.

use super::handle::Hear;
use super::slot::Number;
use crate::actor::{CellRef, StopReason, To, post};
use crate::api::own;

/// News of a child.
pub(crate) enum News {
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

/// Whether there is a supervisor that receives the news.
#[derive(PartialEq, Eq)]
pub(crate) enum Told {
    Somebody,
    Nobody,
}

/// Sends news of its child to `supervisor`.
pub(crate) fn tell(supervisor: &CellRef, child: Number, news: News) -> Told {
    let Some(to) = supervisor.upgrade() else {
        return Told::Nobody;
    };
    match post(To::Owned(to), own::<Hear>((child, news))) {
        Ok(()) => Told::Somebody,
        Err(_) => Told::Nobody,
    }
}
