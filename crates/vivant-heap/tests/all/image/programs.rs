//! Random programs, which are saved and restored between their turns.

use super::graph::{Branch, Comparison, Graph, Page, Pair};
use super::saved::SavedHeap;
use crate::seeds;
use fastrand::Rng;
use std::sync::Arc;
use vivant_heap::{Gc, Heap, Mut, Mutator, Pacing, PageSource, Stress, When};

const STEPS: usize = if cfg!(miri) { 12 } else { 60 };

#[test]
fn seeded_graphs_are_restored_as_they_were() {
    for seed in seeds::seeds(if cfg!(miri) { 1 } else { 12 }) {
        seeds::run(seed, || program(seed));
    }
}

fn program(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let source = Arc::new(PageSource::new());
    let pacing = match cfg!(miri) {
        true => Pacing::new(),
        false => any_pacing(&mut random, seed),
    };
    let mut heap = Heap::<Graph>::new(&source, pacing, |_| Vec::new());
    for _ in 0..STEPS {
        heap.turn(|m, graph| step(&mut random, m, graph));
        heap.pace();
        if random.u8(..10) == 0 {
            heap.collect();
        }
        if random.u8(..8) != 0 {
            continue;
        }
        let saved = SavedHeap::of(&mut heap).expect("all is saved");
        let mut restored = saved
            .restored::<Graph>(&source, pacing)
            .expect("it is restored");
        heap.turn(|_, one| restored.turn(|_, other| Comparison::graphs(one, other)));
        // What died is not restored, so it is compared without that.
        heap.collect();
        restored.collect();
        let again = SavedHeap::of(&mut restored).expect("all is saved");
        let before = SavedHeap::of(&mut heap).expect("all is saved");
        assert_eq!(
            sorted(&again),
            sorted(&before),
            "another name for an object"
        );
        if random.bool() {
            heap = restored;
        }
    }
    drop(heap);
    assert_eq!(source.stats().pages, 0);
}

/// A stress of any kind.
pub(super) fn any_pacing(random: &mut Rng, seed: u64) -> Pacing {
    let when = random.choice([
        When::Paced,
        When::Young,
        When::All,
        When::Chance,
        When::Concurrent,
    ]);
    Pacing::new().stressed(Stress::new(when.expect("one of five"), seed))
}

/// The state and the spans. The order of the spans means nothing.
pub(super) fn sorted(saved: &SavedHeap) -> (&[u8], Vec<&Vec<u8>>) {
    let mut spans: Vec<_> = saved.spans.iter().collect();
    spans.sort_unstable();
    (&saved.state, spans)
}

/// Makes some objects, and changes some references.
pub(super) fn step<'gc>(
    random: &mut Rng,
    m: &Mutator<'gc>,
    graph: &mut Vec<Gc<'gc, Mut<Branch<'gc>>>>,
) {
    let mut all = graph.clone();
    for _ in 0..random.usize(1..20) {
        let any = |random: &mut Rng| random.choice(&all).copied();
        let pair = random.bool().then(|| {
            let before = any(random).and_then(|it| it.borrow().pair);
            let numbers = match before.filter(|_| random.bool()) {
                Some(before) => before.numbers,
                None => m.alloc(Mut::new(vec![random.u64(..); random.usize(..5)])),
            };
            m.alloc(Pair {
                label: "x".repeat(random.usize(..40)),
                left: before,
                right: any(random),
                numbers,
            })
        });
        let row = match any(random).filter(|_| random.bool()) {
            Some(other) => other.borrow().row,
            None => {
                let length = match random.u8(..30) {
                    0 => random.usize(..2000),
                    _ => random.usize(..6),
                };
                m.alloc_iter((0..length).map(|_| pair.filter(|_| random.bool())))
            }
        };
        let page = random.bool().then(|| {
            let before = any(random).and_then(|it| it.borrow().page);
            m.val(Page {
                text: match before.filter(|_| random.bool()) {
                    Some(before) => before.text,
                    None => m.val_str(&"ö".repeat(random.usize(..40))),
                },
                numbers: m.val_slice(vec![random.u64(..); random.usize(..30)]),
                before,
            })
        });
        let branch = Branch {
            number: random.u64(..),
            text: m.alloc_str(&"ä".repeat(random.usize(..50))),
            to: (0..random.usize(..4)).filter_map(|_| any(random)).collect(),
            pair,
            row,
            bytes: m.alloc_slice(vec![random.u8(..); random.usize(..300)]),
            page,
        };
        all.push(m.alloc(Mut::new(branch)));
    }
    for _ in 0..random.usize(..10) {
        let (one, other) = (random.choice(&all), random.choice(&all));
        if let (Some(one), Some(other)) = (one, other) {
            let mut one = one.borrow_mut(m);
            match random.u8(..4) {
                0 => one.to.push(*other),
                1 => drop(one.to.pop()),
                2 => one.page = None,
                _ => one.pair = None,
            }
        }
    }
    random.shuffle(&mut all);
    all.truncate(random.usize(1..30));
    *graph = all;
}
