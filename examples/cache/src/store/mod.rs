//! Stores: the cache as an actor, built in two ways that have the same behaviours.
//!
//! - [`Cache`]: a graph in the actor's own collected heap. Entries know their neighbours in both
//!   directions; who goes out is forgotten. Pages are shared, immutable objects of that heap, so
//!   that a reply is a counted reference: the page's bytes lie where they were rendered until the
//!   socket has them.
//! - [`PlainCache`]: the same by a hash map and a vector of slots of `std`, with pages as
//!   `Arc<str>`. No collector: it is what the graph is compared with.
//! - [`Stripe`]: the address of either.
//!
//! What must hold of each:
//!
//! - L1 There are never more entries than the capacity.
//! - L2 A page that is asked for is the newest. When there is no room, the oldest goes.
//! - L3 From the newest to the oldest, and back, the list has the same entries, and the index has
//!   these and no others.
//! - L4 Who has got a page has it as it was, whatever becomes of its entry.
//!
//! A page that is not there is rendered in the same turn. That takes a few microseconds, about as
//! long as two messages do; and since looking and inserting are one turn, nobody renders a page
//! that another request is about to insert. A page that took milliseconds would be asked of other
//! actors, by `t.ask(…).then(…)`. One that a renderer's heap owned would also lie in many heaps;
//! here one large heap is what is under test.

mod counts;
mod graph;
mod plain;
mod stripe;

pub use counts::Counts;
pub use graph::Cache;
pub use plain::PlainCache;
pub use stripe::Stripe;

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use vivant::heap::Held;

/// A page, and where it was.
#[derive(Debug)]
pub struct Served {
    /// The page.
    pub html: Html,
    /// Where it was.
    pub found: Found,
}

/// Where a page was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// In the cache.
    Hit,
    /// Nowhere: it was rendered.
    Miss,
}

impl Found {
    /// Its name in a header.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Found::Hit => "hit",
            Found::Miss => "miss",
        }
    }
}

/// A page outside of actors. No copy: its bytes are the cache's.
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

/// How a cache is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A graph in a collected heap.
    #[default]
    Graph,
    /// A hash map and a vector, without a collector.
    Plain,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Graph => "graph",
            Kind::Plain => "plain",
        })
    }
}

/// What a store counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// How many entries it may have.
    pub capacity: usize,
    /// How many it has.
    pub entries: usize,
    /// The bytes of their pages.
    pub page_bytes: u64,
    /// How many went out.
    pub evicted: u64,
    /// What was asked for.
    pub counts: Counts,
}

/// What a walk has met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Titles from the newest on.
    pub newest_first: Vec<u64>,
    /// Titles from the oldest on.
    pub oldest_first: Vec<u64>,
    /// How many of the first way the index leads to, and to that very entry.
    pub indexed: usize,
    /// How many the index has.
    pub in_index: usize,
    /// The bytes of their pages.
    pub page_bytes: u64,
}
