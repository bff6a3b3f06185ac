//! Tests of the guarantees of heaps, a module for each subject. They are one binary, which is
//! linked once, and run in parallel.

mod aborts;
mod allowed;
mod collections;
mod compile_fail;
mod freeze;
mod given_up;
mod graphs;
mod hearing;
mod holes;
mod keepers;
mod limits;
mod markers;
mod marking;
mod memory;
mod model;
mod orca;
mod paying;
mod persistent;
mod region;
mod review;
mod review_marks;
mod review_regions;
mod review_sharing;
mod settling;
mod short_of_pages;
mod showing;
mod sweeping;
mod sweeping_by_and_by;
mod tags;
mod types;
