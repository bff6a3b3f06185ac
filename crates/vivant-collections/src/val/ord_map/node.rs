//! [`Node`]: a leaf of entries in order, or a branch of child nodes in the order of their keys.

use crate::val::checks::Checks;
use crate::val::copy::WIDTH;
use std::borrow::Borrow;
use vivant_heap::{Fault, Frozen, Mutator, Object, Val};

/// The smallest number of slots of a node that is not the root. Two nodes with fewer than twice
/// this number can be merged.
pub(super) const LEAST: usize = WIDTH / 4;

/// More levels than any map has.
const HEIGHT_MAX: u32 = usize::BITS.div_ceil(LEAST.ilog2());

/// A node. All paths from it down to leaves are equally long.
#[derive(Object)]
pub(crate) enum Node<'gc, K, V> {
    Leaf(Val<'gc, [(K, V)]>),
    Branch(Val<'gc, [Subtree<'gc, K, V>]>),
}

impl<K, V> Clone for Node<'_, K, V> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Node<'_, K, V> {}

/// A node below a branch.
#[derive(Clone, Copy, Object)]
pub(crate) struct Subtree<'gc, K, V> {
    /// The least key below it.
    pub(crate) least: K,
    /// The number of entries below it.
    pub(crate) entries: usize,
    pub(crate) node: Node<'gc, K, V>,
}

impl<'gc, K, V> Node<'gc, K, V> {
    pub(super) fn slots(self) -> usize {
        match self {
            Node::Leaf(entries) => entries.len(),
            Node::Branch(children) => children.len(),
        }
    }

    pub(crate) fn address(self) -> usize {
        match self {
            Node::Leaf(entries) => entries.as_ptr().addr(),
            Node::Branch(children) => children.as_ptr().addr(),
        }
    }

    fn entries(self) -> usize {
        match self {
            Node::Leaf(entries) => entries.len(),
            Node::Branch(children) => children.iter().map(|child| child.entries).sum(),
        }
    }

    /// The leaf that contains the entry of this rank, and the entry's index in it.
    pub(super) fn leaf_at(self, mut rank: usize) -> Option<(&'gc [(K, V)], usize)> {
        let mut node = self;
        loop {
            match node {
                Node::Leaf(entries) => return Some((Val::as_ref(entries), rank)),
                Node::Branch(children) => {
                    let child = Val::as_ref(children).iter().find(|child| {
                        let is_here = rank < child.entries;
                        rank -= if is_here { 0 } else { child.entries };
                        is_here
                    });
                    node = child?.node;
                }
            }
        }
    }

    #[inline]
    pub(super) fn get<Q: Ord + ?Sized>(self, key: &Q) -> Option<(&'gc K, &'gc V)>
    where
        K: Borrow<Q>,
    {
        let mut node = self;
        loop {
            match node {
                Node::Leaf(entries) => {
                    let entries = Val::as_ref(entries);
                    let at = entries
                        .binary_search_by(|(there, _)| there.borrow().cmp(key))
                        .ok()?;
                    return Some((&entries[at].0, &entries[at].1));
                }
                Node::Branch(children) => node = children[place(&children, key)].node,
            }
        }
    }

    /// The number of entries for which `is_before` holds; they come before all others.
    pub(super) fn before<Q: ?Sized>(self, is_before: impl Fn(&Q) -> bool) -> usize
    where
        K: Borrow<Q>,
    {
        let (mut node, mut count) = (self, 0);
        loop {
            match node {
                Node::Leaf(entries) => {
                    return count + entries.partition_point(|(key, _)| is_before(key.borrow()));
                }
                Node::Branch(children) => {
                    let begin = children.partition_point(|child| is_before(child.least.borrow()));
                    let Some(at) = begin.checked_sub(1) else {
                        return count;
                    };
                    count += children[..at]
                        .iter()
                        .map(|child| child.entries)
                        .sum::<usize>();
                    node = children[at].node;
                }
            }
        }
    }
}

/// The index of the child that a key belongs to.
#[inline]
pub(super) fn place<K: Borrow<Q>, V, Q: Ord + ?Sized>(
    children: &[Subtree<'_, K, V>],
    key: &Q,
) -> usize {
    let behind = children.partition_point(|child| child.least.borrow() <= key);
    behind.saturating_sub(1)
}

impl<'gc, K: Frozen<'gc> + Clone, V: Frozen<'gc> + Clone> Node<'gc, K, V> {
    /// Makes it a child; `None` if it is empty.
    pub(super) fn child(self) -> Option<Subtree<'gc, K, V>> {
        let least = match self {
            Node::Leaf(entries) => entries.first()?.0.clone(),
            Node::Branch(children) => children.first()?.least.clone(),
        };
        Some(Subtree {
            least,
            entries: self.entries(),
            node: self,
        })
    }

    /// Groups entries into as few leaves as possible, all of about the same length.
    pub(super) fn leaves(
        m: &Mutator<'gc>,
        entries: Vec<(K, V)>,
    ) -> impl Iterator<Item = Subtree<'gc, K, V>> {
        let runs = runs(entries).map(|run| Node::Leaf(m.val_slice(run)));
        runs.filter_map(Node::child)
    }

    /// Groups children into branches, in the same way.
    pub(super) fn branches(
        m: &Mutator<'gc>,
        children: Vec<Subtree<'gc, K, V>>,
    ) -> impl Iterator<Item = Subtree<'gc, K, V>> {
        let runs = runs(children).map(|run| Node::Branch(m.val_slice(run)));
        runs.filter_map(Node::child)
    }
}

/// Splits items into as few groups as possible, none longer than a node, all of about the same
/// length.
fn runs<T>(mut items: Vec<T>) -> impl Iterator<Item = Vec<T>> {
    let mut left = items.len().div_ceil(WIDTH);
    let mut runs = Vec::with_capacity(left);
    // From the end, so that no item is moved twice.
    while left > 1 {
        let run = items.len() / left;
        runs.push(items.split_off(items.len() - run));
        left -= 1;
    }
    if !items.is_empty() {
        runs.push(items);
    }
    runs.into_iter().rev()
}

impl<K: Ord, V> Node<'_, K, V> {
    /// Checks this root and all nodes below it. Returns the number of entries.
    pub(super) fn check(self, checks: Checks<'_>) -> Result<usize, Fault> {
        let height = self.height();
        match height <= HEIGHT_MAX {
            true => self.check_at(height, 1, checks),
            false => Err(Fault::new("J7", "a tree is too high", self.address())),
        }
    }

    fn height(self) -> u32 {
        let (mut node, mut height) = (self, 0);
        while let Node::Branch(children) = node
            && let Some(first) = children.first()
        {
            (node, height) = (first.node, height + 1);
        }
        height
    }

    /// Checks a node of at least `least` slots.
    fn check_at(self, height: u32, least: usize, checks: Checks<'_>) -> Result<usize, Fault> {
        checks.of(self.address(), [height.into(), least as u64, 0], || {
            self.examine(height, least, checks)
        })
    }

    fn examine(self, height: u32, least: usize, checks: Checks<'_>) -> Result<usize, Fault> {
        let fault = |what| Fault::new("J5", what, self.address());
        let least = match self {
            Node::Branch(_) => least.max(2),
            Node::Leaf(_) => least,
        };
        if !(least..=WIDTH).contains(&self.slots()) {
            return Err(fault("a node has too few slots, or too many"));
        }
        match self {
            Node::Leaf(entries) if height == 0 => {
                match entries.is_sorted_by(|(one, _), (next, _)| one < next) {
                    true => Ok(entries.len()),
                    false => Err(fault("keys are not in their order")),
                }
            }
            Node::Branch(children) if height > 0 => {
                let (mut entries, mut last): (usize, Option<&K>) = (0, None);
                for child in Val::as_ref(children) {
                    if child.node.check_at(height - 1, LEAST, checks)? != child.entries {
                        return Err(fault("a child has another number of entries"));
                    }
                    if child.node.key_at(0) != Some(&child.least) {
                        return Err(fault("the least key of a child is another one"));
                    }
                    if last.is_some_and(|last| *last >= child.least) {
                        return Err(fault("keys are not in their order"));
                    }
                    last = child.node.key_at(child.entries - 1);
                    let sum = entries.checked_add(child.entries);
                    entries = sum.ok_or_else(|| fault("a node has too many entries"))?;
                }
                Ok(entries)
            }
            _ => Err(fault("a way to a leaf has another length")),
        }
    }
}

impl<'gc, K, V> Node<'gc, K, V> {
    fn key_at(self, rank: usize) -> Option<&'gc K> {
        let (leaf, at) = self.leaf_at(rank)?;
        Some(&leaf.get(at)?.0)
    }
}
