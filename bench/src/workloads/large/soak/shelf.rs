//! A queue of things of all sizes, and weak references to them.

use super::{Outcome, Part};
use crate::failure::Failure;
use crate::workloads::large::chance::mixed;
use vivant::heap::{Leaf, Mutator, Weak};
use vivant::prelude::*;

/// A thing. Its number says what is in it.
#[derive(Object)]
struct Thing<'gc> {
    number: u64,
    words: Gc<'gc, [u64]>,
}

/// How many words a thing has: a few; one of 32 up to 1,024; one of 1,024 up to 65,536, which have
/// pages of their own.
fn words(number: u64) -> u64 {
    let chance = mixed(number);
    let most = match chance >> 40 & 1_023 {
        0 => 1 << 16,
        1..=32 => 1 << 10,
        _ => 1 << 6,
    };
    1 + (chance & 0xFFFF_FFFF) % most
}

impl<'gc> Thing<'gc> {
    fn new(m: &Mutator<'gc>, number: u64) -> Gc<'gc, Thing<'gc>> {
        let words = m.alloc_iter(number..number + words(number));
        m.alloc(Thing { number, words })
    }

    fn is_whole(&self) -> bool {
        let len = words(self.number);
        let ends = [self.words.first(), self.words.last()];
        self.words.len() as u64 == len
            && ends == [Some(&self.number), Some(&(self.number + len - 1))]
    }
}

/// What is on the shelf, by the plain numbers of things: at a number's slot the number and one, or
/// 0 when it has been taken down.
struct Numbers(Vec<u64>);

impl Numbers {
    fn slot(&self, number: u64) -> usize {
        (number % self.0.len() as u64) as usize
    }

    fn put(&mut self, number: u64) {
        let slot = self.slot(number);
        self.0[slot] = number + 1;
    }

    fn take(&mut self, number: u64) {
        let slot = self.slot(number);
        if self.0[slot] == number + 1 {
            self.0[slot] = 0;
        }
    }
}

#[derive(Actor)]
struct ShelfState<'gc> {
    things: gc::VecDeque<'gc, Gc<'gc, Thing<'gc>>>,
    /// The last thing of each slot, of which there are twice as many as things.
    known: gc::Vec<'gc, Option<Weak<'gc, Thing<'gc>>>>,
    numbers: Leaf<Numbers>,
    room: u64,
    /// The things it keeps for ever, if it is to leak.
    kept: Option<gc::Vec<'gc, Gc<'gc, Thing<'gc>>>>,
    next: u64,
    wrong: u64,
}

#[behaviours]
impl<'gc> ShelfState<'gc> {
    #[start]
    fn new(room: u64, leaks: bool) -> Self {
        ShelfState {
            things: gc::VecDeque::new(),
            known: gc::Vec::new(),
            numbers: Leaf(Numbers(vec![0; 2 * room as usize])),
            room,
            kept: leaks.then(gc::Vec::new),
            next: 0,
            wrong: 0,
        }
    }

    /// Puts a number of things on the shelf, and checks as many.
    fn work(&mut self, t: &Turn<'gc, Shelf>, count: u64) {
        for _ in 0..count {
            self.put(t);
            self.look(t);
        }
    }

    /// The number of errors, after a check of all things.
    fn end(&self) -> u64 {
        let broken = self.things.iter().filter(|it| !it.is_whole()).count() as u64;
        let short = u64::from(self.things.len() as u64 != self.room.min(self.next));
        self.wrong + broken + short
    }
}

impl<'gc> ShelfState<'gc> {
    /// A new one comes. If there is no room, the oldest goes; every fourth of the oldest stays for
    /// another round.
    fn put(&mut self, m: &Mutator<'gc>) {
        let number = self.next;
        self.next += 1;
        let thing = Thing::new(m, number);
        self.things.push_back(m, thing);
        let weak = Some(Weak::new(m, thing));
        match self.known.get_mut(m, self.numbers.0.slot(number)) {
            Some(slot) => *slot = weak,
            None => self.known.push(m, weak),
        }
        self.numbers.0.put(number);
        while self.things.len() as u64 > self.room {
            let Some(oldest) = self.things.pop_front(m) else {
                return;
            };
            if mixed(oldest.number + self.next) & 3 == 0 {
                self.things.push_back(m, oldest);
            } else {
                self.numbers.0.take(oldest.number);
                self.leak(m, oldest);
            }
        }
    }

    fn leak(&mut self, m: &Mutator<'gc>, thing: Gc<'gc, Thing<'gc>>) {
        if let Some(kept) = &mut self.kept
            && thing.number.is_multiple_of(LEAKED)
        {
            kept.push(m, thing);
        }
    }

    /// What is on the shelf is found by its weak reference; what is found is whole.
    fn look(&mut self, m: &Mutator<'gc>) {
        let at = (mixed(self.next) % self.known.len() as u64) as usize;
        let known = self.known.get(at).copied().flatten();
        let found = known.and_then(|weak| weak.upgrade(m));
        let right = match (self.numbers.0.0[at], found) {
            (0, found) => found.is_none_or(|thing| thing.is_whole()),
            (after, found) => found.is_some_and(|it| it.number + 1 == after && it.is_whole()),
        };
        self.wrong += u64::from(!right);
    }
}

/// A leak keeps one of this many things.
const LEAKED: u64 = 64;

/// Things that are put between two readings of the clock: half a mebibyte, approximately.
const COUNT: u64 = 1_000;

/// A turn's.
const A_TURN: u64 = 100;

/// A shelf without room.
pub(super) struct Filled {
    shelf: Address<Shelf>,
    ops: u64,
}

impl Filled {
    pub(super) fn fill(system: &System, room: u64, leaks: bool) -> Result<Filled, Failure> {
        let shelf = Shelf::spawn(system, room, leaks);
        let mut filled = Filled { shelf, ops: 0 };
        while filled.ops < 2 * room {
            filled.go_on()?;
        }
        Ok(Filled { ops: 0, ..filled })
    }
}

impl Part for Filled {
    fn go_on(&mut self) -> Result<(), Failure> {
        for _ in 0..COUNT / A_TURN {
            self.shelf.work(A_TURN).ask_blocking()?;
        }
        self.ops += COUNT;
        Ok(())
    }

    fn end(&mut self) -> Result<Outcome, Failure> {
        let wrong = self.shelf.end().ask_blocking()?;
        Ok(Outcome {
            ops: self.ops,
            wrong,
        })
    }
}
