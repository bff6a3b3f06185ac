//! The run word of an actor: who holds it, and what it was told meanwhile (see `cell/README.md`).
//!
//! | bits | meaning |
//! |---|---|
//! | 0–1 | `IDLE` nobody holds the actor · `QUEUED` it lies in one run queue · `HELD` one worker holds it |
//! | 2 | `AGAIN`: a message arrived while it was held |
//! | 3… | signals: what must be looked at before the next message |
//!
//! All transitions are read-modify-writes of this one word, so they are totally ordered, and each says what its caller
//! must do. Nobody else shifts these bits.

use crate::sync::{AtomicU32, Ordering};

const PLACE: u32 = 0b11;
const IDLE: u32 = 0;
const QUEUED: u32 = 1;
const HELD: u32 = 2;
const AGAIN: u32 = 1 << 2;
const SIGNALS: u32 = !(PLACE | AGAIN);

/// Things an actor is told outside its mailbox. They are taken ahead of messages, also by a muted actor.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Signals(u32);

impl Signals {
    /// End before the next message.
    pub(crate) const STOP: Signals = Signals(1 << 3);
    /// The system shuts down: end before the next message.
    pub(crate) const SHUTDOWN: Signals = Signals(1 << 4);
    /// The last address is gone.
    pub(crate) const UNREFERENCED: Signals = Signals(1 << 5);
    /// The actor that muted this one has recovered.
    pub(crate) const UNMUTE: Signals = Signals(1 << 6);

    pub(crate) fn has(self, other: Signals) -> bool {
        self.0 & other.0 != 0
    }
}

/// What somebody who told an actor something must do.
#[must_use = "an actor that is not enqueued will never run"]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Told {
    /// The actor was idle and is now marked queued: put it into a run queue.
    Enqueue,
    /// It lies in a queue or is held; its holder will see.
    Nothing,
}

/// How a run ended.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Parked {
    /// Nobody holds the actor now; the caller must not touch it any more.
    Yes,
    /// Something arrived: the caller still holds the actor and must look again, first at these signals.
    Again(Signals),
}

pub(crate) struct RunWord(AtomicU32);

impl RunWord {
    /// A new actor is idle: its first message enqueues it.
    pub(crate) fn new() -> Self {
        RunWord(AtomicU32::new(IDLE))
    }

    /// A message was pushed into an empty inbox.
    pub(crate) fn notify(&self) -> Told {
        self.tell(AGAIN)
    }

    /// Raises `signal`.
    pub(crate) fn signal(&self, signal: Signals) -> Told {
        self.tell(signal.0)
    }

    fn tell(&self, bits: u32) -> Told {
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let idle = word & PLACE == IDLE;
            let next = if idle {
                word | QUEUED | bits
            } else {
                word | bits
            };
            // Release: pairs with the Acquire of `hold`, `look` and `park`; what was pushed before is seen after them.
            // The exchange is made even if no bit changes: a holder that parks must be ordered before or after it.
            match self
                .0
                .compare_exchange_weak(word, next, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) => return if idle { Told::Enqueue } else { Told::Nothing },
                Err(now) => word = now,
            }
        }
    }

    /// A worker took the actor out of a run queue: it holds it now.
    pub(crate) fn hold(&self) -> Signals {
        // Acquire: pairs with the Release of `tell`, and with that of `park`/`requeue` by the last holder, whose writes
        // to the actor's state are visible from here on (T1).
        let old = self.0.swap(HELD, Ordering::Acquire);
        debug_assert_eq!(
            old & PLACE,
            QUEUED,
            "a worker took an actor that was not queued"
        );
        Signals(old & SIGNALS)
    }

    /// Between two turns: takes the signals that came since. One load when there are none.
    pub(crate) fn look(&self) -> Signals {
        if self.0.load(Ordering::Relaxed) & SIGNALS == 0 {
            return Signals::default();
        }
        // Acquire: pairs with the Release of `tell`.
        Signals(self.0.fetch_and(!SIGNALS, Ordering::Acquire) & SIGNALS)
    }

    /// The holder found nothing more to do and lets go, unless something arrived since it looked.
    pub(crate) fn park(&self) -> Parked {
        // Release: pairs with the Acquire of the next `hold`.
        match self
            .0
            .compare_exchange(HELD, IDLE, Ordering::Release, Ordering::Relaxed)
        {
            Ok(_) => Parked::Yes,
            Err(_) => {
                // Acquire: pairs with the Release of `tell`; the push that set `AGAIN` is visible to the next `take`.
                let old = self.0.swap(HELD, Ordering::Acquire);
                debug_assert_eq!(
                    old & PLACE,
                    HELD,
                    "an actor was parked by somebody who did not hold it"
                );
                Parked::Again(Signals(old & SIGNALS))
            }
        }
    }

    /// The holder's budget is spent: the actor goes back into a queue, which is the caller's to do.
    pub(crate) fn requeue(&self) {
        // Release: pairs with the Acquire of the next `hold`. `AGAIN` and signals stay for that holder.
        let old = self.0.fetch_sub(HELD - QUEUED, Ordering::Release);
        debug_assert_eq!(
            old & PLACE,
            HELD,
            "an actor was requeued by somebody who did not hold it"
        );
    }
}
