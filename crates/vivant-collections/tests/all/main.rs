//! Tests of the collections, a module for each subject, and those of the heap that need
//! collections. They are one binary, which is linked once, and run in parallel.

#[path = "../../../vivant-heap/tests/all/seeds.rs"]
mod seeds;

#[macro_use]
#[path = "../../../vivant-heap/tests/all/root.rs"]
mod root;

mod collections;
mod compile_fail;
mod edge_snapshot;
mod freeze;
mod image_of_heap;
mod images;
mod markers;
mod mutator_assist;
mod nested_regions;
mod persistent;
mod random_programs;
mod versions_in_images;
