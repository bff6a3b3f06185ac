//! The B-tree: insertion and removal.

use super::cursor::{Cursor, Side};
use super::node::Node;
use crate::gc::chunk::Chunk;
use std::borrow::Borrow;
use vivant_heap::{Mutator, Object};

/// Entries in order. All leaves are at the same depth; each inner node has a child before, between
/// and behind its entries.
pub(crate) struct Tree<'gc, K, V> {
    pub(crate) root: Option<Node<'gc, K, V>>,
    /// The height of the root; leaves have height 0.
    pub(crate) height: usize,
    pub(crate) len: usize,
}

/// The result of a search for a key.
pub(crate) enum SearchResult<'gc, K, V> {
    /// The node, the slot and the height of its entry.
    Entry(Node<'gc, K, V>, usize, usize),
    /// The leaf and the slot where it would be; `None` if there is no root.
    Gap(Option<(Node<'gc, K, V>, usize)>),
}

impl<K, V> Tree<'_, K, V> {
    pub(crate) const fn new() -> Self {
        Tree {
            root: None,
            height: 0,
            len: 0,
        }
    }
}

impl<'gc, K: Object<'gc>, V: Object<'gc>> Tree<'gc, K, V> {
    /// Searches a key. The order of keys is foreign code: it may panic, and nothing has changed.
    #[inline]
    pub(crate) fn find<Q: ?Sized + Ord>(&self, key: &Q) -> SearchResult<'gc, K, V>
    where
        K: Borrow<Q>,
    {
        let Some(mut node) = self.root else {
            return SearchResult::Gap(None);
        };
        let mut height = self.height;
        loop {
            // SAFETY: the caller has borrowed the map, so it is not written now.
            let slot = match search(unsafe { node.keys() }, key) {
                Ok(slot) => return SearchResult::Entry(node, slot, height),
                Err(slot) => slot,
            };
            if height == 0 {
                return SearchResult::Gap(Some((node, slot)));
            }
            height -= 1;
            // SAFETY: an inner node has a child beside each key.
            node = unsafe { node.child(slot) };
        }
    }

    /// Inserts an entry at the gap where its key was searched. Returns its leaf and slot.
    pub(crate) fn put(
        &mut self,
        m: &Mutator<'gc>,
        gap: Option<(Node<'gc, K, V>, usize)>,
        entry: (K, V),
    ) -> (Node<'gc, K, V>, usize)
    where
        K: Ord,
    {
        let (leaf, slot) = match gap {
            Some((leaf, slot)) if leaf.to() < leaf.capacity() => (leaf, slot),
            _ => self.make_room(m, &entry.0),
        };
        leaf.touch(m);
        // SAFETY: it has room, and has passed the barrier.
        unsafe { leaf.put(slot, entry, None) };
        self.len += 1;
        (leaf, slot)
    }

    /// Makes room in the leaf where a key would be. Each step leaves a valid tree.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, m: &Mutator<'gc>, key: &K) -> (Node<'gc, K, V>, usize)
    where
        K: Ord,
    {
        loop {
            let Some(root) = self.root else {
                self.root = Some(Chunk::new(m, Node::<K, V>::FIRST));
                continue;
            };
            let path = Cursor::beside(self, key, Side::Before).path;
            let Some(&(leaf, slot)) = path.last() else {
                continue;
            };
            if leaf.to() < leaf.capacity() {
                return (leaf, slot);
            }
            if leaf.capacity() < Node::<K, V>::MOST {
                let capacity = (leaf.capacity() * 2).min(Node::<K, V>::MOST);
                let wider = Chunk::new(m, capacity);
                leaf.touch(m);
                // SAFETY: the only leaf; both have passed the barrier.
                unsafe { leaf.move_end(0, wider, 0) };
                self.root = Some(wider);
                continue;
            }
            // A map that is filled from one end to the other leaves full nodes behind.
            let middle = if path.iter().all(|&(node, slot)| slot == node.to()) {
                Node::<K, V>::MOST - 2
            } else if path.iter().all(|&(_, slot)| slot == 0) {
                1
            } else {
                Node::<K, V>::MOST / 2
            };
            // The highest of the full nodes that extend from the leaf upwards without a gap: the
            // node above it has room.
            let full = |&(node, _): &(Node<'gc, K, V>, usize)| node.to() == node.capacity();
            let step = path.iter().rposition(|step| !full(step));
            let (above, step) = match step {
                Some(step) => (path[step], step + 1),
                None => {
                    let above: Node<'gc, K, V> = Node::at(m, self.height + 1);
                    let right = Node::at(m, self.height);
                    // SAFETY: `above` is new.
                    unsafe { above.begin(root) };
                    split(m, (above, 0), (root, right), self.height, middle);
                    self.root = Some(above);
                    self.height += 1;
                    continue;
                }
            };
            let height = self.height - step;
            let right = Node::at(m, height);
            split(m, above, (path[step].0, right), height, middle);
        }
    }

    /// Removes an entry from a leaf that has enough entries without it, and returns it.
    pub(crate) fn take_from_leaf(
        &mut self,
        m: &Mutator<'gc>,
        leaf: Node<'gc, K, V>,
        slot: usize,
    ) -> Option<(K, V)> {
        leaf.touch(m);
        self.len -= 1;
        // SAFETY: the entry is there; the leaf has passed the barrier.
        Some(unsafe { leaf.take(slot, 0) })
    }

    /// Removes the entry to which a path leads, and returns it. The path consists of nodes with
    /// their slots; the last slot is the entry's.
    pub(crate) fn take(
        &mut self,
        m: &Mutator<'gc>,
        mut path: Vec<(Node<'gc, K, V>, usize)>,
    ) -> Option<(K, V)> {
        let (node, slot) = *path.last()?;
        let height = self.height + 1 - path.len();
        node.touch(m);
        let mut leaf = node;
        if height == 0 {
            // SAFETY: the entry is there, and its leaf has passed the barrier.
            let entry = unsafe { node.take(slot, 0) };
            self.len -= 1;
            self.rebalance(m, &path);
            return Some(entry);
        }
        // The previous entry, which is in a leaf, takes its place.
        for _ in 0..height {
            let (above, slot) = *path.last()?;
            // SAFETY: an inner node, which has a child beside each entry.
            leaf = unsafe { above.child(slot) };
            path.push((leaf, leaf.to()));
        }
        leaf.touch(m);
        // SAFETY: only the leaf of an empty map is empty; both have passed the barrier. The entry
        // that is read there is overwritten.
        let entry = unsafe {
            let (key, value) = leaf.take(leaf.to() - 1, 0);
            (node.key(slot).replace(key), node.value(slot).replace(value))
        };
        self.len -= 1;
        self.rebalance(m, &path);
        Some(entry)
    }

    /// From a leaf upwards: nodes with too few entries take some from a neighbour, or are merged
    /// with it.
    fn rebalance(&mut self, m: &Mutator<'gc>, path: &[(Node<'gc, K, V>, usize)]) {
        for step in (1..path.len()).rev() {
            let (node, _) = path[step];
            if node.to() >= Node::<K, V>::LEAST {
                return;
            }
            let (above, place) = path[step - 1];
            let height = self.height - step;
            above.touch(m);
            // The entry in `above` between the two nodes.
            let between = place.saturating_sub(1);
            // SAFETY: an inner node has at least two children; they are at this height, and pass
            // the barrier.
            unsafe {
                let (left, right) = (above.child(between), above.child(between + 1));
                left.touch(m);
                right.touch(m);
                if left.to() + 1 + right.to() <= Node::<K, V>::MOST {
                    let first = (height > 0).then(|| right.child(0));
                    let entry = above.take(between, self.height - step + 1);
                    left.put(left.to(), entry, first);
                    right.move_end(0, left, height);
                    continue;
                }
                while left.to() > right.to() + 1 {
                    let last = (height > 0).then(|| left.child(left.to()));
                    let entry = left.take(left.to() - 1, height);
                    right.put_first(exchange(above, between, entry), last);
                }
                while right.to() > left.to() + 1 {
                    let (entry, first) = right.take_first(height);
                    left.put(left.to(), exchange(above, between, entry), first);
                }
            }
            return;
        }
        // The root itself has lost an entry. If it has only one child left, that child becomes the
        // root.
        if let Some(root) = self.root
            && self.height > 0
            && root.to() == 0
        {
            // SAFETY: an inner node; the child exists, though the root has no entry.
            self.root = Some(unsafe { root.child(0) });
            self.height -= 1;
        }
    }
}

/// Splits a full node: the entries behind the middle go to an empty node, and the middle one goes
/// up.
fn split<'gc, K: Object<'gc>, V: Object<'gc>>(
    m: &Mutator<'gc>,
    (above, place): (Node<'gc, K, V>, usize),
    (node, right): (Node<'gc, K, V>, Node<'gc, K, V>),
    height: usize,
    middle: usize,
) {
    above.touch(m);
    node.touch(m);
    right.touch(m);
    // SAFETY: they have passed the barrier; the right node is empty and of the same capacity, and
    // there is room for one entry above. The child behind an inner node's middle entry becomes the
    // first child of the right node.
    unsafe {
        if height > 0 {
            right.begin(node.child(middle + 1));
        }
        node.move_end(middle + 1, right, height);
        let entry = node.take(middle, height);
        above.put(place, entry, Some(right));
    }
}

/// Replaces an entry, and returns the old one.
///
/// # Safety
///
/// There is an entry; the node has passed the barrier.
unsafe fn exchange<'gc, K: Object<'gc>, V: Object<'gc>>(
    node: Node<'gc, K, V>,
    slot: usize,
    (key, value): (K, V),
) -> (K, V) {
    // SAFETY: guaranteed by the caller.
    unsafe { (node.key(slot).replace(key), node.value(slot).replace(value)) }
}

/// The slot of a key, or the slot where it would be.
#[inline]
fn search<K: Borrow<Q>, Q: ?Sized + Ord>(keys: &[K], key: &Q) -> Result<usize, usize> {
    keys.binary_search_by(|other| other.borrow().cmp(key))
}
