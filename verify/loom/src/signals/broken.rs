//! A copy of the signal word, with one planted bug.

use super::{Taken, Word};
use crate::runtime::signals::Signals;
use crate::sync::{AtomicU32, Ordering};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    None,
    /// The later signal is added to the earlier.
    ReplacesNothing,
    /// The exchange is a load and a store.
    LookAndStore,
    ExchangeRelaxed,
    TakeRelaxed,
}

pub(super) struct FlawedWord {
    word: AtomicU32,
    flaw: Flaw,
}

const HALT: u32 = 1;
const START: u32 = 2;
const UNMUTE: u32 = 4;

impl FlawedWord {
    pub(super) fn with(flaw: Flaw) -> FlawedWord {
        FlawedWord {
            word: AtomicU32::new(0),
            flaw,
        }
    }

    fn replace(&self, bit: u32, replaced: u32) {
        let order = match self.flaw {
            Flaw::ExchangeRelaxed => Ordering::Relaxed,
            _ => Ordering::Release,
        };
        let mut word = self.word.load(Ordering::Relaxed);
        if self.flaw == Flaw::LookAndStore {
            self.word.store(word & !replaced | bit, order);
            return;
        }
        while let Err(now) =
            self.word
                .compare_exchange_weak(word, word & !replaced | bit, order, Ordering::Relaxed)
        {
            word = now;
        }
    }
}

impl Word for FlawedWord {
    fn raise(&self, signal: Signals) {
        let (bit, replaced) = match signal {
            Signals::HALT => (HALT, START),
            Signals::START => (START, HALT),
            _ => (UNMUTE, 0),
        };
        if replaced == 0 || self.flaw == Flaw::ReplacesNothing {
            self.word.fetch_or(bit, Ordering::Release);
        } else {
            self.replace(bit, replaced);
        }
    }

    fn take(&self) -> Taken {
        let order = match self.flaw {
            Flaw::TakeRelaxed => Ordering::Relaxed,
            _ => Ordering::Acquire,
        };
        let word = match self.word.load(Ordering::Relaxed) {
            0 => 0,
            _ => self.word.swap(0, order),
        };
        Taken {
            halt: word & HALT != 0,
            start: word & START != 0,
            unmute: word & UNMUTE != 0,
        }
    }
}
