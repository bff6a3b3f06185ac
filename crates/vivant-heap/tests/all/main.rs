//! Tests of the guarantees of heaps, a module for each subject. They are one binary, which is
//! linked once, and run in parallel.

#[macro_use]
mod root;

mod aborted_marks;
mod aborts;
mod allocation_failure;
mod allowed;
mod compile_fail;
mod draining;
mod edge_snapshot;
mod ends;
mod freeze;
mod graphs;
mod holes;
mod limits;
mod mark_termination;
mod markers;
mod marking;
mod memory;
mod model;
mod orca;
mod region;
mod retainers;
mod review;
mod review_marks;
mod review_sharing;
mod sweeping;
mod sweeping_by_and_by;
mod tags;
mod types;
