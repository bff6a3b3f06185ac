//! Readers of market data.

use crate::meter::{Meter, Seen};
use crate::order::{Price, Quantity, Symbol};
use crate::shard::Version;
use std::collections::{BTreeMap, VecDeque};
use std::mem;
use thiserror::Error;
use vivant::prelude::*;

/// Number of versions of each instrument that a reader keeps.
const KEPT_MAX: usize = 16;
/// Number of levels of each side that it reads.
const LEVELS_MAX: usize = 5;
/// Number of readings in one message to the meter.
const SEEN_MAX: usize = 64;
/// Number of faults that are kept verbatim.
const FAULTS_MAX: usize = 10;

/// A reader. It looks at every version, and keeps the last of them: pointers to what the shards
/// have made.
#[derive(Actor, Debug)]
pub struct ReaderState<'gc> {
    meter: Address<Meter>,
    followed: BTreeMap<Symbol, Followed<'gc>>,
    seen: Vec<Seen>,
    ledger: ReaderLedger,
}

/// An instrument.
#[derive(Object, Debug)]
struct Followed<'gc> {
    last: u64,
    kept: VecDeque<Kept<'gc>>,
}

/// A version, and what was read in it when it came.
#[derive(Object, Debug)]
struct Kept<'gc> {
    version: Val<'gc, Version<'gc>>,
    sum: u64,
}

impl Kept<'_> {
    /// Whether it reads otherwise now.
    fn has_changed(&self) -> bool {
        sum(&self.version).0 != self.sum
    }
}

/// A reader's record.
#[derive(Object, Clone, Debug, Default, PartialEq, Eq)]
#[object(leaf)]
pub struct ReaderLedger {
    /// Its number.
    pub reader: u32,
    /// The last version that it had of each instrument.
    pub last: BTreeMap<Symbol, u64>,
    /// Versions that it read.
    pub versions: u64,
    /// Levels that it looked at.
    pub look_ups: u64,
    /// The first faults.
    pub faults: Vec<Fault>,
}

/// A fault that a reader may find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// A version came that was not the next one.
    #[error("got version {came} of instrument {symbol} after version {after}")]
    Gap {
        /// The instrument.
        symbol: Symbol,
        /// The previous version.
        after: u64,
        /// The version that arrived.
        came: u64,
    },
    /// A bid is as high as an ask.
    #[error("read a crossed version, {number} of instrument {symbol}")]
    Crossed {
        /// The instrument.
        symbol: Symbol,
        /// The version.
        number: u64,
    },
    /// A version is not what it was when it came.
    #[error("had version {number} of instrument {symbol} while it changed")]
    Changed {
        /// The instrument.
        symbol: Symbol,
        /// The version.
        number: u64,
    },
}

#[behaviours]
impl<'gc> ReaderState<'gc> {
    #[start]
    /// A reader with this number.
    pub fn new(reader: u32, meter: Address<Meter>) -> Self {
        ReaderState {
            meter,
            followed: BTreeMap::new(),
            seen: Vec::new(),
            ledger: ReaderLedger {
                reader,
                ..ReaderLedger::default()
            },
        }
    }

    /// Reads a version.
    pub fn read(&mut self, t: &Turn<'gc, Reader>, version: Val<'gc, Version<'gc>>) {
        let Version { symbol, number, .. } = *version;
        let followed = self.followed.entry(symbol).or_insert_with(|| Followed {
            last: 0,
            kept: VecDeque::new(),
        });
        let mut faults = Vec::new();
        let after = mem::replace(&mut followed.last, number);
        if number != after + 1 {
            let came = number;
            faults.push(Fault::Gap {
                symbol,
                after,
                came,
            });
        }
        if version.is_crossed() {
            faults.push(Fault::Crossed { symbol, number });
        }
        let (sum, look_ups) = sum(&version);
        if followed.kept.len() == KEPT_MAX
            && let Some(oldest) = followed.kept.pop_front()
            && oldest.has_changed()
        {
            let number = oldest.version.number;
            faults.push(Fault::Changed { symbol, number });
        }
        followed.kept.push_back(Kept { version, sum });
        self.ledger.versions += 1;
        self.ledger.look_ups += look_ups;
        let room = FAULTS_MAX.saturating_sub(self.ledger.faults.len());
        self.ledger.faults.extend(faults.into_iter().take(room));
        let at = t.now();
        self.seen.push(Seen { symbol, number, at });
        if self.seen.len() == SEEN_MAX {
            self.report_to_meter(t);
        }
    }

    /// Returns its record; the meter has all readings by then.
    pub fn ledger(&mut self, t: &Turn<'gc, Reader>) -> ReaderLedger {
        self.report_to_meter(t);
        let last = |(symbol, followed): (&Symbol, &Followed<'gc>)| (*symbol, followed.last);
        ReaderLedger {
            last: self.followed.iter().map(last).collect(),
            ..self.ledger.clone()
        }
    }

    #[local]
    fn report_to_meter(&mut self, t: &Turn<'gc, Reader>) {
        t.send(self.meter.seen(mem::take(&mut self.seen)));
    }
}

/// The best levels of both sides as one number, and how many they are.
fn sum(version: &Version<'_>) -> (u64, u64) {
    let bids = version.bids.iter().rev().take(LEVELS_MAX);
    let asks = version.asks.iter().take(LEVELS_MAX);
    let add = |(sum, count): (u64, u64), (price, quantity): (&Price, &Quantity)| {
        (
            sum.wrapping_mul(31).wrapping_add(price * quantity),
            count + 1,
        )
    };
    bids.chain(asks).fold((version.number, 0), add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use vivant::Pacing;
    use vivant::heap::{Heap, PageSource, Root, val};

    struct Nothing;

    impl Root for Nothing {
        type Of<'gc> = ();
    }

    /// No program can change a version: so what was read in it is changed.
    #[test]
    fn canary_a_version_that_has_changed_is_noticed() {
        let source = Arc::new(PageSource::new());
        Heap::<Nothing>::new(&source, Pacing::new(), |m| {
            let version = m.val(Version {
                bids: val::OrdMap::new().insert(m, 99, 10),
                asks: val::OrdMap::new().insert(m, 101, 20),
                ..Version::empty(0)
            });
            let (sum, look_ups) = sum(&version);
            assert_eq!(look_ups, 2);
            assert!(!Kept { version, sum }.has_changed());
            let sum = sum + 1;
            assert!(Kept { version, sum }.has_changed());
        });
    }
}
