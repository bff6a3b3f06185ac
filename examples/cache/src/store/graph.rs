//! The cache as a graph in a collected heap.
//!
//! Entries refer to their neighbours, so the list is cyclic throughout, and the index refers to all
//! entries. An eviction relinks the entry's neighbours and drops the entry; there are no reference
//! counts. The evicted entry also clears its own references to its neighbours: it is an old object
//! by then, and a dead old object keeps its referents until a mark finds it dead.

use super::{Counts, Found, Html, Ledger, Served, Walk};
use crate::page::Pages;
use std::fmt;
use std::time::Duration;
use vivant::heap::Mutator;
use vivant::prelude::*;

/// An entry: a page, and the entries requested just before and just after it.
#[derive(Object)]
struct Entry<'gc> {
    title: u64,
    html: Val<'gc, str>,
    newer: Option<EntryRef<'gc>>,
    older: Option<EntryRef<'gc>>,
}

type EntryRef<'gc> = Gc<'gc, Mut<Entry<'gc>>>;

/// A cache as a graph; see the [module](super).
#[derive(Actor)]
#[actor(name = Cache)]
pub struct CacheState<'gc> {
    pages: Pages,
    capacity: usize,
    index: gc::HashMap<'gc, u64, EntryRef<'gc>>,
    newest: Option<EntryRef<'gc>>,
    oldest: Option<EntryRef<'gc>>,
    page_bytes: u64,
    evicted: u64,
    counts: Counts,
}

impl<'gc> CacheState<'gc> {
    /// L2: finds or renders a page, and makes it the newest.
    fn page(&mut self, m: &Mutator<'gc>, title: u64) -> (Val<'gc, str>, Found) {
        if let Some(&entry) = self.index.get(&title) {
            self.renew(m, entry);
            return (entry.borrow().html, Found::Hit);
        }
        if self.index.len() == self.capacity {
            self.evict(m);
        }
        let html = m.val_str(&self.pages.render(title));
        let entry = m.alloc(Mut::new(Entry {
            title,
            html,
            newer: None,
            older: None,
        }));
        self.index.insert(m, title, entry);
        self.page_bytes += html.len() as u64;
        self.link(m, entry);
        (html, Found::Miss)
    }

    fn renew(&mut self, m: &Mutator<'gc>, entry: EntryRef<'gc>) {
        if self.newest.is_some_and(|it| Gc::ptr_eq(it, entry)) {
            return;
        }
        self.unlink(m, entry);
        self.link(m, entry);
    }

    /// L1: makes room for one more entry.
    fn evict(&mut self, m: &Mutator<'gc>) {
        let Some(oldest) = self.oldest else {
            return;
        };
        self.unlink(m, oldest);
        let title = oldest.borrow().title;
        self.index.remove(m, &title);
        self.page_bytes -= oldest.borrow().html.len() as u64;
        self.evicted += 1;
    }

    /// Makes an entry the newest. It has no neighbours.
    fn link(&mut self, m: &Mutator<'gc>, entry: EntryRef<'gc>) {
        match self.newest {
            Some(newest) => newest.borrow_mut(m).newer = Some(entry),
            None => self.oldest = Some(entry),
        }
        entry.borrow_mut(m).older = self.newest;
        self.newest = Some(entry);
    }

    /// Takes an entry out of the list: links its neighbours to each other, and clears its own
    /// links.
    fn unlink(&mut self, m: &Mutator<'gc>, entry: EntryRef<'gc>) {
        let mut out = entry.borrow_mut(m);
        let (newer, older) = (out.newer.take(), out.older.take());
        drop(out);
        match newer {
            Some(newer) => newer.borrow_mut(m).older = older,
            None => self.newest = older,
        }
        match older {
            Some(older) => older.borrow_mut(m).newer = newer,
            None => self.oldest = newer,
        }
    }

    /// Titles along the list, from one end on.
    fn along(
        first: Option<EntryRef<'gc>>,
        next: impl Fn(&Entry<'gc>) -> Option<EntryRef<'gc>>,
        mut met: impl FnMut(EntryRef<'gc>),
    ) {
        let mut at = first;
        while let Some(entry) = at {
            met(entry);
            at = next(&entry.borrow());
        }
    }
}

impl fmt::Debug for CacheState<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cache({} of {})", self.index.len(), self.capacity)
    }
}

#[behaviours]
impl<'gc> CacheState<'gc> {
    #[start]
    /// An empty cache for `capacity` entries.
    ///
    /// # Panics
    ///
    /// If the capacity is 0.
    pub fn new(pages: Pages, capacity: usize) -> Self {
        assert!(capacity > 0, "the page that is served must have room");
        CacheState {
            pages,
            capacity,
            index: gc::HashMap::new(),
            newest: None,
            oldest: None,
            page_bytes: 0,
            evicted: 0,
            counts: Counts::default(),
        }
    }

    /// Returns a page, and makes it the newest. `asked` is the time at which the request was sent,
    /// since the system began: it is for the statistics.
    pub fn get(&mut self, t: &Turn<'gc, Cache>, title: u64, asked: Duration) -> Served {
        let begun = t.now();
        let (html, found) = self.page(t, title);
        let html = Html::Held(t.hold(html));
        self.counts.served(found, asked, begun, t.now());
        Served { html, found }
    }

    /// As if these titles had been requested, without counting them. Returns the number of entries.
    pub fn fill(&mut self, t: &Turn<'gc, Cache>, titles: Vec<u64>) -> usize {
        for title in titles {
            self.page(t, title);
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
        let older = |entry: &Entry<'gc>| entry.older;
        Self::along(self.newest, older, |entry| {
            let it = entry.borrow();
            let indexed = self.index.get(&it.title);
            walk.indexed += usize::from(indexed.is_some_and(|at| Gc::ptr_eq(*at, entry)));
            walk.page_bytes += it.html.len() as u64;
            walk.newest_first.push(it.title);
        });
        let newer = |entry: &Entry<'gc>| entry.newer;
        Self::along(self.oldest, newer, |entry| {
            walk.oldest_first.push(entry.borrow().title);
        });
        walk
    }
}
