//! Stores: the cache as an actor, built in two ways that have the same behaviours.
//!
//! - [`Cache`]: a graph in the actor's own collected heap. Entries refer to their neighbours in
//!   both directions; an evicted entry is garbage. Pages are shared, immutable objects of that
//!   heap, so a reply is a counted reference: the page's bytes stay where they were rendered until
//!   the socket has them.
//! - [`PlainCache`]: the same with a hash map and a vector of slots of `std`, with pages as
//!   `Arc<str>`. It has no collector, and is the comparison for the graph.
//! - [`Stripe`]: the address of either.
//!
//! Invariants of both:
//!
//! - L1 There are never more entries than the capacity.
//! - L2 A requested page is the newest. When there is no room, the oldest is evicted.
//! - L3 From the newest to the oldest, and back, the list has the same entries, and the index has
//!   these and no others.
//! - L4 A reply's page does not change, even if its entry is evicted.
//!
//! A missing page is rendered in the same turn. That takes a few microseconds, about as long as two
//! messages do. Look-up and insertion are one turn, so no page is rendered twice. If a page took
//! milliseconds, the cache would request it from other actors, by `t.ask(…).then(…)`. A page in a
//! renderer's heap would also spread the cache over many heaps; here one large heap is under test.

mod counts;
mod graph;
mod plain;
mod stripe;

pub use counts::Counts;
pub use graph::Cache;
pub use plain::PlainCache;
pub use stripe::Stripe;

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use vivant::heap::Held;

/// A page, and whether it was in the cache.
#[derive(Debug)]
pub struct Served {
    /// The page.
    pub html: Html,
    /// Whether it was in the cache.
    pub found: Found,
}

/// Whether a page was in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Found {
    /// It was in the cache.
    Hit,
    /// It was not: it was rendered.
    Miss,
}

impl Found {
    /// Its name in a header.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A page outside of actors. Not a copy: the bytes are the cache's.
#[derive(Clone, Debug)]
pub enum Html {
    /// An object in a cache's heap, counted.
    Held(Held<str>),
    /// Plain memory, counted.
    Counted(Arc<str>),
}

impl AsRef<[u8]> for Html {
    fn as_ref(&self) -> &[u8] {
        match self {
            Html::Held(html) => html.as_bytes(),
            Html::Counted(html) => html.as_bytes(),
        }
    }
}

/// The implementation of a cache.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    clap::ValueEnum,
    strum::Display,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Kind {
    /// A graph in a collected heap.
    #[default]
    Graph,
    /// A hash map and a vector, without a collector.
    Plain,
}

/// The counts of a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// The capacity.
    pub capacity: usize,
    /// The number of entries.
    pub entries: usize,
    /// The bytes of their pages.
    pub page_bytes: u64,
    /// The number of evicted entries.
    pub evicted: u64,
    /// Counts of requests.
    pub counts: Counts,
}

/// The result of walking the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Titles from the newest on.
    pub newest_first: Vec<u64>,
    /// Titles from the oldest on.
    pub oldest_first: Vec<u64>,
    /// Number of entries, of the first direction, to which the index leads.
    pub indexed: usize,
    /// Number of entries of the index.
    pub in_index: usize,
    /// The bytes of their pages.
    pub page_bytes: u64,
}
