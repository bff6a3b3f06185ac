//! [`Foreign`]: the objects of other heaps that a scanner has met.

use crate::collections::gc::FixedState;
use crate::header::Header;
use std::collections::HashSet;
use std::ptr::NonNull;

/// Sets that grow one by one: a single set of a million objects is moved as a whole when it grows, which takes longer than a payment should.
const SETS: usize = 64;

/// A set of objects.
pub(super) struct Foreign(Vec<HashSet<NonNull<Header>, FixedState>>);

impl Foreign {
    pub(super) fn new() -> Foreign {
        Foreign(Vec::new())
    }

    /// Whether it is met for the first time.
    pub(super) fn is_new(&mut self, object: NonNull<Header>) -> bool {
        if self.0.is_empty() {
            self.0.resize_with(SETS, HashSet::default);
        }
        // By other bits than those by which a set finds its objects.
        let address = object.addr().get();
        let set = (address >> 4 ^ address >> 12 ^ address >> 20) % SETS;
        self.0[set].insert(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn each_is_new_once_and_all_sets_are_used() {
        let mut foreign = Foreign::new();
        let address =
            |number: usize| ptr::without_provenance_mut::<Header>((1 << 20) + number * 48);
        let object = |number| NonNull::new(address(number)).unwrap();
        for _ in 0..2 {
            let new: Vec<bool> = (0..6_400)
                .map(|number| foreign.is_new(object(number)))
                .collect();
            assert!(new.windows(2).all(|two| two[0] == two[1]), "all or none");
        }
        assert!((0..6_400).all(|number| !foreign.is_new(object(number))));
        let longest = foreign.0.iter().map(HashSet::len).max();
        assert!(longest < Some(200), "{longest:?}");
    }
}
