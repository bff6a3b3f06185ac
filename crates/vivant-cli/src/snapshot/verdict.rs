//! [`Verdict`]: what a command found.

/// What a command found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All is well, or equal.
    Good,
    /// Something is damaged, or differs. It was printed.
    Bad,
}

impl Verdict {
    /// Good if both are.
    #[must_use]
    pub fn and(self, other: Verdict) -> Verdict {
        match self {
            Verdict::Good => other,
            Verdict::Bad => Verdict::Bad,
        }
    }
}
