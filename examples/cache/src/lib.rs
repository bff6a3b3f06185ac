//! An LRU page cache on actors, behind HTTP: one large graph in a collected heap, under load at a
//! constant rate, beside the same cache without a collector. How to run it is in `README.md`.
//!
//! - [`store`]: the cache as an actor: [`Cache`](store::Cache), a graph in its own heap, and
//!   [`PlainCache`](store::PlainCache), a hash map and a vector.
//! - [`stripes`]: one cache, or several by key.
//! - [`page`]: pages; [`popularity`]: how often each is requested.
//! - [`audit`]: checks that the caches are consistent.
//! - [`http`]: the server; [`load`]: the load generator, which checks each page that it gets.
//! - [`stats`]: the statistics of a server.
//! - [`report`]: the results of a run, as a table and as JSON.
//! - [`cli`]: the command line.

pub mod audit;
pub mod cli;
pub mod http;
pub mod load;
pub mod page;
pub mod popularity;
pub mod report;
pub mod stats;
pub mod store;
pub mod stripes;
