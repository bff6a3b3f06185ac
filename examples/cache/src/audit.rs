//! The audit: checks that a cache is consistent.
//!
//! - A1 It has no more entries than its capacity (L1).
//! - A2 Its list is the same in both directions (L3).
//! - A3 No title is in it twice.
//! - A4 Its index has the entries of the list, and no others (L3).
//! - A5 The pages have as many bytes as were counted at insertions and evictions.
//! - A6 Its heap has not much more than twice the bytes of its pages and entries: evicted pages
//!   were reclaimed.
//!
//! The load generator checks that each reply was the right page, and that hits and misses agree
//! with its own numbers. `tests/order.rs` checks after every request that the order is that of a
//! simple list.

use crate::store::{Ledger, Walk};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use thiserror::Error;
use vivant::HeapFacts;

/// Bound of the size of a page's object, in page lengths: block sizes are rounded up, and a large
/// object has whole memory pages.
const ROUNDED_TIMES: u64 = 2;
/// Bound of the bytes of an entry and its place in the index.
const ENTRY_BYTES: u64 = 256;
/// A heap is marked at twice its live size after the last mark.
const GROWTH: u64 = 2;
/// Bytes that a heap may have even when it is empty.
const HEAP_BYTES: u64 = 4 << 20;

/// The result of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    /// Entries that were checked.
    pub entries: u64,
    /// The bytes of their pages.
    pub page_bytes: u64,
    /// The findings.
    pub findings: Vec<Finding>,
}

/// A finding of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
pub enum Finding {
    /// A1: more entries than the capacity.
    #[error("{entries} entries where {capacity} may be")]
    TooMany {
        /// The number of entries.
        entries: u64,
        /// And the capacity.
        capacity: u64,
    },
    /// A2: the backward list differs, from this position on.
    #[error("the list is another one backwards, at {at}")]
    Torn {
        /// Counted from the newest.
        at: u64,
    },
    /// A3: a title is in the list twice.
    #[error("title {title} is in the list twice")]
    Twice {
        /// Which.
        title: u64,
    },
    /// A4: the index is not that of the list.
    #[error("the index has {in_index} entries, {indexed} of the {listed} that the list has")]
    Index {
        /// Entries of the list that the index leads to.
        indexed: u64,
        /// Entries of the list.
        listed: u64,
        /// Entries of the index.
        in_index: u64,
    },
    /// A5: the counted bytes are not those of the pages.
    #[error("{counted} bytes of pages were counted, {there} are there")]
    Bytes {
        /// Those that were counted.
        counted: u64,
        /// Those that are there.
        there: u64,
    },
    /// A6: the heaps are larger than their bound.
    #[error("{live} bytes live in heaps that need {bound} at most")]
    Memory {
        /// Bytes of their objects.
        live: u64,
        /// The bound, in bytes.
        bound: u64,
    },
}

impl Audit {
    /// Checks one store.
    pub fn add(&mut self, ledger: &Ledger, walk: &Walk) {
        let listed = walk.newest_first.len();
        if listed > ledger.capacity {
            self.findings.push(Finding::TooMany {
                entries: listed as u64,
                capacity: ledger.capacity as u64,
            });
        }
        let back = walk.oldest_first.iter().rev();
        let same = walk
            .newest_first
            .iter()
            .zip(back)
            .take_while(|(a, b)| a == b);
        let same = same.count();
        if same < listed.max(walk.oldest_first.len()) {
            self.findings.push(Finding::Torn { at: same as u64 });
        }
        let mut met = BTreeSet::new();
        let twice = walk
            .newest_first
            .iter()
            .filter(|title| !met.insert(**title));
        self.findings
            .extend(twice.map(|title| Finding::Twice { title: *title }));
        if walk.indexed != listed || walk.in_index != listed {
            self.findings.push(Finding::Index {
                indexed: walk.indexed as u64,
                listed: listed as u64,
                in_index: walk.in_index as u64,
            });
        }
        if ledger.page_bytes != walk.page_bytes {
            self.findings.push(Finding::Bytes {
                counted: ledger.page_bytes,
                there: walk.page_bytes,
            });
        }
        self.entries += listed as u64;
        self.page_bytes += walk.page_bytes;
    }

    /// Checks the heaps of all stores that were added.
    pub fn add_heaps(&mut self, heaps: &[HeapFacts]) {
        self.add_live(heaps.iter().map(|it| it.live).sum(), heaps.len() as u64);
    }

    /// As [`Audit::add_heaps`], for `live` bytes in `heaps` heaps.
    pub fn add_live(&mut self, live: u64, heaps: u64) {
        let needed = ROUNDED_TIMES * self.page_bytes + ENTRY_BYTES * self.entries;
        let bound = GROWTH * needed + HEAP_BYTES * heaps;
        if live > bound {
            self.findings.push(Finding::Memory { live, bound });
        }
    }

    /// Returns true if there is no finding.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.findings.is_empty()
    }
}
