//! Removal of an entry.

use super::hash_of;
use super::node::{DIGITS, Node, Slot, bit};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::val::copy;
use std::borrow::Borrow;
use std::hash::Hash;
use vivant_heap::{Frozen, Mutator};

/// The rest of a node after the removal of an entry below it.
enum Remainder<'gc, K, V> {
    Empty,
    /// A single entry: it needs no node, and takes the node's slot (J3).
    Entry(K, V),
    Node(Node<'gc, K, V>),
}

impl<'gc, K, V> Node<'gc, K, V>
where
    K: Hash + Eq + Frozen<'gc> + Clone,
    V: Frozen<'gc> + Clone,
{
    /// The rest of a whole trie; `None` if the key is not in it.
    pub(super) fn without<Q: Hash + Eq + ?Sized>(
        self,
        m: &Mutator<'gc>,
        key: &Q,
    ) -> Option<Option<Self>>
    where
        K: Borrow<Q>,
    {
        Some(match self.remove(m, hash_of(key), 0, key)? {
            Remainder::Empty => None,
            Remainder::Entry(key, value) => Some(Node::single(m, hash_of(&key), (key, value))),
            Remainder::Node(node) => Some(node),
        })
    }

    fn remove<Q: Eq + ?Sized>(
        self,
        m: &Mutator<'gc>,
        hash: u64,
        depth: u32,
        key: &Q,
    ) -> Option<Remainder<'gc, K, V>>
    where
        K: Borrow<Q>,
    {
        if depth == DIGITS {
            let (at, _) = self.in_bucket(key)?;
            return Some(self.without_slot(m, at, 0));
        }
        let bit = bit(hash, depth);
        if (self.entries | self.nodes) & bit == 0 {
            return None;
        }
        let at = self.place(bit);
        match &self.slots()[at] {
            Slot::Entry(there, _) if there.borrow() == key => Some(self.without_slot(m, at, bit)),
            Slot::Entry(..) => None,
            Slot::Node(below) => Some(match below.remove(m, hash, depth + 1, key)? {
                Remainder::Empty => unreachable!("J3: below a node there are two entries or more"),
                Remainder::Entry(key, value) if self.slots().len() == 1 => {
                    Remainder::Entry(key, value)
                }
                Remainder::Entry(key, value) => {
                    let slots = copy::replaced(self.slots(), at, Slot::Entry(key, value));
                    Remainder::Node(Node::new(m, self.entries | bit, self.nodes ^ bit, slots))
                }
                Remainder::Node(below) => Remainder::Node(self.replaced(m, at, Slot::Node(below))),
            }),
        }
    }

    /// The rest without the entry in a slot.
    fn without_slot(self, m: &Mutator<'gc>, at: usize, bit: u32) -> Remainder<'gc, K, V> {
        #[cfg(test)]
        if is_injected(InjectedFault::LoneEntry) && self.slots().len() == 2 {
            let slots = copy::without(self.slots(), at);
            return Remainder::Node(Node::new(m, self.entries ^ bit, self.nodes, slots));
        }
        match self.slots() {
            [_] => Remainder::Empty,
            [Slot::Entry(key, value), _] if at == 1 => Remainder::Entry(key.clone(), value.clone()),
            [_, Slot::Entry(key, value)] if at == 0 => Remainder::Entry(key.clone(), value.clone()),
            slots => {
                let slots = copy::without(slots, at);
                Remainder::Node(Node::new(m, self.entries ^ bit, self.nodes, slots))
            }
        }
    }
}
