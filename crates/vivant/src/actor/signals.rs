//! Signals: notifications of an actor outside its mailbox (see `actor/README.md`).

use crate::phase::Parity;
use crate::sync::{AtomicU32, Ordering, fault};

/// A set of signals. Signals are handled before messages, also by a muted actor.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Signals(u32);

/// The number of a `HALT`, as far as a signal holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HaltNumber(u32);

impl HaltNumber {
    /// Whether this is the number that [`Signals::halt`] got.
    pub(crate) fn is_of(self, number: u64) -> bool {
        self == Signals::halt(number).halt_number()
    }

    /// The bits of that number that a signal holds.
    pub(crate) fn low_bits(self) -> u64 {
        u64::from(self.0)
    }
}

impl Signals {
    /// End before the next message.
    pub(crate) const STOP: Signals = Signals(1 << 0);
    /// The system shuts down: end before the next message.
    pub(crate) const SHUTDOWN: Signals = Signals(1 << 1);
    /// The actor that muted this one has recovered.
    pub(crate) const UNMUTE: Signals = Signals(1 << 2);
    /// Go down: the supervisor wants a new incarnation. Replaces a `START` that has not been taken.
    pub(crate) const HALT: Signals = Signals(1 << 3);
    /// Come up. Replaces a `HALT` that has not been taken.
    pub(crate) const START: Signals = Signals(1 << 4);

    /// No live actor can reach this one: end before the next message.
    pub(crate) const UNREACHABLE: Signals = Signals(1 << 5);
    /// A group mark waits for the heap: pause after the turn, so that it can be visited.
    pub(crate) const VISIT: Signals = Signals(1 << 6);
    /// The limit of a shutdown has passed: an actor that waits for its stop hook ends.
    pub(crate) const ABORT: Signals = Signals(1 << 7);

    /// The table of constraints has changed for this actor (`constraints/README.md`).
    pub(crate) const SYNCHRONIZE: Signals = Signals(1 << 8);

    /// The signals that end the actor, or its incarnation.
    const ENDING: Signals =
        Signals(Self::STOP.0 | Self::SHUTDOWN.0 | Self::HALT.0 | Self::UNREACHABLE.0);

    /// The bits above the signals: the number of the last `HALT`.
    const NUMBER_SHIFT: u32 = 9;
    const NUMBER: u32 = 0x7f << Signals::NUMBER_SHIFT;

    /// Returns a `HALT` with the low 7 bits of `number`, which the answer repeats: so that an
    /// answer to an earlier one is not taken for an answer to this one.
    pub(crate) fn halt(number: u64) -> Signals {
        Signals(Signals::HALT.0 | (number as u32) << Signals::NUMBER_SHIFT & Signals::NUMBER)
    }

    /// Returns the number of the `HALT` among these.
    pub(crate) fn halt_number(self) -> HaltNumber {
        HaltNumber(self.0 >> Signals::NUMBER_SHIFT)
    }

    /// Returns the bits that this signal replaces.
    fn replaces(self) -> u32 {
        if self.has(Signals::HALT) {
            Signals::START.0 | Signals::NUMBER
        } else if self.has(Signals::START) {
            Signals::HALT.0 | Signals::NUMBER
        } else {
            0
        }
    }

    /// Returns both signals. Neither replaces another.
    pub(crate) fn and(self, other: Signals) -> Signals {
        Signals(self.0 | other.0)
    }

    /// Returns these signals, raised after `earlier` ones.
    pub(crate) fn after(self, earlier: Signals) -> Signals {
        Signals(earlier.0 & !self.replaces() | self.0)
    }

    /// Returns true if one of them ends the actor, or its incarnation.
    pub(crate) fn end_incarnation(self) -> bool {
        self.has(Signals::ENDING)
    }

    pub(crate) fn has(self, other: Signals) -> bool {
        self.0 & other.0 != 0
    }
}

/// The signals that were raised and not yet taken, in one place for each parity of a phase (L1).
/// After raising a signal the caller notifies the inbox, so that the holder checks before it parks,
/// and so that a parked actor is enqueued.
pub(crate) struct SignalWord(AtomicU32);

/// Signals that were taken: those of both parities.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Raised(u32);

/// The shift of the signals of a parity.
fn shift(parity: Parity) -> u32 {
    match parity {
        Parity::Even => 0,
        Parity::Odd => u16::BITS,
    }
}

impl Raised {
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the signals that were raised in a phase of this parity.
    pub(crate) fn of(self, parity: Parity) -> Signals {
        Signals(self.0 >> shift(parity) & u32::from(u16::MAX))
    }
}

impl SignalWord {
    pub(crate) fn new() -> Self {
        SignalWord(AtomicU32::new(0))
    }

    /// Raises a signal, in a phase of this parity.
    pub(crate) fn raise(&self, signal: Signals, parity: Parity) {
        let shift = shift(parity);
        let (raised, replaced) = (signal.0 << shift, signal.replaces() << shift);
        // Release: pairs with the Acquire in `take`, for a holder that sees the signal before the
        // notification.
        if fault!(replaced == 0, ReplacesNothing => true) {
            self.0.fetch_or(raised, Ordering::Release);
            return;
        }
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let next = word & !replaced | raised;
            let release = fault!(Ordering::Release, ReplacementRelaxed => Ordering::Relaxed);
            fault!(ReplacementByALook => return self.0.store(next, release));
            match self
                .0
                .compare_exchange_weak(word, next, release, Ordering::Relaxed)
            {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
    }

    /// Returns true if there is a signal to take.
    pub(crate) fn is_raised(&self) -> bool {
        // Relaxed: a signal that must be seen here was raised before a notification that this
        // holder has acquired.
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Takes the signals raised since the last call. Costs one load when there are none.
    pub(crate) fn take(&self) -> Raised {
        // Relaxed: a signal that must be seen here was raised before a notification that this
        // holder has acquired.
        if self.0.load(Ordering::Relaxed) == 0 {
            return Raised::default();
        }
        // Acquire: pairs with the Release of `raise`.
        let acquire = fault!(Ordering::Acquire, HeardRelaxed => Ordering::Relaxed);
        Raised(self.0.swap(0, acquire))
    }

    /// Moves the signals of the other parity to this one. Returns them.
    pub(crate) fn move_to(&self, parity: Parity) -> Signals {
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let older = Raised(word).of(parity.other());
            if older == Signals::default() {
                return older;
            }
            let both = Raised(word).of(parity).after(older);
            // Release: the word goes on to publish what the raisers did before. Acquire: pairs
            // with their Release.
            match self.0.compare_exchange_weak(
                word,
                both.0 << shift(parity),
                Ordering::AcqRel,
                Ordering::Relaxed,
            ) {
                Ok(_) => return older,
                Err(now) => word = now,
            }
        }
    }
}
