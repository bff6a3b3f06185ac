//! One run of an actor: the worker that holds it handles signals, processes messages, evaluates
//! guards, and parks or ends the actor.

mod bounded;
mod child;
mod constrained;
mod counts;
mod end;
mod exclusive;
#[allow(
    unsafe_code,
    reason = "the actor cell: see the README and docs/ARCHITECTURE.md"
)]
mod guards;
mod holder;
mod holds;
#[allow(
    unsafe_code,
    reason = "the actor cell: see the README and docs/ARCHITECTURE.md"
)]
mod idle;
#[cfg(all(test, feature = "macros"))]
mod joins_model;
mod measure;
mod monitor;
mod offers;
mod older_messages;
mod pass;
mod release;
mod restored;
#[allow(
    unsafe_code,
    reason = "the actor cell: see the README and docs/ARCHITECTURE.md"
)]
mod run_guard;
mod run_loop;
mod steps;
#[cfg(all(test, feature = "macros"))]
mod steps_model;
#[cfg(all(test, feature = "macros"))]
mod waiting_tests;

pub(crate) use idle::{ChildState, Idle, Occupied, RootReason};
pub(crate) use run_loop::{Ran, rescue, run, run_to_panic};
