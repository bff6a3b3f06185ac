//! The persistent collections compared with those of `std`: random updates of many versions, under
//! stress, with elements of many kinds.

mod kinds;
mod maps;
mod ordered;
mod readers;
mod sequences;
mod text;

use fastrand::Rng;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use vivant_heap::{Frozen, Heap, Mutator, Pacing, PageSource, Root, Stress, When};

/// A persistent collection, and one of `std`, of which each version is a copy.
trait Pair: 'static {
    type Of<'gc>: Frozen<'gc> + Copy;
    type Model: Clone + Default;
    fn new<'gc>() -> Self::Of<'gc>;
    /// Makes a version from another one, and does the same to a copy of its model.
    fn update<'gc>(
        m: &Mutator<'gc>,
        versions: &[Self::Of<'gc>],
        models: &[Self::Model],
        random: &mut Rng,
    ) -> (Self::Of<'gc>, Self::Model);
    /// Panics if they differ, or a rule is violated.
    fn compare(version: Self::Of<'_>, model: &Self::Model);
}

struct Versions<P>(PhantomData<P>);

impl<P: Pair> Root for Versions<P> {
    type Of<'gc> = Vec<P::Of<'gc>>;
}

/// The number of turns, of operations in each, and of versions that are kept.
struct Effort {
    turns: usize,
    updates: usize,
    versions: usize,
}

const EFFORT: Effort = match cfg!(miri) {
    true => Effort {
        turns: 4,
        updates: 5,
        versions: 3,
    },
    false => Effort {
        turns: 25,
        updates: 10,
        versions: 5,
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

/// Updates random versions; each result replaces a random version. An update that gets no memory
/// has changed nothing. Each turn checks all versions.
fn run<P: Pair>(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let source = Arc::new(PageSource::new());
    let pacing = pacing(&mut random, seed);
    let mut heap = Heap::<Versions<P>>::new(&source, pacing, |_| {
        (0..EFFORT.versions).map(|_| P::new()).collect()
    });
    let mut models = vec![P::Model::default(); EFFORT.versions];
    for _ in 0..EFFORT.turns {
        heap.turn(|m, versions| {
            for _ in 0..random.usize(..EFFORT.updates) {
                let update = catch_unwind(AssertUnwindSafe(|| {
                    P::update(m, versions, &models, &mut random)
                }));
                match update {
                    Ok((version, model)) => {
                        P::compare(version, &model);
                        let place = random.usize(..versions.len());
                        versions[place] = version;
                        models[place] = model;
                    }
                    Err(panic) => {
                        let says = panic.downcast_ref::<String>().map_or("", String::as_str);
                        assert!(says.starts_with("no memory"), "{says}");
                    }
                }
            }
        });
        match random.usize(..8) {
            0 => heap.collect(),
            1 => heap.sweep(),
            2 => heap.collect_young(),
            3 => heap.rest(),
            _ => heap.pace(),
        }
        if random.usize(..8) == 0 {
            heap.verify().unwrap();
        }
        heap.turn(|_, versions| {
            for (version, model) in versions.iter().zip(&models) {
                P::compare(*version, model);
            }
        });
    }
    heap.turn(|_, versions| versions.clear());
    heap.collect();
    heap.sweep();
    assert_eq!(heap.stats().live, 0);
    drop(heap);
    assert_eq!(source.stats().pages, 0);
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
