//! A stripe: the address of a store, however that is built.

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

    /// A page. `asked` is when this is said, as time since the system began.
    ///
    /// # Errors
    ///
    /// The store has ended, or did not answer within the limit.
    pub async fn get(
        &self,
        title: u64,
        asked: Duration,
        limit: Duration,
    ) -> Result<Served, AskError> {
        call!(self, store => store.get(title, asked).ask().within(limit).await)
    }

    /// As if these had been asked for; how many entries there are then.
    ///
    /// # Errors
    ///
    /// The store has ended.
    pub fn fill(&self, titles: Vec<u64>) -> Result<usize, AskError> {
        call!(self, store => store.fill(titles).ask_blocking())
    }

    /// What it counts.
    ///
    /// # Errors
    ///
    /// The store has ended.
    pub async fn ledger(&self) -> Result<Ledger, AskError> {
        call!(self, store => store.ledger().ask().await)
    }

    /// Goes through its whole list.
    ///
    /// # Errors
    ///
    /// The store has ended.
    pub async fn walk(&self) -> Result<Walk, AskError> {
        call!(self, store => store.walk().ask().await)
    }
}
