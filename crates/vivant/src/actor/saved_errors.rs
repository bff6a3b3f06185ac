//! How errors between actors are saved. The numbers of variants are a part of the format: a new one
//! comes last.

use super::error::{AskError, NeverDispatched, Overloaded, Undelivered};
use super::options::Mailbox;
use crate::failures::{Inside, Panic, StopReason, WaitCycle};
use crate::interned::{Name, Place};
use crate::saving::{saved_enum, saved_struct};
use crate::sync::Arc;
use std::time::Duration;

saved_enum!(AskError as "vivant::AskError" {
    0 Stopped { 0: Arc<Undelivered> },
    1 Restarted { 0: Arc<Undelivered> },
    2 Overloaded { 0: Arc<Overloaded> },
    3 Panicked { 0: Panic },
    4 TimedOut { after: Duration },
    5 InsideTurn { 0: Arc<Inside> },
    6 Broken { 0: Arc<Inside> },
    7 Cancelled,
    8 WaitCycle { 0: Arc<WaitCycle> },
    9 Constrained { 0: Arc<NeverDispatched> },
    10 Stalled,
});

saved_struct!(Undelivered as "vivant::Undelivered" {
    0 actor: String,
    1 behaviour: Name,
    2 place: Place,
    3 reason: StopReason,
});
saved_struct!(Overloaded as "vivant::Overloaded" {
    0 actor: String,
    1 behaviour: Name,
    2 place: Place,
    3 mailbox: Mailbox,
});
saved_struct!(NeverDispatched as "vivant::NeverDispatched" {
    0 actor: String,
    1 behaviour: Name,
    2 place: Place,
    3 why: String,
});
saved_enum!(Mailbox as "vivant::Mailbox" {
    0 BackPressure,
    1 Reject { 0: usize },
    2 DropNewest { 0: usize },
    3 DropOldest { 0: usize },
});
