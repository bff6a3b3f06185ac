//! The run word once more, with a bug of one's choice. It knows one signal.

use super::Word;
use crate::runtime::state::{Parked, Signals, Told};
use crate::sync::{AtomicU32, Ordering};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    None,
    NotifyNobody,
    TellOnlyNews,
    TellRelaxed,
    ParkBlindly,
    AgainRelaxed,
    ParkRelaxed,
    EnqueueAlways,
    LookForgets,
}

pub(super) struct FlawedWord {
    word: AtomicU32,
    flaw: Flaw,
}

const PLACE: u32 = 0b11;
const IDLE: u32 = 0;
const QUEUED: u32 = 1;
const HELD: u32 = 2;
const AGAIN: u32 = 1 << 2;
const STOP: u32 = 1 << 3;

fn signals(word: u32) -> Signals {
    if word & STOP == 0 {
        Signals::default()
    } else {
        Signals::STOP
    }
}

impl FlawedWord {
    pub(super) fn with(flaw: Flaw) -> FlawedWord {
        let word = AtomicU32::new(IDLE);
        FlawedWord { word, flaw }
    }

    fn or(&self, flaw: Flaw, right: Ordering) -> Ordering {
        if self.flaw == flaw {
            Ordering::Relaxed
        } else {
            right
        }
    }

    fn tell(&self, bits: u32) -> Told {
        let release = self.or(Flaw::TellRelaxed, Ordering::Release);
        let mut word = self.word.load(Ordering::Relaxed);
        loop {
            let idle = word & PLACE == IDLE;
            let next = if idle {
                word | QUEUED | bits
            } else {
                word | bits
            };
            if self.flaw == Flaw::TellOnlyNews && next == word {
                return Told::Nothing;
            }
            let told = self
                .word
                .compare_exchange_weak(word, next, release, Ordering::Relaxed);
            match told {
                Ok(_) if idle || self.flaw == Flaw::EnqueueAlways => return Told::Enqueue,
                Ok(_) => return Told::Nothing,
                Err(now) => word = now,
            }
        }
    }
}

impl Word for FlawedWord {
    fn notify(&self) -> Told {
        if self.flaw == Flaw::NotifyNobody {
            return Told::Nothing;
        }
        self.tell(AGAIN)
    }

    fn signal(&self, _: Signals) -> Told {
        self.tell(STOP)
    }

    fn hold(&self) -> Signals {
        signals(self.word.swap(HELD, Ordering::Acquire))
    }

    fn look(&self) -> Signals {
        let old = self.word.fetch_and(!STOP, Ordering::Acquire);
        if self.flaw == Flaw::LookForgets {
            return Signals::default();
        }
        signals(old)
    }

    fn park(&self) -> Parked {
        let release = self.or(Flaw::ParkRelaxed, Ordering::Release);
        if self.flaw == Flaw::ParkBlindly {
            self.word.store(IDLE, release);
            return Parked::Yes;
        }
        let parked = self
            .word
            .compare_exchange(HELD, IDLE, release, Ordering::Relaxed);
        match parked {
            Ok(_) => Parked::Yes,
            Err(_) => {
                let acquire = self.or(Flaw::AgainRelaxed, Ordering::Acquire);
                Parked::Again(signals(self.word.swap(HELD, acquire)))
            }
        }
    }

    fn requeue(&self) {
        self.word.fetch_sub(HELD - QUEUED, Ordering::Release);
    }
}
