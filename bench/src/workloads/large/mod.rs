//! Actors with large graphs: the pauses and the cost of a full collection.
//!
//! - [`kv_store`]: a store of many boxed entries;
//!   - `operations`: its operations, and their expected results;
//!   - `store`: the actor with a store, and its client;
//!   - `collected`, `control`: the store in a heap, and without one.
//! - [`rewrites`]: an old graph with edges that change all the time.
//! - [`text_search`]: an index that grows between queries; `texts`: its texts.
//! - [`edit_distance`]: tries of known results, which die again and again.
//! - [`occupancy`]: how many blocks of an old generation hold objects, over time.
//! - [`soak`]: heaps of constant size.
//! - `snapshotted`: snapshots that are taken meanwhile.
//! - `window`: the statistics of heaps during the timed part.
//! - `completions`: the times between completions.
//! - `chance`: pseudo-random numbers.

mod chance;
mod collected;
mod completions;
mod control;
mod edit_distance;
mod kv_store;
mod occupancy;
mod operations;
mod rewrites;
mod snapshotted;
mod soak;
mod store;
mod text_search;
mod texts;
mod window;

pub(super) use edit_distance::EDIT_DISTANCE;
pub(super) use kv_store::KV_STORE;
pub(super) use occupancy::OCCUPANCY;
pub(super) use rewrites::REWRITES;
pub(super) use soak::SOAK;
pub(super) use text_search::TEXT_SEARCH;
