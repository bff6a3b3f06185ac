//! The heap's collections compared with those of `std`: random operations, under stress, with
//! elements of many kinds.

mod kinds;
mod maps;
mod ordered;
mod panics;
mod sequences;
mod text;
mod weak_map;

use fastrand::Rng;
use kinds::assert_all_ended;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use vivant_heap::{Heap, Mutator, Pacing, PageSource, Root, Stress, When};

/// A collection of the heap and one of `std`, side by side.
trait Pair {
    type State: Root;
    /// Applies a random operation to both.
    fn operate<'gc>(
        &mut self,
        m: &Mutator<'gc>,
        state: &mut <Self::State as Root>::Of<'gc>,
        random: &mut Rng,
    );
    /// Panics if they differ.
    fn compare<'gc>(&self, state: &<Self::State as Root>::Of<'gc>);
}

/// The number of turns, and the number of operations in each.
struct Effort {
    turns: usize,
    operations: usize,
}

const EFFORT: Effort = match cfg!(miri) {
    true => Effort {
        turns: 5,
        operations: 6,
    },
    false => Effort {
        turns: 80,
        operations: 30,
    },
};

fn pacing(random: &mut Rng, seed: u64) -> Pacing {
    let mut pacing = Pacing::default();
    pacing.nursery = 1 << (8 + random.usize(..10));
    pacing.first = 1 << (8 + random.usize(..10));
    pacing.growth = 1.0 + random.usize(..20) as f64 / 10.0;
    let when = [When::Paced, When::Young, When::All, When::Chance];
    let stress = Stress::new(when[random.usize(..9).min(3)], seed);
    pacing.stress = Some(match random.usize(..3) {
        0 => stress.refusing(20),
        _ => stress,
    });
    pacing
}

/// Runs one pair under stress. An operation that fails for lack of memory has changed nothing.
fn run<P: Pair>(
    mut pair: P,
    seed: u64,
    new: impl for<'gc> FnOnce(&Mutator<'gc>) -> <P::State as Root>::Of<'gc>,
) {
    let mut random = Rng::with_seed(seed);
    let source = Arc::new(PageSource::new());
    let pacing = pacing(&mut random, seed);
    let mut heap = Heap::<P::State>::new(&source, pacing, new);
    for _ in 0..EFFORT.turns {
        heap.turn(|m, state| {
            for _ in 0..random.usize(..EFFORT.operations) {
                let operation = catch_unwind(AssertUnwindSafe(|| {
                    pair.operate(m, state, &mut random);
                }));
                if let Err(panic) = operation {
                    let says = panic.downcast_ref::<String>().map_or("", String::as_str);
                    assert!(says.starts_with("no memory"), "{says}");
                }
            }
            pair.compare(state);
        });
        match random.usize(..10) {
            0 => heap.collect(),
            1 => heap.sweep(),
            2 | 3 => heap.collect_young(),
            4 => heap.rest(),
            _ => heap.pace(),
        }
        heap.turn(|_, state| pair.compare(state));
    }
    heap.collect();
    heap.sweep();
    heap.turn(|_, state| pair.compare(state));
    drop(heap);
    assert_eq!(source.stats().pages, 0);
    assert_all_ended();
}

/// A program here takes as long as 100 other tests: if a test run requests many seeds, it uses
/// fewer here.
const LONG: u64 = 100;

/// Runs a test with many seeds.
fn with_seeds(test: impl Fn(u64) + std::panic::RefUnwindSafe) {
    let number = |name| -> Option<u64> { std::env::var(name).ok()?.parse().ok() };
    let seeds = match number("VIVANT_SEED") {
        Some(seed) => seed..seed + 1,
        None => match number("VIVANT_SEEDS") {
            Some(seeds) => 0..(seeds / LONG).max(1),
            None => 0..if cfg!(miri) { 1 } else { 2 },
        },
    };
    for seed in seeds {
        if let Err(panic) = catch_unwind(|| test(seed)) {
            eprintln!("VIVANT_SEED={seed} fails");
            std::panic::resume_unwind(panic);
        }
    }
}
