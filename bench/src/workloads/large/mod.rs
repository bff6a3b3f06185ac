//! Actors with large graphs: how long they are held up when all of one is collected, and what that costs.
//!
//! - [`kv_store`]: a store of many boxed entries;
//!   - `operations`: what is asked of it, and what must come out;
//!   - `store`: what an actor with a store does, and its client;
//!   - `collected`, `control`: the store in a heap, and without one;
//!   - `sides`: each of them in a process of its own.
//! - [`rewrites`]: an old graph whose edges change all the time.
//! - `window`: what heaps did while a bench was timed.
//! - `chance`: numbers in no order.

mod chance;
mod collected;
mod control;
mod kv_store;
mod operations;
mod rewrites;
mod sides;
mod store;
mod window;

pub(super) use kv_store::KV_STORE;
pub(super) use rewrites::REWRITES;
