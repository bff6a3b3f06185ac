//! The slot once more, with a bug of one's choice.

use super::{Cargo, Ends};
use crate::mailbox::pool;
use crate::sync::{AtomicU8, Ordering};
use std::cell::Cell;
use std::ptr::NonNull;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    None,
    AskingRelease,
    AskingAcquire,
    AnsweringRelease,
    AnsweringAcquire,
    LookRelaxed,
    BothFree,
    NeitherFrees,
    ByALook,
    DropSaysNothing,
}

pub(super) struct Copy(pub(super) Flaw);

const OPEN: u8 = 0;
const WANTED: u8 = 1;
const HERE: u8 = 2;

struct Block {
    state: AtomicU8,
    sink: Cell<Option<Cargo>>,
    /// `Some(None)`: it was refused.
    value: Cell<Option<Option<Cargo>>>,
}

pub(super) struct End {
    place: NonNull<Block>,
    flaw: Flaw,
}

impl End {
    fn block(&self) -> &Block {
        // SAFETY: the block is there until both ends have done their part; canaries that break this die in a process of
        // their own.
        unsafe { self.place.as_ref() }
    }

    fn says(&self, state: u8, weak: [Flaw; 2]) -> u8 {
        let order = match self.flaw {
            flaw if flaw == weak[0] => Ordering::Release,
            flaw if flaw == weak[1] => Ordering::Acquire,
            _ => Ordering::AcqRel,
        };
        if self.flaw == Flaw::ByALook {
            let before = self.block().state.load(Ordering::Acquire);
            self.block().state.store(state, Ordering::Release);
            return before;
        }
        self.block().state.swap(state, order)
    }

    /// This end is the second.
    fn opened(self) {
        let (sink, value) = (self.block().sink.take(), self.block().value.take());
        if self.flaw != Flaw::NeitherFrees {
            self.freed();
        }
        if let (Some(sink), Some(value)) = (sink, value) {
            sink.meets(value);
        }
    }

    fn freed(self) {
        // SAFETY: as in `block`.
        unsafe { pool::give(self.place) };
    }

    fn ends(self, is_second: bool) {
        if is_second {
            self.opened();
        } else if self.flaw == Flaw::BothFree {
            self.freed();
        }
    }

    fn asked(self) {
        let before = self.says(WANTED, [Flaw::AskingRelease, Flaw::AskingAcquire]);
        self.ends(before == HERE);
    }

    fn answered(self) {
        let before = self.says(HERE, [Flaw::AnsweringRelease, Flaw::AnsweringAcquire]);
        self.ends(before == WANTED);
    }

    fn brought(self, value: Option<Cargo>) {
        let acquire = if self.flaw == Flaw::LookRelaxed {
            Ordering::Relaxed
        } else {
            Ordering::Acquire
        };
        self.block().value.set(Some(value));
        if self.block().state.load(acquire) == WANTED {
            self.opened();
        } else {
            self.answered();
        }
    }
}

impl Ends for Copy {
    type Asking = End;
    type Answering = End;

    fn made(self) -> (End, End) {
        let place = pool::take::<Block>();
        // SAFETY: memory for this type that nobody else has.
        unsafe {
            place.write(Block {
                state: AtomicU8::new(OPEN),
                sink: Cell::new(None),
                value: Cell::new(None),
            });
        }
        let flaw = self.0;
        (End { place, flaw }, End { place, flaw })
    }
    fn wants(asking: End, then: Cargo) {
        asking.block().sink.set(Some(then));
        asking.asked();
    }
    fn leaves(asking: End) {
        asking.asked();
    }
    fn arrives(answering: End, value: Cargo) {
        answering.brought(Some(value));
    }
    fn is_refused(answering: End, value: Cargo) {
        drop(value);
        answering.brought(None);
    }
    fn breaks(answering: End) {
        if answering.flaw != Flaw::DropSaysNothing {
            answering.answered();
        }
    }
}
