//! The macros' forms, each compiled and run. Programs that must not compile are in `tests/ui`.
#![deny(
    missing_docs,
    missing_debug_implementations,
    dead_code,
    unused,
    deprecated
)]
#![deny(clippy::all, clippy::pedantic)]

mod awkward;
pub mod bank;
mod continuations;
mod forms;
mod generic;
mod hooks;
mod interfaces;
pub mod ledger;
mod seeded;

type Outcome = Result<(), vivant::AskError>;
