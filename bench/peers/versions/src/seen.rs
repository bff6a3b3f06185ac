//! The measurements of a reader.

use crate::map::Map;
use crate::{ENTRIES, LOOK_UPS, mixed};
use hdrhistogram::Histogram;
use std::cell::Cell;
use std::time::Instant;

pub struct Seen {
    pub versions: u64,
    pub looked: u64,
    /// Look-ups that found what is right.
    pub found: u64,
    /// Nanoseconds from the end of some look-ups to the beginning of the next.
    pub waits: Histogram<u64>,
    /// From the end of any reader's look-ups on a thread to the beginning of the next look-ups
    /// there, of any reader.
    pub gaps: Histogram<u64>,
    last: Option<Instant>,
}

thread_local! {
    /// The time of the last look-up on this thread.
    static LAST: Cell<Option<Instant>> = const { Cell::new(None) };
}

fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 3_600_000_000_000, 3).expect("three digits")
}

impl Default for Seen {
    fn default() -> Self {
        Seen {
            versions: 0,
            looked: 0,
            found: 0,
            waits: histogram(),
            gaps: histogram(),
            last: None,
        }
    }
}

impl Seen {
    pub fn add(&mut self, other: &Seen) {
        self.versions += other.versions;
        self.looked += other.looked;
        self.found += other.found;
        self.waits.add(&other.waits).expect("one range");
        self.gaps.add(&other.gaps).expect("one range");
    }

    pub fn look_up(&mut self, map: &impl Map) {
        let now = Instant::now();
        if let Some(last) = self.last {
            self.waits.saturating_record((now - last).as_nanos() as u64);
        }
        if let Some(last) = LAST.get() {
            self.gaps.saturating_record((now - last).as_nanos() as u64);
        }
        for number in self.looked..self.looked + LOOK_UPS {
            let key = mixed(number) % ENTRIES;
            let value = map.look(key).unwrap_or(u64::MAX);
            self.found += u64::from(value & 0xFFFF_FFFF == key);
        }
        self.looked += LOOK_UPS;
        let now = Some(Instant::now());
        self.last = now;
        LAST.set(now);
    }
}
