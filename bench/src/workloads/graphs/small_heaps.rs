//! Many actors with a few small objects each: the cost of a nearly empty heap.
//!
//! Protocol: our own. Each actor makes ten objects of two words and keeps them; all get a request
//! for the number of their objects, and are then dropped.
//!
//! Timed: from the making of the first actor to the last one's end. An operation is an actor.
//! `heap_bytes_per_actor` is the size of their heaps' pages when all exist, `bytes_per_actor` the
//! growth of the process: the whole cost of an actor.

use crate::prelude::*;
use crate::process;
use crate::workloads;
use vivant::heap::PAGE;
use vivant::prelude::*;

pub(in crate::workloads) const SMALL_HEAPS: Bench = Bench::new(
    Group::Graphs,
    "small_heaps",
    "actors with ten small objects each: their memory, their making and their end",
    &[Param::count("actors", 100_000, 200, "actors")],
    run,
);

const OBJECTS: u64 = 10;

#[derive(Object)]
struct Coin<'gc> {
    value: u64,
    below: Option<Gc<'gc, Coin<'gc>>>,
}

#[derive(Actor)]
struct PurseState<'gc> {
    coins: Option<Gc<'gc, Coin<'gc>>>,
}

#[behaviours]
impl<'gc> PurseState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Purse>) -> Self {
        let mut coins = None;
        for value in 1..=OBJECTS {
            let below = coins;
            coins = Some(t.alloc(Coin { value, below }));
        }
        PurseState { coins }
    }

    /// The sum of the values of its objects.
    fn sum(&self) -> u64 {
        let (mut at, mut sum) = (self.coins, 0);
        while let Some(coin) = at {
            sum += coin.value;
            at = coin.below;
        }
        sum
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let actors = run.count("actors");
    let system = run.system();
    let before = process::rss();
    let meter = Meter::start();
    let purses: Vec<_> = (0..actors).map(|_| Purse::spawn(&system)).collect();
    let sums: Vec<_> = purses.iter().map(|purse| purse.sum().ask()).collect();
    let sum = workloads::sum(&system, sums)?;
    let grown = process::rss().saturating_sub(before);
    let pages = system.inspect().heap_pages;
    drop(purses);
    let report = system.shutdown();
    let spent = meter.stop();
    let left = system.inspect().heap_pages;
    if !report.is_complete() || left > 0 {
        return Err(Failure::Wrong {
            what: "pages of heaps when all actors have ended",
            expected: 0,
            got: left as u64,
        });
    }
    let expected = actors * (OBJECTS * (OBJECTS + 1) / 2);
    let check = run.check("sum of all coins", expected, sum)?;
    let mut figures = Figures::new(spent, actors, check);
    figures.add("bytes_per_actor", grown / actors);
    figures.add("heap_bytes_per_actor", (pages * PAGE) as u64 / actors);
    Ok(vec![figures])
}
