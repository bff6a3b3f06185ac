//! The tree: insertion and removal.

use super::cursor::{Cursor, Side};
use super::node::Node;
use crate::collections::chunk::Chunk;
use crate::mutator::Mutator;
use crate::types::Object;
use std::borrow::Borrow;

/// Entries in order. All leaves are at one depth; each inner node has a child before, between and
/// behind its entries.
pub(crate) struct Tree<'gc, K, V> {
    pub(crate) root: Option<Node<'gc, K, V>>,
    /// Of the root; leaves have 0.
    pub(crate) height: usize,
    pub(crate) len: usize,
}

/// Where a key is, or would be.
pub(crate) enum Found<'gc, K, V> {
    /// The node, the slot and the height.
    Entry(Node<'gc, K, V>, usize, usize),
    /// The leaf and the slot; none, if there is no root.
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
    /// The order of keys is foreign code: it may panic, and nothing has changed.
    #[inline]
    pub(crate) fn find<Q: ?Sized + Ord>(&self, key: &Q) -> Found<'gc, K, V>
    where
        K: Borrow<Q>,
    {
        let Some(mut node) = self.root else {
            return Found::Gap(None);
        };
        let mut height = self.height;
        loop {
            // SAFETY: whoever calls has the map, and nobody writes it now.
            let slot = match search(unsafe { node.keys() }, key) {
                Ok(slot) => return Found::Entry(node, slot, height),
                Err(slot) => slot,
            };
            if height == 0 {
                return Found::Gap(Some((node, slot)));
            }
            height -= 1;
            // SAFETY: an inner node has a child beside each key.
            node = unsafe { node.child(slot) };
        }
    }

    /// Puts an entry that is not there where its gap was found. Where it is then.
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
            _ => self.room(m, &entry.0),
        };
        leaf.touch(m);
        // SAFETY: it has room, and has passed the barrier.
        unsafe { leaf.put(slot, entry, None) };
        self.len += 1;
        (leaf, slot)
    }

    /// Makes room in the leaf where a key would be. Each step leaves a whole tree.
    #[cold]
    #[inline(never)]
    fn room(&mut self, m: &Mutator<'gc>, key: &K) -> (Node<'gc, K, V>, usize)
    where
        K: Ord,
    {
        loop {
            let Some(root) = self.root else {
                self.root = Some(Chunk::new(m, Node::<K, V>::FIRST));
                continue;
            };
            let way = Cursor::beside(self, key, Side::Before).way;
            let Some(&(leaf, slot)) = way.last() else {
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
            // What is filled from one end to the other leaves full nodes behind.
            let middle = if way.iter().all(|&(node, slot)| slot == node.to()) {
                Node::<K, V>::MOST - 2
            } else if way.iter().all(|&(_, slot)| slot == 0) {
                1
            } else {
                Node::<K, V>::MOST / 2
            };
            // The highest full node of those above the leaf that are full without a gap: what is
            // above it has room.
            let full = |&(node, _): &(Node<'gc, K, V>, usize)| node.to() == node.capacity();
            let step = way.iter().rposition(|step| !full(step));
            let (above, step) = match step {
                Some(step) => (way[step], step + 1),
                None => {
                    let above: Node<'gc, K, V> = Node::at(m, self.height + 1);
                    let right = Node::at(m, self.height);
                    // SAFETY: new.
                    unsafe { above.begin(root) };
                    split(m, (above, 0), (root, right), self.height, middle);
                    self.root = Some(above);
                    self.height += 1;
                    continue;
                }
            };
            let height = self.height - step;
            let right = Node::at(m, height);
            split(m, above, (way[step].0, right), height, middle);
        }
    }

    /// Takes an entry out of a leaf that has enough without it.
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

    /// Takes out the entry to which a way leads: nodes with their slots, the last of which is the
    /// entry's.
    pub(crate) fn take(
        &mut self,
        m: &Mutator<'gc>,
        mut way: Vec<(Node<'gc, K, V>, usize)>,
    ) -> Option<(K, V)> {
        let (node, slot) = *way.last()?;
        let height = self.height + 1 - way.len();
        node.touch(m);
        let mut leaf = node;
        if height == 0 {
            // SAFETY: the entry is there, and its leaf has passed the barrier.
            let entry = unsafe { node.take(slot, 0) };
            self.len -= 1;
            self.mend(m, &way);
            return Some(entry);
        }
        // The entry before it, which is in a leaf, takes its place.
        for _ in 0..height {
            let (above, slot) = *way.last()?;
            // SAFETY: an inner node, which has a child beside each entry.
            leaf = unsafe { above.child(slot) };
            way.push((leaf, leaf.to()));
        }
        leaf.touch(m);
        // SAFETY: no leaf is empty but that of an empty map; both have passed the barrier. What is
        // read there is written over.
        let entry = unsafe {
            let (key, value) = leaf.take(leaf.to() - 1, 0);
            (node.key(slot).replace(key), node.value(slot).replace(value))
        };
        self.len -= 1;
        self.mend(m, &way);
        Some(entry)
    }

    /// From a leaf upwards: nodes with too few entries get some from a neighbour, or are merged
    /// with it.
    fn mend(&mut self, m: &Mutator<'gc>, way: &[(Node<'gc, K, V>, usize)]) {
        for step in (1..way.len()).rev() {
            let (node, _) = way[step];
            if node.to() >= Node::<K, V>::LEAST {
                return;
            }
            let (above, place) = way[step - 1];
            let height = self.height - step;
            above.touch(m);
            // The entry above between the two.
            let between = place.saturating_sub(1);
            // SAFETY: an inner node has two children at least; they are at this height, and pass
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
        // The root itself has lost an entry. One that led to two nodes leads to one: that is the
        // root.
        if let Some(root) = self.root
            && self.height > 0
            && root.to() == 0
        {
            // SAFETY: an inner node; the child is there, though it has no entry beside it.
            self.root = Some(unsafe { root.child(0) });
            self.height -= 1;
        }
    }
}

/// Splits a full node: what is behind the middle goes into an empty one, and the middle up.
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
    // SAFETY: they have passed the barrier; the right one is empty and of the same capacity, and
    // there is room for one entry above. An inner node gives its middle's right child away: it is
    // the first one of the right node.
    unsafe {
        if height > 0 {
            right.begin(node.child(middle + 1));
        }
        node.move_end(middle + 1, right, height);
        let entry = node.take(middle, height);
        above.put(place, entry, Some(right));
    }
}

/// Puts an entry in the place of one, which comes back.
///
/// # Safety
///
/// It is there; the node has passed the barrier.
unsafe fn exchange<'gc, K: Object<'gc>, V: Object<'gc>>(
    node: Node<'gc, K, V>,
    slot: usize,
    (key, value): (K, V),
) -> (K, V) {
    // SAFETY: the caller's.
    unsafe { (node.key(slot).replace(key), node.value(slot).replace(value)) }
}

/// The slot of a key, or where it would be.
#[inline]
fn search<K: Borrow<Q>, Q: ?Sized + Ord>(keys: &[K], key: &Q) -> Result<usize, usize> {
    keys.binary_search_by(|other| other.borrow().cmp(key))
}
