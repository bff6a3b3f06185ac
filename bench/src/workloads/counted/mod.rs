//! Counted pointers: the cost of one operation on the count, and the gain of a program from a
//! cheaper one.
//!
//! - `pointers`: the compared pointers, and nothing else: a new one is added there;
//! - `rc`, `arc`, `brc`, `tally`: the programs, with each of them as `Ptr`;
//! - `programs`: the programs, each one source for all pointers;
//! - `refcount`: the operations alone;
//! - `bias`: the operations of an actor, in the run that made the object and in later ones;
//! - `program`, `server`, `queued`: benches which run a program with each pointer;
//! - `serving`: the servers, one source for the pointers that threads can share;
//! - `shares`: which operations of the programs are biased, shared and queued;
//! - `sides`: what rows are relative to.
//!
//! The measurements are those of J. Choi, T. Shull and J. Torrellas, "Biased Reference Counting",
//! PACT 2018: table 7 is `refcount`, figures 7 and 9 are the programs, figure 8 is `server`, figure
//! 10 is `queued`, tables 1 and 6 are `shares`.

#![expect(
    clippy::duplicate_mod,
    reason = "the programs are compiled once for each pointer, from the same files"
)]

mod arc;
mod bias;
mod brc;
mod pointers;
mod program;
mod queued;
mod rc;
mod refcount;
mod server;
#[cfg(feature = "counters")]
mod shares;
mod sides;
mod tally;

pub(super) use bias::BIAS;
pub(super) use program::{DNA, GCBENCH_MULTI, GCBENCH_SINGLE, JSON, RAYTRACE};
pub(super) use queued::QUEUED;
pub(super) use refcount::REFCOUNT;
pub(super) use server::{SERVER_BLOG, SERVER_JSON};
#[cfg(feature = "counters")]
pub(super) use shares::SHARES;
