//! A stripe: the address of a store of either kind.

use super::{Cache, Kind, Ledger, PlainCache, Served, Walk};
use crate::page::Pages;
use std::time::Duration;
use vivant::prelude::*;

/// The address of a store. Both kinds have the same behaviours.
#[derive(Clone, Debug)]
pub enum Stripe {
    /// Of a graph.
    Graph(Address<Cache>),
    /// Of a hash map.
    Plain(Address<PlainCache>),
}

/// The same for each kind.
macro_rules! call {
    ($stripe:expr, $store:ident => $asked:expr) => {
        match $stripe {
            Stripe::Graph($store) => $asked,
            Stripe::Plain($store) => $asked,
        }
    };
}

impl Stripe {
    /// An empty store of that kind.
    #[must_use]
    pub fn open(system: &System, kind: Kind, pages: Pages, capacity: usize) -> Stripe {
        match kind {
            Kind::Graph => Stripe::Graph(Cache::spawn(system, pages, capacity)),
            Kind::Plain => Stripe::Plain(system.spawn(PlainCache::new(pages, capacity))),
        }
    }

    /// Requests a page. `asked` is the current time since the system began.
    ///
    /// # Errors
    ///
    /// The store has ended.
    pub async fn get(&self, title: u64, asked: Duration) -> Result<Served, AskError> {
        call!(self, store => store.get(title, asked).ask().await)
    }

    /// As if these titles had been requested; returns the number of entries.
    ///
    /// # Errors
    ///
    /// The store has ended.
    pub fn fill(&self, titles: Vec<u64>) -> Result<usize, AskError> {
        call!(self, store => store.fill(titles).ask_blocking())
    }

    /// The counts.
    ///
    /// # Errors
    ///
    /// The store has ended.
    pub async fn ledger(&self) -> Result<Ledger, AskError> {
        call!(self, store => store.ledger().ask().await)
    }

    /// Walks its whole list.
    ///
    /// # Errors
    ///
    /// The store has ended.
    pub async fn walk(&self) -> Result<Walk, AskError> {
        call!(self, store => store.walk().ask().await)
    }
}
