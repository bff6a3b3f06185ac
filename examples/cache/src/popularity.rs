//! Popularity: how often each title is requested.
//!
//! The most popular title had [`VIEWS_OF_FIRST`] views in some hour; the title of rank *r* has that
//! number divided by *r* (Zipf's law). The list is flattened, as in the original benchmark: each
//! title counts for at least [`VIEWS_MIN`] and at most [`VIEWS_MAX`] views. The list has each title
//! as often as it was viewed, and a request draws a uniformly random entry of the list.
//!
//! With a million titles the hundred most popular ones are equally likely and get 1.5 % of the
//! requests. 9 in 10 requests are for the long tail, where each title is equally likely again. So a
//! title that was not requested lately is seldom requested, but not never.

use fastrand::Rng;

/// Views of the most popular title.
pub const VIEWS_OF_FIRST: u64 = 100_000;
/// Limit of the views of a title.
pub const VIEWS_MAX: u64 = 1000;
/// Minimum of the views of a title.
pub const VIEWS_MIN: u64 = 6;

/// A list of titles, by how often each is viewed.
#[derive(Clone, Debug)]
pub struct Popularity {
    /// Views of each rank and all ranks before it.
    sums: Vec<u64>,
}

impl Popularity {
    /// For `titles` titles. Costs 8 bytes for each.
    ///
    /// # Panics
    ///
    /// If there are none.
    #[must_use]
    pub fn new(titles: u64) -> Popularity {
        assert!(titles > 0, "there must be a title");
        let mut sum = 0;
        let sums = (1..=titles).map(|rank| {
            sum += (VIEWS_OF_FIRST / rank).clamp(VIEWS_MIN, VIEWS_MAX);
            sum
        });
        Popularity {
            sums: sums.collect(),
        }
    }

    /// The number of titles. They have the numbers from 0 on.
    #[must_use]
    pub fn titles(&self) -> u64 {
        self.sums.len() as u64
    }

    /// Draws a title. Costs a binary search.
    pub fn draw(&self, chance: &mut Rng) -> u64 {
        let views = self.sums[self.sums.len() - 1];
        let view = chance.u64(0..views);
        let rank = self.sums.partition_point(|sum| *sum <= view) as u64;
        scattered(rank, self.titles())
    }
}

/// The title of a rank, so that popular titles are not adjacent. A bijection: the factor has no
/// divisor in common with the number of titles.
fn scattered(rank: u64, titles: u64) -> u64 {
    let mut factor = 0x9e37_79b1_u64 % titles;
    while gcd(factor, titles) != 1 {
        factor += 1;
    }
    (u128::from(rank) * u128::from(factor) % u128::from(titles)) as u64
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_rank_has_a_title() {
        for titles in [1, 2, 100, 1000, 4096, 9973] {
            let all: BTreeSet<u64> = (0..titles).map(|rank| scattered(rank, titles)).collect();
            assert_eq!(all.len() as u64, titles);
            assert!(all.iter().all(|title| *title < titles));
        }
    }

    #[test]
    fn the_popular_are_asked_for_more_often() {
        let titles = 100_000;
        let popularity = Popularity::new(titles);
        let mut chance = Rng::with_seed(3);
        let mut views = vec![0_u32; titles as usize];
        for _ in 0..1_000_000 {
            views[popularity.draw(&mut chance) as usize] += 1;
        }
        let of = |rank| views[scattered(rank, titles) as usize];
        let first: u32 = (0..100).map(of).sum();
        let last: u32 = (titles - 100..titles).map(of).sum();
        // 1000 views against 6.
        assert!(first > 100 * last && first < 300 * last, "{first} {last}");
    }

    #[test]
    fn a_seed_has_the_same_requests() {
        let popularity = Popularity::new(1000);
        let draw = |seed| {
            let mut chance = Rng::with_seed(seed);
            (0..20).map(|_| popularity.draw(&mut chance)).collect()
        };
        let one: Vec<u64> = draw(1);
        assert_eq!(one, draw(1));
        assert_ne!(one, draw(2));
    }
}
