//! A heap and its collector: turns allocate and write by the mutator; minor collections, marks and
//! sweeps run between turns, on the thread that holds the heap. See [README.md](README.md).

pub(crate) mod budget;
mod collect;
#[cfg(test)]
mod concurrent_mark_tests;
pub(crate) mod counts;
#[cfg(test)]
mod cut_tags_tests;
mod destructors;
pub(crate) mod detached;
pub(crate) mod detached_heap;
#[cfg(test)]
mod detached_heap_tests;
pub(crate) mod drivers;
mod edge_snapshot;
#[cfg(test)]
mod external_edges_tests;
pub(crate) mod heap;
pub(crate) mod heap_drop;
mod heap_stats;
pub(crate) mod idle_check;
mod image_pace;
pub(crate) mod mark_cycle;
mod mark_in_group;
pub(crate) mod mark_termination;
#[cfg(test)]
mod mark_termination_tests;
pub(crate) mod marking;
#[cfg(test)]
mod model;
#[cfg(test)]
mod model_tests;
pub(crate) mod mutator;
mod pacer;
pub(crate) mod pacing;
pub(crate) mod pause_kind;
pub(crate) mod phase;
pub(crate) mod reason;
pub(crate) mod report;
pub(crate) mod role;
pub(crate) mod step;
#[cfg(test)]
mod step_tests;
pub(crate) mod stress;
