//! The common part of both Rust peers' programs: sizes, arithmetic, the check, and the printed
//! line. The sizes and the arithmetic are those of our own `bndbuffer`, `logmap` and `ask_chain`.

use std::env;
use std::process::exit;
use std::time::Duration;

pub const PLACES: usize = 50;
pub const PRODUCERS: u64 = 40;
/// As many as producers, so that each takes as many items as a producer makes.
pub const CONSUMERS: u64 = 40;
pub const ITEMS: u64 = 1_000;
pub const SERIES: u64 = 10;
pub const TERMS: u64 = 25_000;
pub const LINKS: u64 = 10;
pub const CHAINS: u64 = 100_000;

/// The command line: `bndbuffer THREADS COST`, `logmap THREADS` or `ask_chain THREADS`.
pub enum Workload {
    Bndbuffer { cost: u64 },
    Logmap,
    AskChain,
}

/// The workload, and the number of threads.
pub fn command() -> (Workload, usize) {
    let words: Vec<String> = env::args().skip(1).collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse().ok());
    match (words.first().map(String::as_str), number(1), number(2)) {
        (Some("bndbuffer"), Some(threads), Some(cost)) => {
            (Workload::Bndbuffer { cost }, threads as usize)
        }
        (Some("logmap"), Some(threads), None) => (Workload::Logmap, threads as usize),
        (Some("ask_chain"), Some(threads), None) => (Workload::AskChain, threads as usize),
        _ => {
            eprintln!("usage: bndbuffer THREADS COST | logmap THREADS | ask_chain THREADS");
            exit(2);
        }
    }
}

/// Prints `bench wall_s ops check` if the result is right; else the program fails.
pub fn tell(bench: &str, wall: Duration, ops: u64, expected: u64, got: u64) {
    if got != expected {
        eprintln!("{bench}: wrong result: it must be {expected} and is {got}");
        exit(1);
    }
    println!("{bench} {:.6} {ops} {got}", wall.as_secs_f64());
}

/// The work for an item: logarithms of the numbers of Savina's generator.
pub fn worked(term: f64, cost: u64) -> f64 {
    let mut state = cost;
    let terms = (0..(cost * 100).max(1)).map(|_| {
        state = (state * 1_309 + 13_849) & 65_535;
        (1.0 / (state + 1) as f64 + 0.01).ln()
    });
    term + terms.sum::<f64>()
}

/// An item, which is negative, as a number that adds up to the same in any order.
pub fn thousandths(item: f64) -> u64 {
    (item * -1_000.0).round() as u64
}

/// The sum of all items.
pub fn sum_of_items(cost: u64) -> u64 {
    let mut item = 0.0;
    let items = (0..ITEMS).map(|_| {
        item = worked(item, cost);
        thousandths(item)
    });
    PRODUCERS * items.sum::<u64>()
}

/// The rate of a series, and its first term.
pub fn beginning(series: u64) -> (f64, f64) {
    let offset = series as f64 * 0.0025;
    (3.46 + offset, offset)
}

pub fn next(rate: f64, term: f64) -> f64 {
    rate * term * (1.0 - term)
}

/// The sum of the last terms.
pub fn sum_of_terms() -> f64 {
    let last = |series| {
        let (rate, first) = beginning(series);
        (0..TERMS).fold(first, |term, _| next(rate, term))
    };
    (0..SERIES).map(last).sum()
}

/// A sum of terms as the check compares it.
pub fn trillionths(sum: f64) -> u64 {
    (sum * 1e12).round() as u64
}
