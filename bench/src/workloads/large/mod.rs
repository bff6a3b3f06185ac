//! Actors with large graphs: how long they are held up when all of one is collected, and what that
//! costs.
//!
//! - [`kv_store`]: a store of many boxed entries;
//!   - `operations`: what is asked of it, and what must come out;
//!   - `store`: what an actor with a store does, and its client;
//!   - `collected`, `control`: the store in a heap, and without one;
//!   - `sides`: each of them in a process of its own.
//! - [`rewrites`]: an old graph whose edges change all the time.
//! - [`text_search`]: an index that grows while it is asked.
//! - [`edit_distance`]: tries of what is known, which die again and again.
//! - [`soak`]: heaps that stay as large as they are.
//! - `window`: what heaps did while a bench was timed.
//! - `chance`: numbers in no order.

mod chance;
mod collected;
mod control;
mod edit_distance;
mod kv_store;
mod operations;
mod rewrites;
mod sides;
mod soak;
mod store;
mod text_search;
mod window;

pub(super) use edit_distance::EDIT_DISTANCE;
pub(super) use kv_store::KV_STORE;
pub(super) use rewrites::REWRITES;
pub(super) use soak::SOAK;
pub(super) use text_search::TEXT_SEARCH;
