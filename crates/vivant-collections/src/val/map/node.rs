//! [`Node`]: a node of the hash trie.

use super::hash_of;
use crate::val::checks::Checks;
use crate::val::copy::{self, BITS};
use std::borrow::Borrow;
use std::hash::Hash;
use vivant_heap::{Fault, Frozen, Mutator, Object, Val};

/// The number of digits of a hash. Nodes at this depth are buckets: their entries agree in all
/// digits.
pub(super) const DIGITS: u32 = u64::BITS.div_ceil(BITS);

/// A node of a trie. At depth *d* it selects by the digit *d* of the hash, from the highest on. Its
/// slots are in the order of their digits, so all entries of a trie are in the order of their
/// hashes.
#[derive(Object)]
pub(crate) struct Node<'gc, K, V> {
    /// Digits that have an entry; zero in a bucket.
    pub(crate) entries: u32,
    /// Digits that have a node; zero in a bucket.
    pub(crate) nodes: u32,
    pub(crate) slots: Val<'gc, [Slot<'gc, K, V>]>,
}

impl<K, V> Clone for Node<'_, K, V> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Node<'_, K, V> {}

/// The content of a node for one digit.
#[derive(Clone, Copy, Object)]
pub(crate) enum Slot<'gc, K, V> {
    Entry(K, V),
    Node(Node<'gc, K, V>),
}

/// The bit of the digit at this depth. The last digit has fewer bits of the hash; missing bits are
/// zero.
#[inline]
pub(super) fn bit(hash: u64, depth: u32) -> u32 {
    1 << (hash << (BITS * depth) >> (u64::BITS - BITS))
}

impl<'gc, K, V> Node<'gc, K, V> {
    /// The index of a digit's slot, or the index where it would be.
    #[inline]
    pub(super) fn place(self, bit: u32) -> usize {
        ((self.entries | self.nodes) & (bit - 1)).count_ones() as usize
    }

    pub(crate) fn slots(self) -> &'gc [Slot<'gc, K, V>] {
        Val::as_ref(self.slots)
    }

    pub(crate) fn address(self) -> usize {
        self.slots.as_ptr().addr()
    }

    #[inline]
    pub(super) fn get<Q: Eq + ?Sized>(self, hash: u64, key: &Q) -> Option<(&'gc K, &'gc V)>
    where
        K: Borrow<Q>,
    {
        let mut node = self;
        for depth in 0..DIGITS {
            let bit = bit(hash, depth);
            if (node.entries | node.nodes) & bit == 0 {
                return None;
            }
            match &node.slots()[node.place(bit)] {
                Slot::Entry(there, value) => {
                    return (there.borrow() == key).then_some((there, value));
                }
                Slot::Node(below) => node = *below,
            }
        }
        let (_, entry) = node.in_bucket(key)?;
        Some(entry)
    }

    /// The index and the entry of a key in a bucket.
    pub(super) fn in_bucket<Q: Eq + ?Sized>(self, key: &Q) -> Option<(usize, (&'gc K, &'gc V))>
    where
        K: Borrow<Q>,
    {
        let mut slots = self.slots().iter().enumerate();
        slots.find_map(|(at, slot)| match slot {
            Slot::Entry(there, value) if there.borrow() == key => Some((at, (there, value))),
            _ => None,
        })
    }
}

impl<'gc, K: Frozen<'gc>, V: Frozen<'gc>> Node<'gc, K, V> {
    /// The only constructor: so each node is checked when it is made (J2).
    pub(super) fn new(
        m: &Mutator<'gc>,
        entries: u32,
        nodes: u32,
        slots: Vec<Slot<'gc, K, V>>,
    ) -> Self {
        debug_assert_eq!(entries & nodes, 0, "J2: one thing for each digit");
        let digits = (entries | nodes).count_ones() as usize;
        debug_assert!(digits == 0 || digits == slots.len(), "J2: a slot for each");
        Node {
            entries,
            nodes,
            slots: m.val_slice(slots),
        }
    }

    /// A root with one entry.
    pub(super) fn single(m: &Mutator<'gc>, hash: u64, (key, value): (K, V)) -> Self {
        Node::new(m, bit(hash, 0), 0, vec![Slot::Entry(key, value)])
    }
}

impl<'gc, K: Frozen<'gc> + Clone, V: Frozen<'gc> + Clone> Node<'gc, K, V> {
    /// Replaces a slot: with one of the same kind, or the caller changes the bitmaps too.
    pub(super) fn replaced(self, m: &Mutator<'gc>, at: usize, slot: Slot<'gc, K, V>) -> Self {
        let slots = copy::replaced(self.slots(), at, slot);
        Node::new(m, self.entries, self.nodes, slots)
    }
}

impl<'gc, K: Hash + Eq, V> Node<'gc, K, V> {
    /// Checks this node and all nodes below it. Returns the number of entries. The hashes of all
    /// entries begin with the first `depth` digits of `prefix`.
    pub(super) fn check(self, depth: u32, prefix: u64, checks: Checks<'_>) -> Result<usize, Fault> {
        let bits = u64::from(self.entries) << 32 | u64::from(self.nodes);
        checks.of(self.address(), [depth.into(), prefix, bits], || {
            self.examine(depth, prefix, checks)
        })
    }

    fn examine(self, depth: u32, prefix: u64, checks: Checks<'_>) -> Result<usize, Fault> {
        let fault = |rule, what| Fault::new(rule, what, self.address());
        let (digits, slots) = (self.entries | self.nodes, self.slots());
        let is_bucket = depth == DIGITS;
        if self.entries & self.nodes != 0 || is_bucket != (digits == 0) {
            return Err(fault("J2", "the bitmaps contradict each other"));
        }
        if !is_bucket && digits.count_ones() as usize != slots.len() {
            return Err(fault("J2", "a node has not as many slots as bits"));
        }
        if depth > 0 && matches!(slots, [] | [Slot::Entry(..)]) {
            return Err(fault("J3", "one entry has a node of its own"));
        }
        let (mut entries, mut left) = (0, digits);
        for slot in slots {
            let bit = left & left.wrapping_neg();
            left ^= bit;
            let below = match is_bucket {
                true => prefix,
                false => {
                    let digit = u64::from(bit.trailing_zeros());
                    prefix | digit << (u64::BITS - BITS) >> (BITS * depth)
                }
            };
            match slot {
                Slot::Entry(key, _) => {
                    let known = u64::BITS.saturating_sub(BITS * (depth + 1));
                    if bit != self.entries & bit || (hash_of(key) ^ below) >> known != 0 {
                        return Err(fault("J2", "an entry is not where its hash leads"));
                    }
                    if is_bucket && slots.iter().filter(|slot| slot.has(key)).count() != 1 {
                        return Err(fault("J4", "a key is there twice"));
                    }
                    entries += 1;
                }
                Slot::Node(node) if bit != 0 && bit == self.nodes & bit => {
                    entries += node.check(depth + 1, below, checks)?;
                }
                Slot::Node(_) => return Err(fault("J2", "a node where no node can be")),
            }
        }
        Ok(entries)
    }
}

impl<K: Eq, V> Slot<'_, K, V> {
    fn has(&self, key: &K) -> bool {
        matches!(self, Slot::Entry(there, _) if there == key)
    }
}
