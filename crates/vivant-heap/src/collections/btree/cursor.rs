//! A place between two entries, with the way to it.

use super::node::Node;
use super::tree::Tree;
use crate::types::Object;
use std::borrow::Borrow;

/// The place before an entry of a leaf, or behind its last one: each place between two entries of a
/// map is in one leaf.
pub(crate) struct Cursor<'gc, K, V> {
    /// Nodes from the root on, each with the number of the child that comes next, and of the leaf
    /// the slot.
    pub(crate) way: Vec<(Node<'gc, K, V>, usize)>,
}

/// On which side of an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    Behind,
}

impl<'gc, K: Object<'gc>, V: Object<'gc>> Cursor<'gc, K, V> {
    /// Before the first entry, or behind the last.
    pub(crate) fn edge(tree: &Tree<'gc, K, V>, side: Side) -> Self {
        let mut cursor = Cursor { way: Vec::new() };
        if let Some(root) = tree.root {
            cursor.descend(root, tree.height, side);
        }
        cursor
    }

    /// Beside the entry with this key, or where one would be.
    pub(crate) fn beside<Q: ?Sized + Ord>(tree: &Tree<'gc, K, V>, key: &Q, side: Side) -> Self
    where
        K: Borrow<Q>,
    {
        let mut way = Vec::with_capacity(tree.height + 1);
        let Some(mut node) = tree.root else {
            return Cursor { way };
        };
        for height in (0..=tree.height).rev() {
            // SAFETY: whoever calls has the map, and nobody writes it now.
            let found = unsafe { node.keys() }.binary_search_by(|other| other.borrow().cmp(key));
            match (found, side) {
                (Ok(slot) | Err(slot), _) if height == 0 => {
                    let behind = found.is_ok() && side == Side::Behind;
                    way.push((node, slot + usize::from(behind)));
                }
                (Ok(slot), _) => {
                    let (slot, rest) = match side {
                        Side::Before => (slot, Side::Behind),
                        Side::Behind => (slot + 1, Side::Before),
                    };
                    way.push((node, slot));
                    let mut cursor = Cursor { way };
                    // SAFETY: an inner node with such an entry.
                    cursor.descend(unsafe { node.child(slot) }, height - 1, rest);
                    return cursor;
                }
                (Err(slot), _) => {
                    way.push((node, slot));
                    // SAFETY: an inner node has a child beside each key.
                    node = unsafe { node.child(slot) };
                }
            }
        }
        Cursor { way }
    }

    fn descend(&mut self, mut node: Node<'gc, K, V>, height: usize, side: Side) {
        for height in (0..=height).rev() {
            let slot = match side {
                Side::Before => 0,
                Side::Behind => node.to(),
            };
            self.way.push((node, slot));
            if height > 0 {
                // SAFETY: an inner node has this child.
                node = unsafe { node.child(slot) };
            }
        }
    }

    /// Where the entry behind it is: a node and a slot, and how many steps of the way lead there.
    pub(crate) fn entry(&self) -> Option<(Node<'gc, K, V>, usize, usize)> {
        let ahead = |&(_, &(node, slot)): &(usize, &(Node<'gc, K, V>, usize))| slot < node.to();
        let (steps, &(node, slot)) = self.way.iter().enumerate().rfind(ahead)?;
        Some((node, slot, steps))
    }

    /// Where the entry before it is.
    fn entry_back(&self) -> Option<(Node<'gc, K, V>, usize, usize)> {
        let behind = |&(_, &(_, slot)): &(usize, &(Node<'gc, K, V>, usize))| slot > 0;
        let (steps, &(node, slot)) = self.way.iter().enumerate().rfind(behind)?;
        Some((node, slot - 1, steps))
    }

    /// Goes behind the next entry: where that is.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(Node<'gc, K, V>, usize)> {
        // Mostly there is one more in the leaf.
        if let Some((leaf, slot)) = self.way.last_mut()
            && *slot < leaf.to()
        {
            *slot += 1;
            return Some((*leaf, *slot - 1));
        }
        let (node, slot, steps) = self.entry()?;
        let height = self.way.len() - 1 - steps;
        self.way.truncate(steps);
        self.way.push((node, slot + 1));
        // SAFETY: an inner node: a leaf would have had one more.
        self.descend(unsafe { node.child(slot + 1) }, height - 1, Side::Before);
        Some((node, slot))
    }

    /// Goes before the entry before it: where that is.
    pub(crate) fn next_back(&mut self) -> Option<(Node<'gc, K, V>, usize)> {
        let (node, slot, steps) = self.entry_back()?;
        let height = self.way.len() - 1 - steps;
        self.way.truncate(steps);
        self.way.push((node, slot));
        if height > 0 {
            // SAFETY: an inner node.
            self.descend(unsafe { node.child(slot) }, height - 1, Side::Behind);
        }
        Some((node, slot))
    }

    /// Whether both are at one place.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        match (self.way.last(), other.way.last()) {
            (Some((leaf, slot)), Some((other, there))) => {
                leaf.raw() == other.raw() && slot == there
            }
            (None, None) => true,
            _ => false,
        }
    }
}
