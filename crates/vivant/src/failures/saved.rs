//! How failures are saved. The numbers of variants are a part of the format: a new one comes last.

use super::dead_letter::{Cause, DeadLetter};
use super::panic::{Inside, Panic};
use super::stop::{Failed, GaveUp, Linked, NotStarted, StopReason, SupervisorEnded};
use super::wait_cycle::{WaitCycle, WaitEdge};
use crate::interned::{Name, Place};
use crate::saving::{saved_enum, saved_struct};
use crate::sync::Arc;

saved_struct!(Inside as "vivant::Inside" { 0 actor: String, 1 behaviour: Name });

saved_enum!(StopReason as "vivant::StopReason" {
    0 Stopped,
    1 Drained,
    2 Finished,
    3 Unreferenced,
    4 Unreachable,
    5 Shutdown,
    6 Panicked { 0: Panic },
    7 Failed { 0: Arc<Failed> },
    8 NotStarted { 0: Arc<NotStarted> },
    9 Linked { 0: Arc<Linked> },
    10 Restarting,
    11 GaveUp { 0: Arc<GaveUp> },
    12 SupervisorEnded { 0: Arc<SupervisorEnded> },
    13 NotSaved,
});

saved_struct!(Failed as "vivant::Failed" { 0 behaviour: Name, 1 message: String });
saved_struct!(NotStarted as "vivant::NotStarted" { 0 error: String });
saved_struct!(Linked as "vivant::Linked" {
    0 actor: String,
    1 first: String,
    2 reason: StopReason,
    3 links: usize,
});
saved_struct!(GaveUp as "vivant::GaveUp" {
    0 child: String,
    1 reason: StopReason,
    2 failures: usize,
});
saved_struct!(SupervisorEnded as "vivant::SupervisorEnded" {
    0 supervisor: String,
    1 reason: StopReason,
});

saved_struct!(WaitCycle as "vivant::WaitCycle" { 0 edges: Vec<WaitEdge> });
saved_struct!(WaitEdge as "vivant::WaitEdge" {
    0 actor: String,
    1 waits_at: Place,
    2 behaviour: Name,
    3 asked_at: Place,
    4 deferred_by: String,
});

saved_struct!(DeadLetter as "vivant::DeadLetter" {
    0 behaviour: Name,
    1 actor: String,
    2 place: Place,
    3 cause: Cause,
});
saved_enum!(Cause as "vivant::Cause" {
    0 Ended,
    1 Withdrawn,
    2 Restarted,
    3 Rejected,
    4 DroppedNewest,
    5 DroppedOldest,
    6 WaitCycle,
    7 Constrained,
    8 Unresolved,
});
