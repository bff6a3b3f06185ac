//! Stripes: one cache, or several that share the titles among them.

use crate::audit::Audit;
use crate::page::Pages;
use crate::popularity::Popularity;
use crate::store::{Kind, Ledger, Stripe};
use fastrand::Rng;
use std::sync::Arc;
use vivant::HeapFacts;
use vivant::prelude::*;

/// How many titles are filled in by a message.
const FILL_TITLES: usize = 1024;
/// Titles are drawn to fill a cache no more often than so many times their number: there may be
/// fewer than the cache has room for.
const FILL_DRAWS_MAX: u64 = 8;

/// What a cache is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How it is built.
    pub kind: Kind,
    /// How many entries all stripes have together.
    pub capacity: usize,
    /// How many stripes there are.
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
    /// An empty one. Each stripe has its share of the capacity, and room for one page at least.
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

    /// What it is.
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

    /// Fills it, as requests would: until it is full, and then with half as many more, so that it
    /// is in the order that requests leave. Returns how many entries there are.
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

    /// What all stripes count.
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

    /// Audits each. Nobody should ask for pages meanwhile.
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

/// What is known of the heaps of a system's actors.
#[must_use]
pub fn heaps(system: &System) -> Vec<HeapFacts> {
    let actors = system.inspect().actors;
    actors.iter().filter_map(|it| it.heap).collect()
}
