//! The persistent collections compared with those of `std`: random updates of many versions, under
//! stress, with elements of many kinds.

mod kinds;
mod maps;
mod ordered;
mod readers;
mod sequences;
mod text;

use crate::random_programs::{pacing, unless_refused, with_seeds};
use fastrand::Rng;
use std::marker::PhantomData;
use std::sync::Arc;
use vivant_heap::{Frozen, Heap, Mutator, PageSource, Root};

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
                let update = unless_refused(|| P::update(m, versions, &models, &mut random));
                if let Some((version, model)) = update {
                    P::compare(version, &model);
                    let place = random.usize(..versions.len());
                    versions[place] = version;
                    models[place] = model;
                }
            }
        });
        match random.usize(..8) {
            0 => heap.collect(),
            1 => heap.sweep(),
            2 => heap.collect_young(),
            3 => heap.return_nursery(),
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
