//! Attempts against the flag of `Mut` and its guards, and against evacuation.

use super::heap;
use fastrand::Rng;
use std::cell::Cell;
use std::collections::HashMap;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use vivant_heap::{Gc, Leaf, Mut, Object, Ref, RefMut};

/// A tree of `Mut`s in `Mut`s, which are moved into each other.
#[derive(Object, Default)]
struct Nest<'gc> {
    inner: Option<Box<Mut<Inner<'gc>>>>,
    array: [Mut<Inner<'gc>>; 2],
    either: Option<(Mut<Inner<'gc>>, bool)>,
    links: Vec<Gc<'gc, Mut<Nest<'gc>>>>,
}

#[derive(Object, Default)]
struct Inner<'gc> {
    number: Option<Gc<'gc, Mut<u64>>>,
}

root!(Nests = Vec<Gc<'gc, Mut<Nest<'gc>>>>);

/// `Mut`s that are parts are exchanged, taken out and made objects of their own, old and young: no
/// flag and no reference is lost.
#[test]
fn cells_are_moved_in_and_out_of_objects_of_all_ages() {
    let mut heap = heap::<Nests>(|m| (0..8).map(|_| m.alloc(Mut::default())).collect());
    let mut random = Rng::with_seed(7);
    // The expected number at each place.
    let mut expected: HashMap<(usize, usize), u64> = HashMap::new();
    for round in 0..if cfg!(miri) { 20 } else { 3000 } {
        let (one, other) = (random.usize(..8), random.usize(..8));
        let place = random.usize(..2);
        let number = round as u64;
        heap.turn(|m, nests| {
            let new = || Inner {
                number: Some(m.alloc(Mut::new(number))),
            };
            match random.usize(..4) {
                0 => {
                    nests[one].borrow_mut(m).array[place] = Mut::new(new());
                    expected.insert((one, place), number);
                }
                1 if one != other => {
                    let (mut one_, mut other_) =
                        (nests[one].borrow_mut(m), nests[other].borrow_mut(m));
                    mem::swap(&mut one_.array[place], &mut other_.array[place]);
                    let numbers = [(one, place), (other, place)].map(|at| expected.remove(&at));
                    expected.extend(numbers[0].map(|n| ((other, place), n)));
                    expected.extend(numbers[1].map(|n| ((one, place), n)));
                }
                2 => {
                    // Taken out, written as an object of its own, and put back.
                    let taken = mem::take(&mut nests[one].borrow_mut(m).array[place]);
                    let object = m.alloc(taken);
                    object.borrow_mut(m).number = Some(m.alloc(Mut::new(number)));
                    let inner = object.take(m);
                    nests[one].borrow_mut(m).array[place].get_mut().number = inner.number;
                    expected.insert((one, place), number);
                }
                _ => {
                    let mut nest = nests[one].borrow_mut(m);
                    let nest = &mut *nest;
                    let boxed = nest.inner.get_or_insert_default();
                    mem::swap(&mut **boxed, &mut nest.array[place]);
                    let either = nest.either.get_or_insert_default();
                    mem::swap(&mut either.0, &mut nest.array[place]);
                    mem::swap(&mut **boxed, &mut nest.array[place]);
                    mem::swap(&mut either.0, &mut **boxed);
                    mem::swap(&mut nest.array[place], &mut either.0);
                    mem::swap(&mut either.0, &mut **boxed);
                    let now = nest.array[place]
                        .get_mut()
                        .number
                        .map(|number| number.get());
                    match now {
                        Some(now) => expected.insert((one, place), now),
                        None => expected.remove(&(one, place)),
                    };
                }
            }
        });
        match random.usize(..4) {
            0 => heap.collect_young(),
            1 => heap.collect(),
            _ => {}
        }
        heap.turn(|m, nests| {
            for (at, nest) in nests.iter().enumerate() {
                for place in 0..2 {
                    let mut nest = nest.borrow_mut(m);
                    let number = nest.array[place]
                        .get_mut()
                        .number
                        .map(|number| number.get());
                    assert_eq!(number, expected.get(&(at, place)).copied(), "{round}");
                }
            }
        });
    }
}

root!(Halves = Gc<'gc, Mut<(Vec<u64>, Option<Gc<'gc, Mut<u64>>>)>>);

/// Guards that were split and forgotten, one half or both, in objects of all ages, around a panic.
#[test]
fn halves_of_borrows_are_forgotten() {
    let mut heap = heap::<Halves>(|m| m.alloc(Mut::new((Vec::new(), None))));
    for round in 0..12_u64 {
        let panics = AssertUnwindSafe(|| {
            heap.turn(|m, halves| {
                let whole = halves.borrow_mut(m);
                let (mut one, mut other) =
                    RefMut::map_split(whole, |whole| (&mut whole.0, &mut whole.1));
                one.push(round);
                *other = Some(m.alloc(Mut::new(round)));
                match round % 3 {
                    0 => mem::forget(one),
                    1 => mem::forget((one, other)),
                    _ => panic!("in the middle of a borrow"),
                }
            });
        });
        let panics = { panics };
        assert_eq!(catch_unwind(panics).is_err(), round % 3 == 2);
        match round % 4 {
            3 => heap.collect(),
            _ => heap.collect_young(),
        }
        heap.turn(|_, halves| {
            let (numbers, last) = &*halves.borrow();
            assert_eq!(numbers.len() as u64, round + 1);
            assert_eq!(last.unwrap().get(), round);
            // Shared borrows, of objects that are clean now.
            let guard = halves.borrow();
            mem::forget(Ref::map_split(Ref::clone(&guard), |whole| {
                (&whole.0, &whole.1)
            }));
        });
        heap.collect_young();
        heap.turn(|m, halves| _ = halves.try_borrow_mut(m));
        heap.collect_young();
    }
}

root!(Cells = (Vec<Gc<'gc, Leaf<Cell<u64>>>>, HashMap<u64, Gc<'gc, Mut<u64>>>));

/// Cells in leaves keep the values that were set in the turn in which they move.
#[test]
fn leaves_with_cells_move_as_they_are() {
    let mut heap = heap::<Cells>(|m| {
        let cells = (0..9).map(|n| m.alloc(Leaf(Cell::new(n)))).collect();
        (cells, (0..9).map(|n| (n, m.alloc(Mut::new(n)))).collect())
    });
    for round in 0..5 {
        heap.turn(|m, (cells, map)| {
            for (n, cell) in cells.iter().enumerate() {
                assert_eq!(cell.0.replace(cell.0.get() + 1), n as u64 + round);
                assert_eq!(map[&(n as u64)].replace(m, cell.0.get()), n as u64 + round);
            }
        });
        match round {
            3 => heap.collect(),
            _ => heap.collect_young(),
        }
    }
}
