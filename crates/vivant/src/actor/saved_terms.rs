//! How the terms of a supervised actor are saved, and what follows its stop hook. The numbers of
//! variants are a part of the format: a new one comes last.

use super::exclusive_wait::AfterStop;
use super::supervised_by::{Messages, OnPanic, Restart, Terms};
use crate::saving::{saved_enum, saved_struct};

saved_struct!(Terms as "vivant::Terms" {
    0 restart: Restart,
    1 on_panic: OnPanic,
    2 messages: Messages,
});

saved_enum!(Restart as "vivant::Restart" {
    0 Always,
    1 OnFailure,
    2 Never,
});

saved_enum!(OnPanic as "vivant::OnPanic" {
    0 Restart,
    1 Resume,
    2 Stop,
    3 Escalate,
    4 RestoreLast,
});

saved_enum!(Messages as "vivant::Messages" {
    0 Kept,
    1 Returned,
});

saved_enum!(AfterStop as "vivant::AfterStop" {
    0 Ends,
    1 GoesDown,
});
