//! Immutable maps with nodes that are counted with atomics.

pub trait Map: Clone + Send + Sync + 'static {
    fn of(entries: impl Iterator<Item = (u64, u64)>) -> Self;
    /// Changes it; an earlier clone does not change.
    fn put(&mut self, key: u64, value: u64);
    fn look(&self, key: u64) -> Option<u64>;
}

pub type Imbl = imbl::HashMap<u64, u64>;
pub type Rpds = rpds::HashTrieMapSync<u64, u64>;

impl Map for Imbl {
    fn of(entries: impl Iterator<Item = (u64, u64)>) -> Self {
        entries.collect()
    }
    fn put(&mut self, key: u64, value: u64) {
        self.insert(key, value);
    }
    fn look(&self, key: u64) -> Option<u64> {
        self.get(&key).copied()
    }
}

impl Map for Rpds {
    fn of(entries: impl Iterator<Item = (u64, u64)>) -> Self {
        let mut map = Self::new_sync();
        entries.for_each(|(key, value)| map.insert_mut(key, value));
        map
    }
    fn put(&mut self, key: u64, value: u64) {
        self.insert_mut(key, value);
    }
    fn look(&self, key: u64) -> Option<u64> {
        self.get(&key).copied()
    }
}
