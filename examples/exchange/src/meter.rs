//! The meter: measures when the last reader has read the effect of an order.

use crate::order::Symbol;
use example_load::Latency;
use std::collections::BTreeMap;
use std::time::Duration;
use vivant::prelude::*;

/// Combines the messages of shards and readers.
#[derive(Actor, Debug)]
pub struct Meter {
    readers: u32,
    open: BTreeMap<(Symbol, u64), Open>,
    measured: MeterLedger,
}

/// A version that not all readers are known to have read.
#[derive(Debug)]
struct Open {
    dues: Vec<Duration>,
    missing: u32,
    last: Duration,
}

/// A reader has read a version.
#[derive(Object, Clone, Copy, Debug, PartialEq, Eq)]
#[object(leaf)]
pub struct Seen {
    /// Of this instrument.
    pub symbol: Symbol,
    /// The version.
    pub number: u64,
    /// When.
    pub at: Duration,
}

/// The measurements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeterLedger {
    /// From the moment at which an order was due to the moment at which the last reader had read a
    /// version with it.
    pub latency: Latency,
    /// Versions that all readers have read.
    pub versions: u64,
    /// Versions that some reader has not read, or that were never published.
    pub open: u64,
}

impl Meter {
    /// A meter for `readers` readers.
    #[must_use]
    pub fn new(readers: u32) -> Meter {
        Meter {
            readers,
            open: BTreeMap::new(),
            measured: MeterLedger::default(),
        }
    }
}

#[behaviours]
impl Meter {
    /// A version was published, the first with the orders that were due then.
    pub fn published(&mut self, symbol: Symbol, number: u64, dues: Vec<Duration>) {
        let open = Open {
            dues,
            missing: self.readers,
            last: Duration::ZERO,
        };
        self.open.insert((symbol, number), open);
    }

    /// A reader has read these.
    pub fn seen(&mut self, seen: Vec<Seen>) {
        for Seen { symbol, number, at } in seen {
            let Some(open) = self.open.get_mut(&(symbol, number)) else {
                // The audit finds that reader's gap.
                continue;
            };
            open.last = open.last.max(at);
            open.missing -= 1;
            if open.missing > 0 {
                continue;
            }
            let latency = &mut self.measured.latency;
            for due in &open.dues {
                latency.record(open.last.saturating_sub(*due));
            }
            self.measured.versions += 1;
            self.open.remove(&(symbol, number));
        }
    }

    /// Tells what it has measured.
    pub fn ledger(&self) -> MeterLedger {
        MeterLedger {
            open: self.open.len() as u64,
            ..self.measured.clone()
        }
    }
}
