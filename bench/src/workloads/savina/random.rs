//! The pseudo-random generator of Savina, in all its programs.
//!
//! `v = (v * 1309 + 13849) mod 65536`. The period is 65,536, no number has more than 16 bits, and
//! the lowest bit is 0 and 1 by turns. The checksums that others publish follow from these numbers.

use std::hint::black_box;
use vivant::Saved;

/// The generator's state: the last number that was drawn.
#[derive(Saved, Clone, Copy, Debug)]
pub(in super::super) struct Random(u32);

impl Random {
    /// The seed of a program that does not name another.
    pub(in super::super) const SEED: u64 = 74_755;

    /// Only the low 16 bits of the seed count.
    pub(in super::super) fn seeded(seed: u64) -> Random {
        Random((seed & 0xFFFF) as u32)
    }

    /// A number below 65,536.
    #[inline]
    pub(in super::super) fn draw(&mut self) -> u64 {
        self.0 = (self.0 * 1_309 + 13_849) & 0xFFFF;
        u64::from(self.0)
    }

    /// A number below `bound`, and below 65,536.
    pub(in super::super) fn below(&mut self, bound: u64) -> u64 {
        self.draw() % bound
    }

    /// The highest bit: the lowest alternates.
    pub(super) fn coin(&mut self) -> bool {
        self.draw() >= 1 << 15
    }

    /// Savina's busy wait: draws that many numbers.
    pub(super) fn work(&mut self, draws: u64) {
        for _ in 0..draws {
            black_box(self.draw());
        }
    }
}

/// A busy wait with a generator of its own.
pub(super) fn work(draws: u64) {
    Random::seeded(Random::SEED).work(draws);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_period_is_that_of_sixteen_bits() {
        let mut random = Random::seeded(Random::SEED);
        let first = random.draw();
        let period = 1 + (0..).take_while(|_| random.draw() != first).count();
        assert_eq!(period, 1 << 16);
    }

    #[test]
    fn the_sum_of_numbers_is_savinas() {
        let sum = |seed, count| {
            let mut random = Random::seeded(seed);
            (0..count).map(|_| random.draw()).sum::<u64>()
        };
        assert_eq!(sum(Random::SEED, 10_000), 329_373_752);
        assert_eq!(sum(Random::SEED, 50_000), 1_642_300_184);
    }
}
