//! The same cache without a collector: a hash map from titles to slots, and a vector of slots that
//! refer to their neighbours by index.

use super::{Counts, Found, Html, Ledger, Served, Walk};
use crate::page::Pages;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use vivant::gc::FixedState;
use vivant::prelude::*;

/// A slot. A new entry reuses the slot of the evicted one.
#[derive(Debug)]
struct Slot {
    title: u64,
    html: Arc<str>,
    newer: Option<usize>,
    older: Option<usize>,
}

/// A cache in plain memory; see the [module](super). It uses the graph's hash function, not that of
/// `std`, so that only the memory differs.
#[derive(Actor, Debug)]
pub struct PlainCache {
    pages: Pages,
    capacity: usize,
    index: HashMap<u64, usize, FixedState>,
    slots: Vec<Slot>,
    newest: Option<usize>,
    oldest: Option<usize>,
    page_bytes: u64,
    evicted: u64,
    counts: Counts,
}

impl PlainCache {
    /// An empty cache for `capacity` entries.
    ///
    /// # Panics
    ///
    /// If the capacity is 0.
    #[must_use]
    pub fn new(pages: Pages, capacity: usize) -> PlainCache {
        assert!(capacity > 0, "the page that is served must have room");
        PlainCache {
            pages,
            capacity,
            index: HashMap::with_hasher(FixedState),
            slots: Vec::new(),
            newest: None,
            oldest: None,
            page_bytes: 0,
            evicted: 0,
            counts: Counts::default(),
        }
    }

    fn page(&mut self, title: u64) -> (Arc<str>, Found) {
        if let Some(&at) = self.index.get(&title) {
            if self.newest != Some(at) {
                self.unlink(at);
                self.link(at);
            }
            return (self.slots[at].html.clone(), Found::Hit);
        }
        let html: Arc<str> = self.pages.render(title).into();
        let slot = Slot {
            title,
            html: html.clone(),
            newer: None,
            older: None,
        };
        let at = match self.oldest {
            Some(oldest) if self.index.len() == self.capacity => {
                self.evict(oldest);
                self.slots[oldest] = slot;
                oldest
            }
            _ => {
                self.slots.push(slot);
                self.slots.len() - 1
            }
        };
        self.index.insert(title, at);
        self.page_bytes += html.len() as u64;
        self.link(at);
        (html, Found::Miss)
    }

    fn evict(&mut self, at: usize) {
        self.unlink(at);
        self.index.remove(&self.slots[at].title);
        self.page_bytes -= self.slots[at].html.len() as u64;
        self.evicted += 1;
    }

    fn link(&mut self, at: usize) {
        match self.newest {
            Some(newest) => self.slots[newest].newer = Some(at),
            None => self.oldest = Some(at),
        }
        self.slots[at].older = self.newest;
        self.newest = Some(at);
    }

    fn unlink(&mut self, at: usize) {
        let (newer, older) = (self.slots[at].newer.take(), self.slots[at].older.take());
        match newer {
            Some(newer) => self.slots[newer].older = older,
            None => self.newest = older,
        }
        match older {
            Some(older) => self.slots[older].newer = newer,
            None => self.oldest = newer,
        }
    }
}

#[behaviours]
impl PlainCache {
    /// Returns a page, and makes it the newest. `asked` is the time at which the request was sent,
    /// since the system began: it is for the statistics.
    pub fn get(&mut self, t: &Turn<Self>, title: u64, asked: Duration) -> Served {
        let begun = t.now();
        let (html, found) = self.page(title);
        let html = Html::Counted(html);
        self.counts.served(found, asked, begun, t.now());
        Served { html, found }
    }

    /// As if these titles had been requested, without counting them. Returns the number of entries.
    pub fn fill(&mut self, titles: Vec<u64>) -> usize {
        for title in titles {
            self.page(title);
        }
        self.index.len()
    }

    /// The counts.
    pub fn ledger(&self) -> Ledger {
        Ledger {
            capacity: self.capacity,
            entries: self.index.len(),
            page_bytes: self.page_bytes,
            evicted: self.evicted,
            counts: self.counts.clone(),
        }
    }

    /// Walks the whole list in both directions. The turn is long, so call it when no requests wait.
    pub fn walk(&self) -> Walk {
        let mut walk = Walk {
            in_index: self.index.len(),
            ..Walk::default()
        };
        let mut next = self.newest;
        while let Some(at) = next {
            let slot = &self.slots[at];
            walk.indexed += usize::from(self.index.get(&slot.title) == Some(&at));
            walk.page_bytes += slot.html.len() as u64;
            walk.newest_first.push(slot.title);
            next = slot.older;
        }
        next = self.oldest;
        while let Some(at) = next {
            walk.oldest_first.push(self.slots[at].title);
            next = self.slots[at].newer;
        }
        walk
    }
}
