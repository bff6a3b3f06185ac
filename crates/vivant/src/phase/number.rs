//! Numbers of passes and phases, and the few bits of them that cells and messages have.

/// The number of a pass. Each phase has two: see [`Pass::walk`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Pass(u64);

/// A pass, and whether a pause of turns is asked for: what workers read in one step (L11).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PassWord(u64);

/// What a pass does with each actor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Walk {
    /// Captures it.
    Capture,
    /// Records the older messages that still wait for it.
    Mailbox,
}

/// The number of a cut.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Phase(u64);

/// The low bits of a pass, as an actor has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PassMark(u16);

/// The low bits of a phase, as a message has them. `Default`: a message that was never sent.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Stamp(u16);

/// Two bits are enough (L1). The tests use no more, so that they wrap.
const MASK: u64 = if cfg!(test) { 3 } else { u16::MAX as u64 };

impl Pass {
    /// The pass of a new system: the last one of phase 0, in which nothing was to be done.
    pub(crate) const FIRST: Pass = Pass(0);

    #[cfg(test)]
    pub(crate) fn new(number: u64) -> Pass {
        Pass(number)
    }

    pub(crate) fn number(self) -> u64 {
        self.0
    }

    #[cfg(test)]
    pub(crate) fn next(self) -> Pass {
        Pass(self.0 + 1)
    }

    /// The pass before.
    pub(super) fn before(self) -> Pass {
        Pass(self.0.saturating_sub(1))
    }

    pub(crate) fn walk(self) -> Walk {
        match self.0 % 2 {
            0 => Walk::Mailbox,
            _ => Walk::Capture,
        }
    }

    pub(crate) fn phase(self) -> Phase {
        Phase(self.0.div_ceil(2))
    }

    /// The lowest bit, by which the registry counts the actors of two passes (L1).
    pub(crate) fn parity(self) -> Parity {
        Parity::of(self.0)
    }

    pub(crate) fn mark(self) -> PassMark {
        PassMark((self.0 & MASK) as u16)
    }
}

impl PassWord {
    pub(super) const FIRST: PassWord = PassWord::of(Pass::FIRST);

    /// No pass has this bit in its number.
    const PAUSE: u64 = 1 << 63;

    /// Without a pause.
    pub(super) const fn of(pass: Pass) -> PassWord {
        PassWord(pass.0)
    }

    pub(super) fn new(number: u64) -> PassWord {
        PassWord(number)
    }

    pub(super) const fn number(self) -> u64 {
        self.0
    }

    pub(super) fn pass(self) -> Pass {
        Pass(self.0 & !Self::PAUSE)
    }

    pub(super) fn is_pausing(self) -> bool {
        self.0 & Self::PAUSE != 0
    }

    /// The same pass, with a pause.
    pub(super) fn pausing(self) -> PassWord {
        PassWord(self.0 | Self::PAUSE)
    }

    /// The next pass, with a pause if there is one.
    pub(super) fn next(self) -> PassWord {
        PassWord(self.0 + 1)
    }
}

impl Phase {
    pub(crate) fn number(self) -> u64 {
        self.0
    }

    pub(crate) fn stamp(self) -> Stamp {
        Stamp((self.0 & MASK) as u16)
    }

    /// The lowest bit, by which a signal names the phase (L1).
    pub(crate) fn parity(self) -> Parity {
        Parity::of(self.0)
    }
}

impl PassMark {
    pub(crate) fn parity(self) -> Parity {
        Parity::of(u64::from(self.0))
    }
}

/// Whether a number is even.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Parity {
    Even,
    Odd,
}

impl Parity {
    fn of(number: u64) -> Parity {
        match number % 2 {
            0 => Parity::Even,
            _ => Parity::Odd,
        }
    }

    pub(crate) fn other(self) -> Parity {
        match self {
            Parity::Even => Parity::Odd,
            Parity::Odd => Parity::Even,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_has_two_passes() {
        let passes: Vec<_> = (0..5).map(Pass::new).collect();
        let phases: Vec<_> = passes.iter().map(|pass| pass.phase().0).collect();
        assert_eq!(phases, [0, 1, 1, 2, 2]);
        assert_eq!(passes[1].walk(), Walk::Capture);
        assert_eq!(passes[2].walk(), Walk::Mailbox);
        assert_eq!(passes[4].phase().parity(), Parity::Even);
    }

    #[test]
    fn neighbours_differ_in_their_low_bits() {
        for number in 0..10 {
            let (one, next) = (Pass::new(number), Pass::new(number + 1));
            assert_ne!(one.mark(), next.mark());
            assert_ne!(one.phase().stamp(), Pass::new(number + 2).phase().stamp());
        }
    }
}
