//! Numbers for the random programs of tests.

use super::{below, split_mix};

/// A random stream.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(split_mix(seed).1)
    }

    /// Returns a number below `bound`, which is at least one.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let (state, number) = split_mix(self.0);
        self.0 = state;
        below(number, bound as u64) as usize
    }
}
