//! Insertion of many entries at once: each node is allocated once.

use super::hash_of;
use super::node::{DIGITS, Node, Slot, bit};
use std::hash::Hash;
use std::vec::IntoIter;
use vivant_heap::{Frozen, Mutator};

/// An entry to be inserted.
struct Pending<K, V> {
    hash: u64,
    key: K,
    value: V,
}

/// Inserts entries into a trie. Returns the trie, and the number of new keys.
pub(super) fn merged<'gc, K, V>(
    m: &Mutator<'gc>,
    root: Option<Node<'gc, K, V>>,
    entries: impl IntoIterator<Item = (K, V)>,
) -> (Option<Node<'gc, K, V>>, usize)
where
    K: Hash + Eq + Frozen<'gc> + Clone,
    V: Frozen<'gc> + Clone,
{
    let pending = entries.into_iter().map(|(key, value)| Pending {
        hash: hash_of(&key),
        key,
        value,
    });
    let batch = distinct(pending.collect());
    let (count, mut batch) = (batch.len(), batch.into_iter());
    if count == 0 {
        return (root, 0);
    }
    let mut merge = Merge { m, added: 0 };
    let root = merge.node(root, &mut batch, count, 0);
    (Some(root), merge.added)
}

/// Sorts entries by hash. Of equal keys only the last entry stays, at the place of the first.
fn distinct<K: Eq, V>(mut batch: Vec<Pending<K, V>>) -> Vec<Pending<K, V>> {
    batch.sort_by_key(|pending| pending.hash);
    let mut kept: Vec<Pending<K, V>> = Vec::with_capacity(batch.len());
    for pending in batch {
        let mut alike = kept.iter_mut().rev();
        let mut alike = alike
            .by_ref()
            .take_while(|before| before.hash == pending.hash);
        match alike.find(|before| before.key == pending.key) {
            Some(before) => *before = pending,
            None => kept.push(pending),
        }
    }
    kept
}

struct Merge<'a, 'gc> {
    m: &'a Mutator<'gc>,
    /// The number of new keys so far.
    added: usize,
}

impl<'gc> Merge<'_, 'gc> {
    /// A node with the next `count` entries of a batch (at least one), which all belong below it.
    fn node<K, V>(
        &mut self,
        there: Option<Node<'gc, K, V>>,
        batch: &mut IntoIter<Pending<K, V>>,
        count: usize,
        depth: u32,
    ) -> Node<'gc, K, V>
    where
        K: Hash + Eq + Frozen<'gc> + Clone,
        V: Frozen<'gc> + Clone,
    {
        if depth == DIGITS {
            return self.bucket(there, batch, count);
        }
        let old = there.map_or(&[][..], Node::slots);
        let (mut entries, mut nodes) = there.map_or((0, 0), |node| (node.entries, node.nodes));
        let mut slots = Vec::with_capacity((old.len() + count).min(u32::BITS as usize));
        let (mut copied, mut left) = (0, count);
        while let Some(first) = batch.as_slice().first().filter(|_| left > 0) {
            let bit = bit(first.hash, depth);
            let own = &batch.as_slice()[..left];
            let group = own.partition_point(|pending| self::bit(pending.hash, depth) == bit);
            left -= group;
            let at = there.map_or(0, |node| node.place(bit));
            slots.extend_from_slice(&old[copied..at]);
            copied = at;
            let present = ((entries | nodes) & bit != 0).then(|| &old[at]);
            copied += usize::from(present.is_some());
            let slot = self.slot(present, batch, group, depth);
            match slot {
                Slot::Entry(..) => entries |= bit,
                Slot::Node(_) => {
                    nodes |= bit;
                    entries &= !bit;
                }
            }
            slots.push(slot);
        }
        slots.extend_from_slice(&old[copied..]);
        Node::new(self.m, entries, nodes, slots)
    }

    /// The slot for one digit: the existing slot with the next `group` entries (at least one) of
    /// the batch.
    fn slot<K, V>(
        &mut self,
        there: Option<&Slot<'gc, K, V>>,
        batch: &mut IntoIter<Pending<K, V>>,
        group: usize,
        depth: u32,
    ) -> Slot<'gc, K, V>
    where
        K: Hash + Eq + Frozen<'gc> + Clone,
        V: Frozen<'gc> + Clone,
    {
        let (key, value) = match there {
            Some(Slot::Node(below)) => {
                return Slot::Node(self.node(Some(*below), batch, group, depth + 1));
            }
            Some(Slot::Entry(key, value)) => (key, value),
            None if group > 1 => return Slot::Node(self.node(None, batch, group, depth + 1)),
            None => {
                self.added += 1;
                return next(batch).1.into();
            }
        };
        let hash = hash_of(key);
        if group == 1 {
            let (new_hash, new) = next(batch);
            if new.0 == *key {
                return new.into();
            }
            self.added += 1;
            let old = (hash, (key.clone(), value.clone()));
            return Slot::Node(Node::pair(self.m, depth + 1, old, (new_hash, new)));
        }
        let mut group_keys = batch.as_slice()[..group].iter().map(|new| &new.key);
        let stays = !group_keys.any(|new| new == key);
        let mut below = self.node(None, batch, group, depth + 1);
        match stays {
            true => {
                let entry = (key.clone(), value.clone());
                (below, _) = below.insert(self.m, hash, depth + 1, entry);
            }
            false => self.added -= 1,
        }
        Slot::Node(below)
    }

    fn bucket<K, V>(
        &mut self,
        there: Option<Node<'gc, K, V>>,
        batch: &mut IntoIter<Pending<K, V>>,
        count: usize,
    ) -> Node<'gc, K, V>
    where
        K: Hash + Eq + Frozen<'gc> + Clone,
        V: Frozen<'gc> + Clone,
    {
        let mut slots = there.map_or(&[][..], Node::slots).to_vec();
        for (_, (key, value)) in batch.by_ref().take(count).map(Pending::entry) {
            let at = there.and_then(|node| node.in_bucket(&key));
            match at {
                Some((at, _)) => slots[at] = Slot::Entry(key, value),
                None => {
                    slots.push(Slot::Entry(key, value));
                    self.added += 1;
                }
            }
        }
        Node::new(self.m, 0, 0, slots)
    }
}

impl<K, V> Pending<K, V> {
    fn entry(self) -> (u64, (K, V)) {
        (self.hash, (self.key, self.value))
    }
}

fn next<K, V>(batch: &mut IntoIter<Pending<K, V>>) -> (u64, (K, V)) {
    match batch.next() {
        Some(pending) => pending.entry(),
        None => unreachable!("a group has entries"),
    }
}

impl<K, V> From<(K, V)> for Slot<'_, K, V> {
    fn from((key, value): (K, V)) -> Self {
        Slot::Entry(key, value)
    }
}
