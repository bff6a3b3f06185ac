//! A position between two entries, with the path to it.

use super::node::Node;
use super::tree::Tree;
use std::borrow::Borrow;
use vivant_heap::Object;

/// The position before an entry of a leaf, or behind its last one: each position between two
/// entries of a map is in exactly one leaf.
pub(crate) struct Cursor<'gc, K, V> {
    /// The nodes from the root on, each with the number of the child that comes next; for the leaf,
    /// the slot.
    pub(crate) path: Vec<(Node<'gc, K, V>, usize)>,
}

/// The side of an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    Behind,
}

impl<'gc, K: Object<'gc>, V: Object<'gc>> Cursor<'gc, K, V> {
    /// Before the first entry, or behind the last.
    pub(crate) fn edge(tree: &Tree<'gc, K, V>, side: Side) -> Self {
        let mut cursor = Cursor { path: Vec::new() };
        if let Some(root) = tree.root {
            cursor.descend(root, tree.height, side);
        }
        cursor
    }

    /// Beside the entry with this key, or where it would be.
    pub(crate) fn beside<Q: ?Sized + Ord>(tree: &Tree<'gc, K, V>, key: &Q, side: Side) -> Self
    where
        K: Borrow<Q>,
    {
        let mut path = Vec::with_capacity(tree.height + 1);
        let Some(mut node) = tree.root else {
            return Cursor { path };
        };
        for height in (0..=tree.height).rev() {
            // SAFETY: the caller has borrowed the map, so it is not written now.
            let found = unsafe { node.keys() }.binary_search_by(|other| other.borrow().cmp(key));
            match (found, side) {
                (Ok(slot) | Err(slot), _) if height == 0 => {
                    let behind = found.is_ok() && side == Side::Behind;
                    path.push((node, slot + usize::from(behind)));
                }
                (Ok(slot), _) => {
                    let (slot, rest) = match side {
                        Side::Before => (slot, Side::Behind),
                        Side::Behind => (slot + 1, Side::Before),
                    };
                    path.push((node, slot));
                    let mut cursor = Cursor { path };
                    // SAFETY: an inner node with this entry has a child on each side of it.
                    cursor.descend(unsafe { node.child(slot) }, height - 1, rest);
                    return cursor;
                }
                (Err(slot), _) => {
                    path.push((node, slot));
                    // SAFETY: an inner node has a child beside each key.
                    node = unsafe { node.child(slot) };
                }
            }
        }
        Cursor { path }
    }

    fn descend(&mut self, mut node: Node<'gc, K, V>, height: usize, side: Side) {
        for height in (0..=height).rev() {
            let slot = match side {
                Side::Before => 0,
                Side::Behind => node.to(),
            };
            self.path.push((node, slot));
            if height > 0 {
                // SAFETY: an inner node has this child.
                node = unsafe { node.child(slot) };
            }
        }
    }

    /// The entry behind the cursor: its node, its slot, and the number of steps of the path to the
    /// node.
    pub(crate) fn entry(&self) -> Option<(Node<'gc, K, V>, usize, usize)> {
        let ahead = |&(_, &(node, slot)): &(usize, &(Node<'gc, K, V>, usize))| slot < node.to();
        let (steps, &(node, slot)) = self.path.iter().enumerate().rfind(ahead)?;
        Some((node, slot, steps))
    }

    /// The entry before the cursor, in the same form.
    fn entry_back(&self) -> Option<(Node<'gc, K, V>, usize, usize)> {
        let behind = |&(_, &(_, slot)): &(usize, &(Node<'gc, K, V>, usize))| slot > 0;
        let (steps, &(node, slot)) = self.path.iter().enumerate().rfind(behind)?;
        Some((node, slot - 1, steps))
    }

    /// Moves behind the next entry, and returns that entry's node and slot.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(Node<'gc, K, V>, usize)> {
        // Usually the leaf has another entry.
        if let Some((leaf, slot)) = self.path.last_mut()
            && *slot < leaf.to()
        {
            *slot += 1;
            return Some((*leaf, *slot - 1));
        }
        let (node, slot, steps) = self.entry()?;
        let height = self.path.len() - 1 - steps;
        self.path.truncate(steps);
        self.path.push((node, slot + 1));
        // SAFETY: an inner node: a leaf would have had another entry.
        self.descend(unsafe { node.child(slot + 1) }, height - 1, Side::Before);
        Some((node, slot))
    }

    /// Moves before the previous entry, and returns that entry's node and slot.
    pub(crate) fn next_back(&mut self) -> Option<(Node<'gc, K, V>, usize)> {
        let (node, slot, steps) = self.entry_back()?;
        let height = self.path.len() - 1 - steps;
        self.path.truncate(steps);
        self.path.push((node, slot));
        if height > 0 {
            // SAFETY: an inner node.
            self.descend(unsafe { node.child(slot) }, height - 1, Side::Behind);
        }
        Some((node, slot))
    }

    /// Whether both are at the same position.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        match (self.path.last(), other.path.last()) {
            (Some((leaf, slot)), Some((other, there))) => {
                leaf.raw() == other.raw() && slot == there
            }
            (None, None) => true,
            _ => false,
        }
    }
}
