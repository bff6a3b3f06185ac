//! Insertion or replacement of an entry.

use super::hash_of;
use super::node::{DIGITS, Node, Slot, bit};
use crate::val::copy;
use std::hash::Hash;
use vivant_heap::{Frozen, Mutator};

/// The result of an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Insertion {
    Added,
    Replaced,
}

impl<'gc, K, V> Node<'gc, K, V>
where
    K: Hash + Eq + Frozen<'gc> + Clone,
    V: Frozen<'gc> + Clone,
{
    /// Inserts an entry. Copies the nodes on the path to its place.
    pub(super) fn insert(
        self,
        m: &Mutator<'gc>,
        hash: u64,
        depth: u32,
        (key, value): (K, V),
    ) -> (Self, Insertion) {
        if depth == DIGITS {
            return self.insert_in_bucket(m, (key, value));
        }
        let bit = bit(hash, depth);
        let (at, slots) = (self.place(bit), self.slots());
        if (self.entries | self.nodes) & bit == 0 {
            let slots = copy::with(slots, at, Slot::Entry(key, value));
            let node = Node::new(m, self.entries | bit, self.nodes, slots);
            return (node, Insertion::Added);
        }
        match &slots[at] {
            Slot::Entry(there, _) if *there == key => {
                let entry = Slot::Entry(key, value);
                (self.replaced(m, at, entry), Insertion::Replaced)
            }
            Slot::Entry(there, old) => {
                let old = (hash_of(there), (there.clone(), old.clone()));
                let below = Node::pair(m, depth + 1, old, (hash, (key, value)));
                let slots = copy::replaced(slots, at, Slot::Node(below));
                let node = Node::new(m, self.entries ^ bit, self.nodes | bit, slots);
                (node, Insertion::Added)
            }
            Slot::Node(below) => {
                let (below, put) = below.insert(m, hash, depth + 1, (key, value));
                (self.replaced(m, at, Slot::Node(below)), put)
            }
        }
    }

    fn insert_in_bucket(self, m: &Mutator<'gc>, (key, value): (K, V)) -> (Self, Insertion) {
        match self.in_bucket(&key) {
            Some((at, _)) => {
                let entry = Slot::Entry(key, value);
                (self.replaced(m, at, entry), Insertion::Replaced)
            }
            None => {
                let slots = self.slots();
                let slots = copy::with(slots, slots.len(), Slot::Entry(key, value));
                (Node::new(m, 0, 0, slots), Insertion::Added)
            }
        }
    }

    /// A node at this depth for two entries of different keys, each with its hash. Below it there
    /// are as many nodes as the hashes have further digits in common.
    pub(super) fn pair(
        m: &Mutator<'gc>,
        depth: u32,
        (one_hash, (key, value)): (u64, (K, V)),
        (other_hash, (other_key, other_value)): (u64, (K, V)),
    ) -> Self {
        let one = Slot::Entry(key, value);
        let other = Slot::Entry(other_key, other_value);
        let mut parting = depth;
        while parting < DIGITS && bit(one_hash, parting) == bit(other_hash, parting) {
            parting += 1;
        }
        let mut node = match parting {
            DIGITS => Node::new(m, 0, 0, vec![one, other]),
            _ => {
                let (bit, other_bit) = (bit(one_hash, parting), bit(other_hash, parting));
                let slots = match bit < other_bit {
                    true => vec![one, other],
                    false => vec![other, one],
                };
                Node::new(m, bit | other_bit, 0, slots)
            }
        };
        for above in (depth..parting).rev() {
            node = Node::new(m, 0, bit(one_hash, above), vec![Slot::Node(node)]);
        }
        node
    }
}
