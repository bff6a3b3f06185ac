//! Phases and passes: where the line of a consistent cut runs through the histories of actors
//! (invariants L1 to L11, see `README.md`).
//!
//! - [`number`]: the numbers of passes and phases, and their low bits.
//! - [`outside`]: threads that send from outside.
//! - [`published`]: the pass that a worker has published.
//! - [`heap_phases`]: the phases, as heaps see them.
//! - [`passes`]: the pass of a system, and the threads that may be in an earlier one.
//! - [`turn_pause`], [`turn_gate`]: a time without a turn, in which a line begins.
//! - [`this_thread`]: the outside threads of the process.

mod heap_phases;
#[cfg(test)]
mod history;
#[cfg(test)]
mod model;
#[cfg(test)]
mod model_tests;
mod number;
mod outside;
mod passes;
mod published;
mod this_thread;
mod turn_gate;
mod turn_pause;

#[cfg(test)]
pub(crate) use heap_phases::NO_PHASE;
#[cfg(all(test, feature = "macros"))]
pub(crate) use history::{At, HistoryCut, Kind, Line, News, Taken};
pub(crate) use number::{Parity, Pass, PassMark, Phase, Stamp, Walk};
pub(crate) use passes::{Earlier, Passes};
pub(crate) use published::PublishedPass;
pub(crate) use this_thread::{
    SendingFromOutside, outside_threads, send_from_outside, sends_from_outside,
};
#[cfg(feature = "snapshots")]
pub(crate) use turn_pause::TurnPause;
