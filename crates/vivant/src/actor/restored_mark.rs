//! [`WaitsAs`]: what a waiting message is in a cut. [`RestoredMark`]: what a message of a restored
//! system was to synchronizers in its image.

/// What a message waits as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WaitsAs {
    /// A message that its actor takes when it can.
    Message,
    /// It brings a value to the open promise of its actor with this number.
    Arrival(u64),
    /// It has an offer of this rank (S5 of `constraints/README.md`).
    Offered(u64),
    /// A synchronizer has decided to dispatch it: it is the next message of its actor (S1).
    Committed,
}

/// What the image says of a message that waits: a synchronizer has decided to dispatch it, or it
/// had an offer. `Default`: neither. It has two bytes, which are free in the head of a message.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct RestoredMark(u16);

impl RestoredMark {
    /// It is the next message of its actor (S1 of `constraints/README.md`).
    pub(crate) const COMMITTED: RestoredMark = RestoredMark(1);
    const FIRST_OFFERED: u16 = 2;

    /// It had an offer with the rank at this position of the ranks of its actor. A position that
    /// two bytes do not hold is none: then the message is offered as a new one.
    pub(crate) fn offered(position: usize) -> RestoredMark {
        let position = u16::try_from(position).ok();
        let mark = position.and_then(|position| position.checked_add(RestoredMark::FIRST_OFFERED));
        RestoredMark(mark.unwrap_or_default())
    }

    pub(crate) fn is_committed(self) -> bool {
        self == RestoredMark::COMMITTED
    }

    /// Its rank among these of its actor, if it had an offer.
    pub(crate) fn rank(self, ranks: &[u64]) -> Option<u64> {
        let position = self.0.checked_sub(RestoredMark::FIRST_OFFERED)?;
        ranks.get(usize::from(position)).copied()
    }

    /// What the message waits as, if its actor has not looked at it yet.
    pub(crate) fn waits_as(self, ranks: &[u64]) -> WaitsAs {
        match self.is_committed() {
            true => WaitsAs::Committed,
            false => self.rank(ranks).map_or(WaitsAs::Message, WaitsAs::Offered),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_that_does_not_fit_is_none() {
        let ranks = vec![7; 70_000];
        let rank = |position| RestoredMark::offered(position).rank(&ranks);
        assert_eq!(rank(0), Some(7));
        assert_eq!(rank(usize::from(u16::MAX) - 2), Some(7));
        assert_eq!(rank(usize::from(u16::MAX) - 1), None);
        assert_eq!(rank(69_999), None);
        assert_eq!(RestoredMark::COMMITTED.rank(&ranks), None);
    }
}
