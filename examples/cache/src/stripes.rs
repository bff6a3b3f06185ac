//! Stripes: one cache, or several that share the titles among them.

use crate::audit::Audit;
use crate::page::Pages;
use crate::popularity::Popularity;
use crate::store::{Kind, Ledger, Stripe};
use fastrand::Rng;
use std::sync::Arc;
use vivant::HeapFacts;
use vivant::prelude::*;

/// Titles of one filling message.
const FILL_TITLES: usize = 1024;
/// Limit of the titles drawn to fill a cache, in multiples of the number of titles: there may be
/// fewer titles than the cache has room for.
const FILL_DRAWS_MAX: u64 = 8;

/// The parameters of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The implementation.
    pub kind: Kind,
    /// The capacity of all stripes together.
    pub capacity: usize,
    /// The number of stripes.
    pub stripes: usize,
    /// Its pages.
    pub pages: Pages,
}

/// A cache.
#[derive(Clone, Debug)]
pub struct Stripes {
    settings: Settings,
    stores: Arc<[Stripe]>,
}

impl Stripes {
    /// An empty cache. Each stripe has its share of the capacity, and room for one page at least.
    #[must_use]
    pub fn open(system: &System, settings: Settings) -> Stripes {
        let stripes = settings.stripes.max(1);
        let (capacity, pages) = (settings.capacity.div_ceil(stripes).max(1), settings.pages);
        let store = |_| Stripe::open(system, settings.kind, pages, capacity);
        Stripes {
            settings,
            stores: (0..stripes).map(store).collect(),
        }
    }

    /// The parameters.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// The store of a title.
    #[must_use]
    pub fn of(&self, title: u64) -> &Stripe {
        &self.stores[self.stripe(title)]
    }

    /// All stores.
    #[must_use]
    pub fn all(&self) -> &[Stripe] {
        &self.stores
    }

    fn stripe(&self, title: u64) -> usize {
        let hash = title.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        hash as usize % self.stores.len()
    }

    /// Fills the cache, as requests would: until it is full, and then with half as many more, so
    /// that its order is that after many requests. Returns the number of entries.
    ///
    /// # Errors
    ///
    /// A store has ended.
    pub fn fill(&self, popularity: &Popularity, seed: u64) -> Result<usize, AskError> {
        let mut chance = Rng::with_seed(seed);
        let mut entries = vec![0; self.stores.len()];
        let (mut drawn, mut more) = (0, self.settings.capacity as u64 / 2);
        while drawn < FILL_DRAWS_MAX * popularity.titles() {
            let mut titles = vec![Vec::new(); self.stores.len()];
            for _ in 0..FILL_TITLES {
                let title = popularity.draw(&mut chance);
                titles[self.stripe(title)].push(title);
            }
            drawn += FILL_TITLES as u64;
            for ((store, titles), entries) in self.stores.iter().zip(titles).zip(&mut entries) {
                *entries = store.fill(titles)?;
            }
            if entries.iter().sum::<usize>() >= self.settings.capacity {
                match more.checked_sub(FILL_TITLES as u64) {
                    Some(fewer) => more = fewer,
                    None => break,
                }
            }
        }
        Ok(entries.iter().sum())
    }

    /// The counts of all stripes.
    ///
    /// # Errors
    ///
    /// One has ended.
    pub async fn ledger(&self) -> Result<Ledger, AskError> {
        let mut all = Ledger::default();
        for store in self.stores.iter() {
            let one = store.ledger().await?;
            all.capacity += one.capacity;
            all.entries += one.entries;
            all.page_bytes += one.page_bytes;
            all.evicted += one.evicted;
            all.counts.add(&one.counts);
        }
        Ok(all)
    }

    /// Audits each stripe. There should be no requests for pages meanwhile.
    ///
    /// # Errors
    ///
    /// One has ended.
    pub async fn audit(&self, system: &System) -> Result<Audit, AskError> {
        let mut audit = Audit::default();
        for store in self.stores.iter() {
            let walk = store.walk().await?;
            audit.add(&store.ledger().await?, &walk);
        }
        audit.add_heaps(&heaps(system));
        Ok(audit)
    }
}

/// The statistics of the heaps of a system's actors.
#[must_use]
pub fn heaps(system: &System) -> Vec<HeapFacts> {
    let actors = system.inspect().actors;
    actors.iter().filter_map(|it| it.heap).collect()
}
