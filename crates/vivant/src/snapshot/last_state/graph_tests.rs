//! Actors with graphs that fail and begin with their last state.

use super::note_program::fails;
use super::tests::{Diary, Program};
use crate::OnPanic;
use crate::prelude::*;
use vivant_heap::{Gc, Mut, Object, Pacing, Stress, When};

/// A ring of books, of which one knows a reader.
#[derive(Object, crate::Saved)]
struct Book<'gc> {
    number: u64,
    next: Option<Gc<'gc, Mut<Book<'gc>>>>,
    reader: Option<Address<Diary>>,
}

#[derive(Actor)]
#[actor(saved, id = "last::Shelf", pacing = Pacing::new().stressed(Stress::new(When::All, 1)))]
pub(super) struct ShelfState<'gc> {
    first: Option<Gc<'gc, Mut<Book<'gc>>>>,
}

#[behaviours(id = "last::Shelf")]
impl<'gc> ShelfState<'gc> {
    #[start]
    pub(super) fn new() -> Self {
        ShelfState { first: None }
    }

    fn add(&mut self, t: &Turn<'gc, Shelf>, number: u64, reader: Option<Address<Diary>>) {
        let next = self.first.and_then(|first| first.borrow().next);
        let book = t.alloc(Mut::new(Book {
            number,
            next,
            reader,
        }));
        match self.first {
            Some(first) => first.borrow_mut(t).next = Some(book),
            None => {
                book.borrow_mut(t).next = Some(book);
                self.first = Some(book);
            }
        }
    }

    fn renumber(&mut self, t: &Turn<'gc, Shelf>) {
        for book in self.ring() {
            book.borrow_mut(t).number += 100;
        }
    }

    fn drops_all(&mut self) {
        self.first = None;
        fails();
    }

    fn numbers(&mut self, t: &Turn<'gc, Shelf>) -> Vec<u64> {
        let ring = self.ring();
        for reader in ring.iter().filter_map(|book| book.borrow().reader.clone()) {
            t.send(reader.write(9));
        }
        ring.iter().map(|book| book.borrow().number).collect()
    }
}

impl<'gc> ShelfState<'gc> {
    /// All books, the first one first.
    fn ring(&self) -> Vec<Gc<'gc, Mut<Book<'gc>>>> {
        let mut ring: Vec<_> = self.first.into_iter().collect();
        while let Some(next) = ring.last().and_then(|last| last.borrow().next)
            && !Gc::ptr_eq(next, ring[0])
        {
            ring.push(next);
        }
        ring
    }
}

#[test]
fn a_graph_is_restored() {
    let program = Program::new();
    let diary = program.diary();
    let shelf = program
        .tree
        .add(Shelf::child().on_panic(OnPanic::RestoreLast));
    for number in 1..=40 {
        let reader = (number == 20).then(|| diary.clone());
        shelf.add(number, reader).send();
    }
    program.simulation.run();
    program.snapshot();
    for round in 1..=3 {
        shelf.renumber().send();
        shelf.drops_all().send();
        program.simulation.run();
        let numbers = shelf.numbers().ask_blocking().expect("it lives");
        let expected: Vec<u64> = [1].into_iter().chain((2..=40).rev()).collect();
        assert_eq!(numbers, expected, "round {round}");
        // Changes of the restored heap are in the next image, whole or incremental.
        program.snapshot();
    }
    program.simulation.run();
    let lines = program.write(&diary, 2).expect("it lives");
    assert_eq!(lines, [1, 9, 9, 9, 2]);
}
