//! The race: the same orders through three implementations of the same book, in one thread.
//!
//! Each round runs all of them, each round starts with another one. A book that ends in another
//! state than the reference is a failure of the run, not a result.

use crate::books::{CountedBook, Digest, OrderBook, ReferenceBook, RegionBook, SlabBook};
use crate::flow::{Flow, Market};
use crate::order::{Answer, Order, Trade};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use strum::{IntoStaticStr, VariantArray};
use thiserror::Error;
use vivant::Pacing;
use vivant::heap::PageSource;

/// Number of orders executed while a region is open, where it is not opened for each.
const BATCH: usize = 64;
/// A large nursery, in bytes.
const NURSERY: usize = 4 << 20;

/// The parameters of the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Course {
    /// Orders of each run.
    pub orders: usize,
    /// Runs of each book.
    pub rounds: usize,
    /// Approximate number of resting orders.
    pub resting: usize,
    /// The seed of the orders.
    pub seed: u64,
}

/// A way to build a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
pub enum Entrant {
    /// A graph in a region, which is opened for each order.
    #[strum(serialize = "Gc in an Iso, opened for each order")]
    Graph,
    /// A graph in a region, which is opened for some orders at a time.
    #[strum(serialize = "Gc in an Iso, opened for 64 orders")]
    GraphInBatches,
    /// A graph in a region with a large nursery, in which most orders end before they are moved.
    #[strum(serialize = "Gc in an Iso, nursery of 4 MiB")]
    GraphWithRoom,
    /// `Rc<RefCell<…>>`.
    #[strum(serialize = "Rc<RefCell>")]
    Counted,
    /// Indices into slabs.
    #[strum(serialize = "slab")]
    Slab,
}

impl Entrant {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    fn run(self, source: &Arc<PageSource>, orders: &[Order], outputs: &mut Outputs) -> Lap {
        match self {
            Entrant::Graph => lap(RegionBook::new(source), one_by_one, orders, outputs),
            Entrant::GraphInBatches => lap(RegionBook::new(source), in_batches, orders, outputs),
            Entrant::GraphWithRoom => {
                let pacing = Pacing::new().nursery(NURSERY);
                lap(
                    RegionBook::paced(source, pacing),
                    one_by_one,
                    orders,
                    outputs,
                )
            }
            Entrant::Counted => lap(CountedBook::default(), one_by_one, orders, outputs),
            Entrant::Slab => lap(SlabBook::default(), one_by_one, orders, outputs),
        }
    }
}

/// One run of one book.
#[derive(Clone, Copy, Debug)]
struct Lap {
    /// All orders.
    took: Duration,
    /// Dropping the book with what rests in it.
    dropped: Duration,
    digest: Digest,
}

/// The results of the race.
#[derive(Clone, Debug)]
pub struct Race {
    /// The parameters.
    pub course: Course,
    /// The number of resting orders at the end.
    pub resting: usize,
    /// How many trades were made.
    pub trades: usize,
    /// The state that all came to.
    pub digest: Digest,
    /// By entrant.
    pub times: Vec<Times>,
}

/// The times of one entrant.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// The implementation.
    pub entrant: Entrant,
    /// An order, in the median run.
    pub median_ns: f64,
    /// An order, in the fastest run.
    pub least_ns: f64,
    /// Dropping the book, in the median run.
    pub dropped: Duration,
}

/// A book came to another state than the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the book by {} came to state {digest}, the reference to {expected}", entrant.name())]
pub struct WrongState {
    /// The implementation.
    pub entrant: Entrant,
    /// Its state.
    pub digest: Digest,
    /// The reference's state.
    pub expected: Digest,
}

/// Races.
///
/// # Errors
///
/// A book came to another state than the reference.
pub fn race(course: Course, mut progress: impl FnMut()) -> Result<Race, WrongState> {
    let market = Market {
        symbols: 1,
        traders: 16,
        resting: course.resting,
    };
    let orders: Vec<Order> = Flow::new(market, course.seed).take(course.orders).collect();
    let mut reference = ReferenceBook::default();
    let mut outputs = Outputs::default();
    one_by_one(&mut reference, &orders, &mut outputs);
    let expected = digest(&mut reference, &outputs);
    let trades = outputs.trades.len();
    let source = Arc::new(PageSource::new());
    let mut laps: Vec<Vec<Lap>> = vec![Vec::new(); Entrant::VARIANTS.len()];
    for round in 0..course.rounds {
        for number in 0..Entrant::VARIANTS.len() {
            let number = (round + number) % Entrant::VARIANTS.len();
            let entrant = Entrant::VARIANTS[number];
            let lap = entrant.run(&source, &orders, &mut outputs);
            if lap.digest != expected {
                let digest = lap.digest;
                return Err(WrongState {
                    entrant,
                    digest,
                    expected,
                });
            }
            laps[number].push(lap);
            progress();
        }
    }
    let times = Entrant::VARIANTS.iter().zip(laps);
    Ok(Race {
        course,
        resting: reference.resting().len(),
        trades,
        digest: expected,
        times: times
            .map(|(entrant, laps)| times_of(*entrant, laps, orders.len()))
            .collect(),
    })
}

fn times_of(entrant: Entrant, mut laps: Vec<Lap>, orders: usize) -> Times {
    let ns = |lap: &Lap| lap.took.as_nanos() as f64 / orders.max(1) as f64;
    laps.sort_by_key(|lap| lap.dropped);
    let dropped = laps.get(laps.len() / 2).map(|lap| lap.dropped);
    laps.sort_by_key(|lap| lap.took);
    Times {
        entrant,
        median_ns: laps.get(laps.len() / 2).map_or(0.0, ns),
        least_ns: laps.first().map_or(0.0, ns),
        dropped: dropped.unwrap_or_default(),
    }
}

/// The output of a book. Each run uses the same memory, so that only the book is measured.
#[derive(Debug, Default)]
struct Outputs {
    answers: Vec<Answer>,
    trades: Vec<Trade>,
}

type Ride<B> = fn(&mut B, &[Order], &mut Outputs);

fn lap<B: OrderBook>(mut book: B, ride: Ride<B>, orders: &[Order], outputs: &mut Outputs) -> Lap {
    outputs.answers.clear();
    outputs.trades.clear();
    let start = Instant::now();
    ride(&mut book, black_box(orders), outputs);
    let took = start.elapsed();
    let digest = digest(&mut book, outputs);
    let start = Instant::now();
    drop(book);
    Lap {
        took,
        dropped: start.elapsed(),
        digest,
    }
}

fn one_by_one<B: OrderBook>(book: &mut B, orders: &[Order], outputs: &mut Outputs) {
    for order in orders {
        let answer = book.apply(order, &mut outputs.trades);
        outputs.answers.push(answer);
    }
}

fn in_batches(book: &mut RegionBook, orders: &[Order], outputs: &mut Outputs) {
    for some in orders.chunks(BATCH) {
        book.apply_all(some, &mut outputs.trades, |answer| {
            outputs.answers.push(answer)
        });
    }
}

/// A digest of the output and the state of a book.
fn digest(book: &mut impl OrderBook, outputs: &Outputs) -> Digest {
    let mut digest = Digest::default();
    outputs.answers.iter().for_each(|answer| digest.add(answer));
    outputs.trades.iter().for_each(|trade| digest.add(trade));
    book.resting().iter().for_each(|rest| digest.add(rest));
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_come_to_one_state() {
        let course = Course {
            orders: 2_000,
            rounds: 2,
            resting: 100,
            seed: 3,
        };
        let mut laps = 0;
        let race = race(course, || laps += 1).unwrap();
        assert_eq!(laps, 2 * Entrant::VARIANTS.len());
        assert!(race.trades > 100 && race.resting > 10);
        let other = super::race(Course { seed: 4, ..course }, || ()).unwrap();
        assert_ne!(race.digest, other.digest);
    }
}
