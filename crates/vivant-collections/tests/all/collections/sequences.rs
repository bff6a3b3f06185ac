//! `gc::Vec` and `gc::VecDeque`.

use super::kinds::{Ending, Huge, Kind, Large, Nothing, Number, Reference};
use super::{Pair, run, unless_refused, with_seeds};
use fastrand::Rng;
use std::collections::VecDeque;
use std::marker::PhantomData;
use vivant_collections::gc;
use vivant_heap::{Mutator, Root};

struct Vectors<E>(Vec<u64>, u64, PhantomData<E>);

struct Queues<E>(VecDeque<u64>, u64, PhantomData<E>);

struct State<E>(PhantomData<E>);

impl<E: Kind> Root for State<Vectors<E>> {
    type Of<'gc> = gc::Vec<'gc, E::Of<'gc>>;
}

impl<E: Kind> Root for State<Queues<E>> {
    type Of<'gc> = gc::VecDeque<'gc, E::Of<'gc>>;
}

/// The next number of an element: small enough to be made by the element itself.
fn next<E: Kind>(last: &mut u64) -> u64 {
    *last += 1;
    if size_of::<E::Of<'_>>() == 0 {
        return 0;
    }
    *last
}

/// The number of elements to add at once.
fn many(random: &mut Rng) -> usize {
    match random.usize(..8) {
        0 if !cfg!(miri) => random.usize(..1500),
        0 => random.usize(..100),
        1 | 2 => random.usize(..40),
        _ => 1,
    }
}

impl<E: Kind> Pair for Vectors<E> {
    type State = State<Vectors<E>>;

    fn operate<'gc>(
        &mut self,
        m: &Mutator<'gc>,
        vec: &mut gc::Vec<'gc, E::Of<'gc>>,
        random: &mut Rng,
    ) {
        let len = self.0.len();
        let index = random.usize(..len + 1);
        match random.usize(..16) {
            0..6 => {
                for _ in 0..many(random) {
                    let number = next::<E>(&mut self.1);
                    vec.push(m, E::make(m, number));
                    self.0.push(number);
                }
            }
            6 | 7 => {
                for _ in 0..many(random) {
                    assert_eq!(vec.pop(m).as_ref().map(E::number), self.0.pop());
                }
            }
            8 => {
                let number = next::<E>(&mut self.1);
                vec.insert(m, index, E::make(m, number));
                self.0.insert(index, number);
            }
            9 => {
                let number = vec.remove(m, index).as_ref().map(E::number);
                assert_eq!(number, (index < len).then(|| self.0.remove(index)));
            }
            10 => {
                let number = vec.swap_remove(m, index).as_ref().map(E::number);
                assert_eq!(number, (index < len).then(|| self.0.swap_remove(index)));
            }
            11 if len > 0 => {
                let (one, other) = (random.usize(..len), random.usize(..len));
                vec.swap(m, one, other);
                self.0.swap(one, other);
            }
            12 => {
                let number = next::<E>(&mut self.1);
                let new = E::make(m, number);
                if let Some(element) = vec.get_mut(m, index) {
                    *element = new;
                    self.0[index] = number;
                }
            }
            13 if random.usize(..4) == 0 => {
                vec.truncate(m, index);
                self.0.truncate(index);
            }
            14 if random.usize(..4) == 0 => {
                let modulus = 2 + random.usize(..5) as u64;
                vec.retain(m, |element| E::number(element) % modulus != 1);
                self.0.retain(|number| number % modulus != 1);
            }
            15 if random.usize(..10) == 0 => {
                vec.clear();
                self.0.clear();
            }
            _ => {
                let mut numbers = self.0.iter_mut();
                for element in vec.iter_mut(m) {
                    let number = numbers.next().unwrap();
                    assert_eq!(E::number(element), *number);
                    let new = next::<E>(&mut self.1);
                    if let Some(made) = unless_refused(|| E::make(m, new)) {
                        *element = made;
                        *number = new;
                    }
                }
            }
        }
    }

    fn compare<'gc>(&self, vec: &gc::Vec<'gc, E::Of<'gc>>) {
        assert_eq!(vec.len(), self.0.len());
        assert!(vec.iter().map(E::number).eq(self.0.iter().copied()));
        assert_eq!(vec.last().map(E::number), self.0.last().copied());
        for index in [0, self.0.len() / 2, self.0.len()] {
            assert_eq!(vec.get(index).map(E::number), self.0.get(index).copied());
        }
    }
}

impl<E: Kind> Pair for Queues<E> {
    type State = State<Queues<E>>;

    fn operate<'gc>(
        &mut self,
        m: &Mutator<'gc>,
        queue: &mut gc::VecDeque<'gc, E::Of<'gc>>,
        random: &mut Rng,
    ) {
        let len = self.0.len();
        let index = random.usize(..len + 1);
        match random.usize(..16) {
            0..3 => {
                for _ in 0..many(random) {
                    let number = next::<E>(&mut self.1);
                    queue.push_back(m, E::make(m, number));
                    self.0.push_back(number);
                }
            }
            3..6 => {
                for _ in 0..many(random) {
                    let number = next::<E>(&mut self.1);
                    queue.push_front(m, E::make(m, number));
                    self.0.push_front(number);
                }
            }
            6 | 7 => {
                for _ in 0..many(random) {
                    let number = queue.pop_front(m).as_ref().map(E::number);
                    assert_eq!(number, self.0.pop_front());
                }
            }
            8 | 9 => {
                for _ in 0..many(random) {
                    let number = queue.pop_back(m).as_ref().map(E::number);
                    assert_eq!(number, self.0.pop_back());
                }
            }
            // A queue's use: an element is added at one end, another removed at the other.
            10 | 11 => {
                let back = random.usize(..2) == 0;
                for _ in 0..many(random) {
                    let number = next::<E>(&mut self.1);
                    let (new, gone) = match back {
                        true => {
                            queue.push_back(m, E::make(m, number));
                            self.0.push_back(number);
                            (queue.pop_front(m), self.0.pop_front())
                        }
                        false => {
                            queue.push_front(m, E::make(m, number));
                            self.0.push_front(number);
                            (queue.pop_back(m), self.0.pop_back())
                        }
                    };
                    assert_eq!(new.as_ref().map(E::number), gone);
                }
            }
            12 if len > 0 => {
                let (one, other) = (random.usize(..len), random.usize(..len));
                queue.swap(m, one, other);
                self.0.swap(one, other);
            }
            13 => {
                let number = next::<E>(&mut self.1);
                let new = E::make(m, number);
                if queue.replace(m, index, new).is_ok() {
                    self.0[index] = number;
                }
            }
            14 if random.usize(..3) == 0 => {
                let modulus = 2 + random.usize(..5) as u64;
                queue.retain(m, |element| E::number(element) % modulus != 1);
                self.0.retain(|number| number % modulus != 1);
            }
            15 if random.usize(..10) == 0 => {
                queue.clear();
                self.0.clear();
            }
            _ => {
                queue.truncate(m, index);
                self.0.truncate(index);
            }
        }
    }

    fn compare<'gc>(&self, queue: &gc::VecDeque<'gc, E::Of<'gc>>) {
        assert_eq!(queue.len(), self.0.len());
        assert!(queue.iter().map(E::number).eq(self.0.iter().copied()));
        let backwards = queue.iter().rev().map(E::number);
        assert!(backwards.eq(self.0.iter().rev().copied()));
        assert_eq!(queue.front().map(E::number), self.0.front().copied());
        assert_eq!(queue.back().map(E::number), self.0.back().copied());
    }
}

fn vectors<E: Kind>() {
    with_seeds(|seed| {
        run(Vectors::<E>(Vec::new(), 0, PhantomData), seed, |_| {
            gc::Vec::new()
        })
    });
}

fn queues<E: Kind>() {
    with_seeds(|seed| {
        run(Queues::<E>(VecDeque::new(), 0, PhantomData), seed, |_| {
            gc::VecDeque::new()
        });
    });
}

#[test]
fn seeded_vectors_are_those_of_std() {
    vectors::<Number>();
    vectors::<Reference>();
    vectors::<Nothing>();
    vectors::<Large>();
    vectors::<Huge>();
    vectors::<Ending>();
}

#[test]
fn seeded_queues_are_those_of_std() {
    queues::<Number>();
    queues::<Reference>();
    queues::<Nothing>();
    queues::<Large>();
    queues::<Huge>();
    queues::<Ending>();
}
