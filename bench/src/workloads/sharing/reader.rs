//! A reader: looks things up in versions of a map, as fast as it can.

use crate::latency::Latencies;
use crate::workloads::keyed::mixed;
use std::cell::Cell;
use std::collections::VecDeque;
use std::time::Instant;
use vivant::heap::{Leaf, val};
use vivant::prelude::*;

/// Versions that are kept.
const KEPT: usize = 16;

/// Look-ups of a turn.
const LOOK_UPS: u64 = 16;

#[derive(Actor)]
pub(super) struct ReaderState<'gc> {
    kept: VecDeque<val::Map<'gc, u64, u64>>,
    seen: Leaf<Seen>,
    reads: Reads,
}

/// What readers have seen.
pub(super) struct Seen {
    pub(super) versions: u64,
    pub(super) looked: u64,
    /// Look-ups that found what is right.
    pub(super) found: u64,
    /// From the end of its look-ups to the beginning of its next ones.
    pub(super) waits: Latencies,
    /// From the end of any reader's look-ups on a thread to the beginning of the next look-ups
    /// there, of any reader.
    pub(super) gaps: Latencies,
    /// When it last looked something up.
    last: Option<Instant>,
}

thread_local! {
    /// The time of the last look-up on this thread.
    static LAST: Cell<Option<Instant>> = const { Cell::new(None) };
}

impl Default for Seen {
    fn default() -> Self {
        Seen {
            versions: 0,
            looked: 0,
            found: 0,
            waits: Latencies::new(),
            gaps: Latencies::new(),
            last: None,
        }
    }
}

impl Seen {
    pub(super) fn add(&mut self, other: &Seen) {
        self.versions += other.versions;
        self.looked += other.looked;
        self.found += other.found;
        self.waits.extend(&other.waits);
        self.gaps.extend(&other.gaps);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    NotYet,
    Now,
    NoMore,
}

vivant::heap::leaf!([] Reads);

#[behaviours]
impl<'gc> ReaderState<'gc> {
    #[start]
    pub(super) fn new() -> Self {
        ReaderState {
            kept: VecDeque::new(),
            seen: Leaf(Seen::default()),
            reads: Reads::NotYet,
        }
    }

    /// A new version.
    pub(super) fn read(&mut self, t: &Turn<'gc, Reader>, map: val::Map<'gc, u64, u64>) {
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(map);
        self.seen.0.versions += 1;
        if self.reads == Reads::NotYet {
            self.reads = Reads::Now;
            t.send(t.me().look_up());
        }
    }

    fn look_up(&mut self, t: &Turn<'gc, Reader>) {
        let (Some(map), Reads::Now) = (self.kept.back(), self.reads) else {
            return;
        };
        let seen = &mut self.seen.0;
        let now = Instant::now();
        if let Some(last) = seen.last {
            seen.waits.record(now - last);
        }
        if let Some(last) = LAST.get() {
            seen.gaps.record(now - last);
        }
        let entries = map.len() as u64;
        for number in seen.looked..seen.looked + LOOK_UPS {
            let key = mixed(number.wrapping_add(1)) % entries;
            let value = map.get(&key).copied().unwrap_or(u64::MAX);
            seen.found += u64::from(value & 0xFFFF_FFFF == key);
        }
        seen.looked += LOOK_UPS;
        let now = Some(Instant::now());
        seen.last = now;
        LAST.set(now);
        t.send(t.me().look_up());
    }

    /// Answers with what it has seen.
    pub(super) fn stop(&mut self) -> Seen {
        self.reads = Reads::NoMore;
        std::mem::take(&mut self.seen.0)
    }

    /// Gives up all versions.
    pub(super) fn forget(&mut self) {
        self.kept.clear();
    }
}
