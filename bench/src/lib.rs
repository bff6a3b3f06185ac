//! Benchmarks of vivant, with the workloads and sizes by which other platforms are measured.
//!
//! A [`Bench`] is a name, a table of [`Param`]s and a function; [`BENCHES`] holds all. A [`Run`] of
//! one gives [`Row`]s, each with its time and a checked result: a bench with a wrong result fails
//! and shows no time.
//!
//! - `bench`, `param`, `run`: the benches, their parameters, one run;
//! - `workloads`: the benches, one file each; `prelude` has the names that they share;
//! - `meter`, `process`, `latency`: measurements of this process;
//! - `row`: one line of the output;
//! - `child`: benches that measure a process as a whole run it as a child;
//! - `report`: all benches in rounds, with charts;
//! - `compare`: this build beside another one, in pairs;
//! - `snapshots`: the Savina programs with a snapshot beside each run, and without;
//! - `watched`: a subscriber and a recorder that count;
//! - `table`: the messages between collectors, beside the Orca paper's;
//! - `cli`: the command line;
//! - `failure`: why there is no row.

#![forbid(unsafe_code)]

mod bench;
mod child;
pub mod cli;
mod compare;
mod failure;
mod latency;
mod meter;
mod param;
mod prelude;
mod process;
mod report;
mod row;
mod run;
mod snapshots;
mod table;
mod watched;
mod workloads;

pub use bench::{Bench, Group, SavedTypes};
pub use failure::Failure;
pub use param::{Kind, Param, Params, Value};
pub use row::Row;
pub use run::{Expectation, Run};
pub use snapshots::Listed;
pub use workloads::{BENCHES, snapshot_points};
