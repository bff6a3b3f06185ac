//! [`LinearHashMap`]: a linear hash map by addresses, which grows and shrinks shard by shard.

use super::hasher::FixedState;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasher;

/// Maximum average number of entries of a shard. Few under an interpreter and in tests, which have
/// to cover many shards.
const FULL: usize = if cfg!(any(test, miri)) { 8 } else { 800 };

/// Initial capacity of a shard. A shard that is due to be split has twice as many entries as
/// others; the capacity is a little more, because the entries are spread by chance, and just fits
/// into 2,048 slots. So a shard does not grow before its split.
const ROOM: usize = FULL * 2 + FULL / 5;

/// Shards are merged when they have less than `1 / SPARSE` of the maximum number of entries, so
/// that a single entry that comes and goes moves no others.
const SPARSE: usize = 4;

/// A hash map that is never moved as a whole (linear hashing, Litwin 1980): with too many entries
/// for its shards, one shard is split; with few, two are merged. So no call takes longer than
/// moving some two thousand entries; a plain map of a million is moved for tens of milliseconds
/// when it grows.
pub(crate) struct LinearHashMap<V> {
    buckets: Vec<Bucket<V>>,
    len: usize,
}

type Bucket<V> = HashMap<usize, V, FixedState>;

impl<V> Default for LinearHashMap<V> {
    fn default() -> LinearHashMap<V> {
        LinearHashMap {
            buckets: Vec::new(),
            len: 0,
        }
    }
}

/// The index of an address's shard, of `buckets`. It uses other bits of the hash than the map
/// within the shard.
#[inline]
fn bucket_of(address: usize, buckets: usize) -> usize {
    if buckets <= 1 {
        return 0;
    }
    let hash = (FixedState.hash_one(address) >> 32) as usize;
    let all = buckets.next_power_of_two();
    let bucket = hash & (all - 1);
    // Not all shards are split yet.
    if bucket < buckets {
        bucket
    } else {
        bucket - all / 2
    }
}

/// The shard from which this one was split.
fn split_of(bucket: usize) -> usize {
    bucket - (1 << bucket.ilog2())
}

impl<V> LinearHashMap<V> {
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub(crate) fn get(&self, address: usize) -> Option<&V> {
        let bucket = bucket_of(address, self.buckets.len());
        self.buckets.get(bucket)?.get(&address)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, address: usize) -> Option<&mut V> {
        let bucket = bucket_of(address, self.buckets.len());
        self.buckets.get_mut(bucket)?.get_mut(&address)
    }

    /// Returns the former value.
    pub(crate) fn insert(&mut self, address: usize, value: V) -> Option<V> {
        self.make_room();
        let bucket = bucket_of(address, self.buckets.len());
        let before = self.buckets[bucket].insert(address, value);
        self.len += usize::from(before.is_none());
        before
    }

    /// Returns the present value, or inserts this one.
    pub(crate) fn or_insert(&mut self, address: usize, value: V) -> &mut V {
        self.or_insert_with(address, || value)
    }

    /// As `or_insert`, with a value that is made when it is needed.
    #[inline]
    pub(crate) fn or_insert_with(&mut self, address: usize, value: impl FnOnce() -> V) -> &mut V {
        self.make_room();
        let bucket = bucket_of(address, self.buckets.len());
        match self.buckets[bucket].entry(address) {
            Entry::Occupied(there) => there.into_mut(),
            Entry::Vacant(place) => {
                self.len += 1;
                place.insert(value())
            }
        }
    }

    pub(crate) fn remove(&mut self, address: usize) -> Option<V> {
        let bucket = bucket_of(address, self.buckets.len());
        let removed = self.buckets.get_mut(bucket)?.remove(&address)?;
        self.len -= 1;
        if self.len < self.buckets.len() * FULL / SPARSE {
            self.merge();
        }
        Some(removed)
    }

    /// Makes room for one more entry.
    #[inline]
    fn make_room(&mut self) {
        if self.len >= self.buckets.len() * FULL {
            self.split();
        }
    }

    /// Splits a shard into two. Both are built anew, because a table with many removed entries is
    /// slow.
    #[cold]
    fn split(&mut self) {
        let new = self.buckets.len();
        self.buckets.push(Bucket::default());
        if new == 0 {
            return;
        }
        let old = split_of(new);
        let both = std::mem::take(&mut self.buckets[old]);
        for bucket in [old, new] {
            self.buckets[bucket].reserve(ROOM);
        }
        for (address, value) in both {
            self.buckets[bucket_of(address, new + 1)].insert(address, value);
        }
    }

    /// Merges the last shard into the one from which it was split; a single shard stays.
    #[cold]
    fn merge(&mut self) {
        if self.buckets.len() > 1
            && let Some(last) = self.buckets.pop()
        {
            let old = split_of(self.buckets.len());
            self.buckets[old].extend(last);
        }
    }

    /// The entries, in no meaningful order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &V)> {
        let all = self.buckets.iter().flatten();
        all.map(|(address, value)| (*address, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn is_as(buckets: &LinearHashMap<usize>, model: &BTreeMap<usize, usize>) {
        let all: BTreeMap<usize, usize> = buckets.iter().map(|(at, value)| (at, *value)).collect();
        assert_eq!(&all, model);
        assert_eq!(buckets.len, model.len());
        assert!(
            model
                .iter()
                .all(|(at, value)| buckets.get(*at) == Some(value))
        );
    }

    /// Grows, changes and shrinks to nothing, and equals a plain map all the time.
    #[test]
    fn it_is_a_map() {
        let (mut buckets, mut model) = (LinearHashMap::default(), BTreeMap::new());
        let address = |number: usize| (1 << 20) + number * 48;
        for number in 0..40 * FULL {
            let at = address(number * 7 % (30 * FULL));
            match number % 3 {
                0 => assert_eq!(buckets.insert(at, number), model.insert(at, number)),
                1 => assert_eq!(
                    buckets.or_insert(at, number),
                    model.entry(at).or_insert(number)
                ),
                _ => assert_eq!(buckets.remove(at), model.remove(&at)),
            }
            assert_eq!(buckets.get(at), model.get(&at));
            if number.is_multiple_of(FULL) {
                is_as(&buckets, &model);
            }
        }
        for number in 0..30 * FULL {
            let at = address(number);
            assert_eq!(buckets.remove(at), model.remove(&at));
            if number.is_multiple_of(FULL) {
                is_as(&buckets, &model);
            }
        }
        assert!(buckets.is_empty());
    }

    #[test]
    fn the_number_of_buckets_follows_the_entries() {
        let mut buckets = LinearHashMap::default();
        let address = |number: usize| (1 << 30) + number * 32;
        for number in 0..100 * FULL {
            buckets.insert(address(number), ());
        }
        assert_eq!(buckets.buckets.len(), 100);
        let longest = buckets.buckets.iter().map(HashMap::len).max();
        // A shard of the half that is not split yet has twice as many.
        assert!(longest < Some(5 * FULL), "{longest:?}");
        for number in 1..100 * FULL {
            buckets.remove(address(number));
        }
        assert_eq!(buckets.buckets.len(), 1);
        assert_eq!(buckets.get(address(0)), Some(&()));
    }
}
