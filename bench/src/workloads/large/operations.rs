//! The operations on a store: the same in every run, on every platform.
//!
//! Keys have an index. At the beginning those below `entries` have an entry. In chunks an operation
//! is one of three, on an index below twice as many: after a while each second key has an entry, so
//! the number of entries is constant. Single requests are for existing keys.

use super::chance::mixed;
use vivant::codec::Saved;

/// The key of an index.
pub(super) fn key(index: u64) -> u64 {
    mixed(index)
}

/// What an operation of this number puts in. The entries that are there at the beginning are of
/// operation 0.
pub(super) fn value(index: u64, number: u64) -> u64 {
    index + number
}

/// One operation, of a key's index.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Saved)]
pub(super) enum Operation {
    Insert { index: u64, value: u64 },
    Delete { index: u64 },
    Look { index: u64 },
}

vivant::heap::leaf!([] Operation);

/// Which operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Saved)]
pub(super) enum Requests {
    /// One of three.
    Chunks,
    /// One by one: half of them insert, half of them look up.
    Single,
}

vivant::heap::leaf!([] Requests);

impl Requests {
    /// The operation of this number, from 1 on.
    pub(super) fn operation(self, number: u64, entries: u64) -> Operation {
        let chance = mixed(number + SEED);
        let low = chance & 0xFF_FFFF_FFFF;
        match self {
            Requests::Chunks => {
                let index = low % (2 * entries);
                match (chance >> 42) % 3 {
                    0 => Operation::insert(index, number),
                    1 => Operation::Delete { index },
                    _ => Operation::Look { index },
                }
            }
            Requests::Single => {
                let index = low % entries;
                match chance >> 42 & 1 {
                    1 => Operation::insert(index, number),
                    _ => Operation::Look { index },
                }
            }
        }
    }

    /// The approximate number of insertions in a number of operations.
    pub(super) fn inserts(self, operations: u64) -> u64 {
        match self {
            Requests::Chunks => operations / 3,
            Requests::Single => operations / 2,
        }
    }
}

impl Operation {
    fn insert(index: u64, number: u64) -> Operation {
        let value = value(index, number);
        Operation::Insert { index, value }
    }
}

/// A store, of any implementation.
pub(super) trait Entries {
    fn put(&mut self, index: u64, value: u64);
    fn take(&mut self, index: u64);
    fn look(&self, index: u64) -> Option<u64>;

    /// The initial entries.
    fn load(&mut self, indices: std::ops::Range<u64>) {
        indices.for_each(|index| self.put(index, value(index, 0)));
    }

    /// Returns the value that was found.
    fn operate(&mut self, operation: Operation) -> u64 {
        match operation {
            Operation::Insert { index, value } => self.put(index, value),
            Operation::Delete { index } => self.take(index),
            Operation::Look { index } => return self.look(index).unwrap_or(0),
        }
        0
    }
}

/// What a store must hold: by the index, the number of the operation that put it there, and one
/// more; 0 if there is nothing.
pub(super) struct Model(Vec<u32>);

impl Model {
    pub(super) fn loaded(entries: u64) -> Model {
        let mut model = Model(vec![0; 2 * entries as usize]);
        model.load(0..entries);
        model
    }

    /// The sum of all that operations of these numbers find.
    pub(super) fn all(
        &mut self,
        requests: Requests,
        entries: u64,
        numbers: std::ops::Range<u64>,
    ) -> u64 {
        let operate = |number| self.operate(requests.operation(number, entries));
        numbers.map(operate).sum()
    }

    /// The sum of all values in it.
    pub(super) fn left(&self) -> u64 {
        let indices = 0..self.0.len() as u64;
        indices.filter_map(|index| self.look(index)).sum()
    }
}

impl Entries for Model {
    fn put(&mut self, index: u64, value: u64) {
        self.0[index as usize] = (value - index) as u32 + 1;
    }

    fn take(&mut self, index: u64) {
        self.0[index as usize] = 0;
    }

    fn look(&self, index: u64) -> Option<u64> {
        match self.0[index as usize] {
            0 => None,
            after => Some(value(index, u64::from(after) - 1)),
        }
    }
}

/// The sum of all values found by a number of operations, and of all values there afterwards.
pub(super) fn expected(requests: Requests, entries: u64, operations: u64) -> u64 {
    let mut model = Model::loaded(entries);
    let found = model.all(requests, entries, 1..operations + 1);
    found + model.left()
}

/// Else the numbers of operations would be those of keys.
const SEED: u64 = 1 << 40;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    impl Entries for HashMap<u64, u64> {
        fn put(&mut self, index: u64, value: u64) {
            self.insert(key(index), value);
        }
        fn take(&mut self, index: u64) {
            self.remove(&key(index));
        }
        fn look(&self, index: u64) -> Option<u64> {
            self.get(&key(index)).copied()
        }
    }

    #[test]
    fn the_model_is_right_and_the_store_stays_as_large() {
        for requests in [Requests::Chunks, Requests::Single] {
            let mut map = HashMap::new();
            map.load(0..1_000);
            let operate = |number| map.operate(requests.operation(number, 1_000));
            let found: u64 = (1..=20_000).map(operate).sum();
            let sum = found + map.values().sum::<u64>();
            assert_eq!(sum, expected(requests, 1_000, 20_000));
            assert!((900..=1_100).contains(&map.len()), "{}", map.len());
        }
    }
}
