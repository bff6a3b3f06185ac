//! Tests of the guarantees of heaps, a module for each subject. They are one binary, which is
//! linked once, and run in parallel.

#[macro_use]
mod root;

mod aborted_marks;
mod aborts;
mod allocation_failure;
mod allowed;
mod compile_fail;
mod count_inbox;
mod drop_counter;
mod edge_snapshot;
mod freeze;
mod graphs;
mod heap_programs;
mod heaps;
mod holes;
mod hostile;
mod hostile_sharing;
mod image;
mod limits;
mod mark_termination;
mod markers;
mod marking;
mod memory;
mod model;
mod numbered;
mod orca;
mod region;
mod retainers;
mod seeds;
mod sweep_budget;
mod sweeping;
mod tags;
mod trees;
mod types;
