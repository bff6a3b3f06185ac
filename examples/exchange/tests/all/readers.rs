//! Self-tests of the readers' checks: a version that is missing, doubled, or crossed.

use exchange::meter::Meter;
use exchange::reader::{Fault, Reader, ReaderLedger};
use exchange::shard::Version;
use vivant::heap::val;
use vivant::prelude::*;
use vivant::simulation::Simulation;

/// Publishes versions that the test chooses.
#[derive(Actor)]
struct PressState<'gc> {
    first: Val<'gc, Version<'gc>>,
}

#[behaviours]
impl<'gc> PressState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Press>) -> Self {
        let first = t.val(Version::empty(5));
        PressState { first }
    }

    /// A version with this number, highest bid and lowest ask.
    fn publish(&self, t: &Turn<'gc, Press>, to: Address<Reader>, number: u64, best: (u64, u64)) {
        let (bid, ask) = best;
        let version = t.val(Version {
            symbol: self.first.symbol,
            number,
            bids: val::OrdMap::new().insert(t, bid, 1),
            asks: val::OrdMap::new().insert(t, ask, 1),
        });
        t.send(to.read(version));
    }
}

fn ledger_after(versions: &[(u64, (u64, u64))]) -> ReaderLedger {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let reader = Reader::spawn(system, 3, system.spawn(Meter::new(1)));
    let press = Press::spawn(system);
    for (number, best) in versions {
        press.publish(reader.clone(), *number, *best).send();
    }
    simulation.run();
    reader.ledger().ask_blocking().expect("it lives")
}

#[test]
fn a_reader_reads_every_version() {
    let versions: Vec<_> = (1..=100).map(|number| (number, (99, 101))).collect();
    let ledger = ledger_after(&versions);
    assert_eq!(ledger.faults, []);
    assert_eq!(
        (ledger.reader, ledger.versions, ledger.look_ups),
        (3, 100, 200)
    );
    assert_eq!(ledger.last.into_iter().collect::<Vec<_>>(), [(5, 100)]);
}

#[test]
fn canary_a_version_that_is_missing_or_doubled_is_noticed() {
    let best = (99, 101);
    let ledger = ledger_after(&[(1, best), (3, best), (3, best), (4, best)]);
    let gap = |after, came| Fault::Gap {
        symbol: 5,
        after,
        came,
    };
    assert_eq!(ledger.faults, [gap(1, 3), gap(3, 3)]);
}

#[test]
fn canary_a_crossed_version_is_noticed() {
    let ledger = ledger_after(&[(1, (100, 101)), (2, (101, 101)), (3, (102, 101))]);
    let crossed = |number| Fault::Crossed { symbol: 5, number };
    assert_eq!(ledger.faults, [crossed(2), crossed(3)]);
}
