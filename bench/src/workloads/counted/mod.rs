//! Counted pointers: the cost of one operation on the count, and the gain of a program from a
//! cheaper one.
//!
//! - `pointers`: the compared pointers, and nothing else: a new one is added there;
//! - `rc`, `arc`, `brc`, `tally`: the programs, with each of them as `Ptr`;
//! - `programs`: the programs, each one source for all pointers;
//! - `refcount`: the operations alone;
//! - `program`, `queued`: benches which run a program with each pointer;
//! - `sides`: what rows are relative to.
//!
//! The measurements are those of J. Choi, T. Shull and J. Torrellas, "Biased Reference Counting",
//! PACT 2018: table 7 is `refcount`, table 6 and figures 7 and 9 are the programs, figure 10 is
//! `queued`.

#![expect(
    clippy::duplicate_mod,
    reason = "the programs are compiled once for each pointer, from the same files"
)]

mod arc;
mod brc;
mod pointers;
mod program;
mod queued;
mod rc;
mod refcount;
mod sides;
mod tally;

pub(super) use program::{DNA, GCBENCH_MULTI, GCBENCH_SINGLE, JSON, RAYTRACE};
pub(super) use queued::QUEUED;
pub(super) use refcount::REFCOUNT;
