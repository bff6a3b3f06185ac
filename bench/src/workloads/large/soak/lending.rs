//! Two actors that lend each other what never changes.

use super::{Outcome, Part};
use crate::failure::Failure;
use crate::workloads::large::chance::mixed;
use vivant::prelude::*;

/// A page of a book: its number determines its content, and the number of pages behind it.
#[derive(Object)]
struct Page<'gc> {
    number: u64,
    words: Val<'gc, [u64]>,
    next: Option<Val<'gc, Page<'gc>>>,
}

/// Pages of a book, and words of a page, at most.
const PAGES: u64 = 8;
const WORDS: u64 = 256;

fn words(number: u64) -> u64 {
    1 + (mixed(number) >> 20) % WORDS
}

fn pages(book: u64) -> u64 {
    1 + (mixed(book) >> 40) % PAGES
}

/// The book of this number: its pages have the numbers from eight times that on.
fn write<'gc>(t: &Turn<'gc, Lender>, book: u64) -> Val<'gc, Page<'gc>> {
    let page = |next, at| {
        let number = book * PAGES + at;
        let words = t.val_slice(vec![number; words(number) as usize]);
        Some(t.val(Page {
            number,
            words,
            next,
        }))
    };
    let first = (0..pages(book)).rev().fold(None, page);
    first.expect("a book has a page")
}

impl<'gc> Page<'gc> {
    fn is_whole(&self) -> bool {
        let right = self.words.len() as u64 == words(self.number);
        right && self.words.iter().all(|word| *word == self.number)
    }

    fn book(&self) -> u64 {
        self.number / PAGES
    }

    fn is_a_book(&self) -> bool {
        let (mut at, mut count) = (self, 1);
        let mut right = self.number.is_multiple_of(PAGES) && self.is_whole();
        while let Some(next) = at.next {
            let next = Val::as_ref(next);
            right &= next.number == at.number + 1 && next.is_whole();
            (at, count) = (next, count + 1);
        }
        right && count == pages(self.book())
    }
}

/// What its lender knows of a book. Only a tag leads to it, which goes with the book.
#[derive(Object)]
struct Slip {
    book: u64,
}

/// A book with its slip.
#[derive(Object, Clone, Copy)]
struct Loan<'gc> {
    book: Val<'gc, Page<'gc>>,
    slip: Tag<'gc, Slip>,
}

#[derive(Actor)]
struct LenderState<'gc> {
    /// Of the other one's, and of its own that have come back.
    held: gc::VecDeque<'gc, Loan<'gc>>,
    room: u64,
    other: Option<Address<Lender>>,
    written: u64,
    tally: Tally,
}

/// Books that went out and came in, and what was wrong.
#[derive(Clone, Copy, Default)]
struct Tally {
    sent: u64,
    taken: u64,
    wrong: u64,
}

vivant::heap::leaf!([] Tally);

#[behaviours]
impl<'gc> LenderState<'gc> {
    #[start]
    fn new(room: u64) -> Self {
        LenderState {
            held: gc::VecDeque::new(),
            room,
            other: None,
            written: 0,
            tally: Tally::default(),
        }
    }

    fn meet(&mut self, other: Address<Lender>) {
        self.other = Some(other);
    }

    /// Writes a number of books and sends them to the other actor.
    fn work(&mut self, t: &Turn<'gc, Lender>, count: u64) {
        for _ in 0..count {
            let book = self.written;
            self.written += 1;
            let slip = t.tag(t.alloc(Slip { book }));
            self.send(t, write(t, book), slip);
        }
    }

    /// Holds a book of the other one, or one of its own again; some of the other one's that were
    /// held for long go back.
    fn take(&mut self, t: &Turn<'gc, Lender>, book: Val<'gc, Page<'gc>>, slip: Tag<'gc, Slip>) {
        self.tally.taken += 1;
        self.look(t, Loan { book, slip });
        self.held.push_back(t, Loan { book, slip });
        if self.held.len() as u64 > self.room
            && let Some(oldest) = self.held.pop_front(t)
        {
            self.look(t, oldest);
            if !oldest.slip.is_mine(t) && mixed(oldest.book.number) & 3 == 0 {
                self.send(t, oldest.book, oldest.slip);
            }
        }
    }

    /// Answers when all that was sent to it before has come.
    fn nothing(&mut self) {}

    /// Answers with its tally, after a check of all books that it holds.
    fn end(&mut self, t: &Turn<'gc, Lender>) -> Tally {
        let held: Vec<_> = self.held.iter().copied().collect();
        held.into_iter().for_each(|loan| self.look(t, loan));
        self.tally
    }
}

impl<'gc> LenderState<'gc> {
    fn send(&mut self, t: &Turn<'gc, Lender>, book: Val<'gc, Page<'gc>>, slip: Tag<'gc, Slip>) {
        if let Some(other) = &self.other {
            t.send(other.take(book, slip));
            self.tally.sent += 1;
        }
    }

    fn look(&mut self, t: &Turn<'gc, Lender>, loan: Loan<'gc>) {
        let book = Val::as_ref(loan.book);
        let slip = loan.slip.open(t).ok();
        let own = slip.is_none_or(|slip| slip.book == book.book());
        self.tally.wrong += u64::from(!(own && book.is_a_book()));
    }
}

/// Books that each actor writes between two readings of the clock, and in a turn.
const COUNT: u64 = 200;
const A_TURN: u64 = 20;

/// Two lenders that hold as much as they can.
pub(super) struct Filled {
    lenders: [Address<Lender>; 2],
    ops: u64,
}

impl Filled {
    pub(super) fn fill(system: &System, room: u64) -> Result<Filled, Failure> {
        let lenders = [(); 2].map(|()| Lender::spawn(system, room));
        let [one, other] = &lenders;
        one.meet(other.clone()).ask_blocking()?;
        other.meet(one.clone()).ask_blocking()?;
        let mut filled = Filled { lenders, ops: 0 };
        while filled.ops < 3 * room {
            filled.go_on()?;
        }
        Ok(Filled { ops: 0, ..filled })
    }
}

impl Part for Filled {
    fn go_on(&mut self) -> Result<(), Failure> {
        for lender in &self.lenders {
            for _ in 0..COUNT / A_TURN {
                lender.work(A_TURN).ask_blocking()?;
            }
            self.ops += COUNT;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<Outcome, Failure> {
        // What was sent is there when its receiver answers; what that sends back, when the other
        // one does.
        for _ in 0..2 {
            for lender in &self.lenders {
                lender.nothing().ask_blocking()?;
            }
        }
        let [one, other] = &self.lenders;
        let (one, other) = (one.end().ask_blocking()?, other.end().ask_blocking()?);
        let lost = one.sent.abs_diff(other.taken) + other.sent.abs_diff(one.taken);
        Ok(Outcome {
            ops: self.ops,
            wrong: one.wrong + other.wrong + lost,
        })
    }
}
