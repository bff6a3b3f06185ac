//! `val::Vec`.

use super::kinds::{Kind, Nothing, Number, Reference, Text};
use super::{Pair, run, with_seeds};
use fastrand::Rng;
use std::marker::PhantomData;
use vivant_collections::val;
use vivant_heap::Mutator;

struct Sequences<E>(PhantomData<E>);

/// The number of elements added at once: more than the lowest nodes have in all.
const MANY: usize = if cfg!(miri) { 40 } else { 2600 };

impl<E: Kind> Pair for Sequences<E> {
    type Of<'gc> = val::Vec<'gc, E::Of<'gc>>;
    type Model = Vec<u64>;

    fn new<'gc>() -> Self::Of<'gc> {
        val::Vec::new()
    }

    fn update<'gc>(
        m: &Mutator<'gc>,
        versions: &[Self::Of<'gc>],
        models: &[Vec<u64>],
        random: &mut Rng,
    ) -> (Self::Of<'gc>, Vec<u64>) {
        let place = random.usize(..versions.len());
        let (mut vec, mut model) = (versions[place], models[place].clone());
        let size = size_of::<E::Of<'_>>();
        let mut next = || {
            if size == 0 {
                0
            } else {
                random.usize(..1 << 20) as u64
            }
        };
        let (number, choice, many) = (next(), random.usize(..8), random.usize(..MANY));
        let len = model.len();
        match choice {
            0 => {
                let numbers: Vec<u64> = (0..many as u64)
                    .map(|at| if size == 0 { 0 } else { at })
                    .collect();
                vec = vec.extend(m, numbers.iter().map(|number| E::make(m, *number)));
                model.extend(numbers);
            }
            1 => {
                vec = vec.truncate(m, many);
                model.truncate(many);
            }
            2 => {
                vec = val::Vec::from_iter(m, model.iter().map(|number| E::make(m, *number)));
            }
            3 if len > 0 => {
                for _ in 0..many % 50 {
                    let popped = vec.pop(m);
                    assert_eq!(popped.map(|(last, _)| E::number(last)), model.pop());
                    vec = popped.map_or(vec, |(_, rest)| rest);
                }
            }
            4 | 5 if len > 0 => {
                vec = vec.set(m, many % len, E::make(m, number));
                model[many % len] = number;
            }
            _ => {
                for _ in 0..many % 70 {
                    vec = vec.push(m, E::make(m, number));
                    model.push(number);
                }
            }
        }
        (vec, model)
    }

    fn compare(vec: Self::Of<'_>, model: &Vec<u64>) {
        vec.verify().unwrap();
        assert_eq!(vec.len(), model.len());
        assert!(vec.iter().map(E::number).eq(model.iter().copied()));
        assert!(
            vec.iter()
                .rev()
                .map(E::number)
                .eq(model.iter().rev().copied())
        );
        let steps = model.len().div_ceil(100).max(1);
        for (at, number) in model.iter().enumerate().step_by(steps) {
            assert_eq!(vec.get(at).map(E::number), Some(*number));
        }
        assert!(vec.get(model.len()).is_none());
        let mut both = vec.iter();
        for left in (1..=model.len()).rev().take(100) {
            assert_eq!(both.len(), left);
            match left % 3 {
                0 => both.next_back(),
                _ => both.next(),
            };
        }
    }
}

#[test]
fn seeded_vectors_are_those_of_std() {
    with_seeds(run::<Sequences<Number>>);
    with_seeds(run::<Sequences<Reference>>);
    with_seeds(run::<Sequences<Text>>);
    with_seeds(run::<Sequences<Nothing>>);
}

#[test]
#[cfg_attr(miri, ignore = "many elements")]
fn a_high_tree_grows_by_one_and_shrinks_by_many() {
    use std::sync::Arc;
    use vivant_heap::{Heap, Pacing, PageSource};
    root!(State = val::Vec<'gc, u64>);
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<State>::new(&source, Pacing::default(), |_| val::Vec::new());
    heap.turn(|m, vec| {
        *vec = val::Vec::from_iter(m, 0..32 * 32 * 32 - 1);
        vec.verify().unwrap();
    });
    for number in 32 * 32 * 32 - 1..32 * 32 * 32 + 70 {
        heap.turn(|m, vec| *vec = vec.push(m, number));
    }
    heap.turn(|m, vec| {
        vec.verify().unwrap();
        assert!(vec.iter().copied().eq(0..32 * 32 * 32 + 70));
        for len in [
            32 * 32 * 32 + 1,
            32 * 32 * 32,
            32 * 32 * 31 + 5,
            32 * 32 + 31,
            32 * 32,
            33,
            32,
            31,
            0,
        ] {
            let first = vec.truncate(m, len);
            first.verify().unwrap();
            assert!(first.iter().copied().eq(0..len as u64));
            let longer = first.extend(m, len as u64..40_000);
            longer.verify().unwrap();
            assert!(longer.iter().copied().eq(0..40_000));
        }
    });
}
