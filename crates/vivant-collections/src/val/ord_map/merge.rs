//! Insertion of one or several entries: each node on their paths is copied once.

use super::node::{Node, Subtree};
use std::cmp::Ordering;
use std::iter::Peekable;
use std::vec::IntoIter;
use vivant_heap::{Frozen, Mutator, Val};

/// Sorts entries by key. Of equal keys only the last entry stays.
pub(super) fn distinct<K: Ord, V>(mut batch: Vec<(K, V)>) -> Vec<(K, V)> {
    batch.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut kept: Vec<(K, V)> = Vec::with_capacity(batch.len());
    for entry in batch {
        match kept.last_mut() {
            Some(last) if last.0 == entry.0 => *last = entry,
            _ => kept.push(entry),
        }
    }
    kept
}

/// Inserts a sorted batch, which is not empty, into a tree. Returns the tree, and the number of new
/// keys.
pub(super) fn merged<'gc, K, V>(
    m: &Mutator<'gc>,
    root: Option<Node<'gc, K, V>>,
    batch: Vec<(K, V)>,
) -> (Node<'gc, K, V>, usize)
where
    K: Ord + Frozen<'gc> + Clone,
    V: Frozen<'gc> + Clone,
{
    let mut merge = Merge {
        m,
        batch: batch.into_iter().peekable(),
        added: 0,
    };
    let mut top = Vec::new();
    match root {
        Some(root) => merge.node(root, None, &mut top),
        None => merge.leaf(&[], None, &mut top),
    }
    // Each pass leaves about 32 times fewer nodes.
    while top.len() > 1 {
        top = Node::branches(m, top).collect();
    }
    match top.pop() {
        Some(root) => (root.node, merge.added),
        None => unreachable!("the batch had an entry"),
    }
}

struct Merge<'a, 'gc, K, V> {
    m: &'a Mutator<'gc>,
    /// The entries to be inserted, in order.
    batch: Peekable<IntoIter<(K, V)>>,
    /// The number of new keys so far.
    added: usize,
}

impl<'gc, K, V> Merge<'_, 'gc, K, V>
where
    K: Ord + Frozen<'gc> + Clone,
    V: Frozen<'gc> + Clone,
{
    /// The next entry, if its key is less than `end`.
    fn next_before(&mut self, end: Option<&K>) -> Option<(K, V)> {
        self.batch
            .next_if(|(key, _)| end.is_none_or(|end| key < end))
    }

    /// Inserts all entries of the batch that come before `end` into a node. Emits one or more nodes
    /// of its height.
    fn node(&mut self, node: Node<'gc, K, V>, end: Option<&K>, out: &mut Vec<Subtree<'gc, K, V>>) {
        match node {
            Node::Leaf(entries) => self.leaf(Val::as_ref(entries), end, out),
            Node::Branch(children) => {
                let mut all = Vec::with_capacity(children.len() + 1);
                for (at, child) in children.iter().enumerate() {
                    let next = children.get(at + 1).map(|next| &next.least);
                    let end = next.or(end);
                    let comes = |(key, _): &(K, V)| end.is_none_or(|end| key < end);
                    match self.batch.peek().is_some_and(comes) {
                        true => self.node(child.node, end, &mut all),
                        false => all.push(child.clone()),
                    }
                }
                out.extend(Node::branches(self.m, all));
            }
        }
    }

    fn leaf(&mut self, entries: &[(K, V)], end: Option<&K>, out: &mut Vec<Subtree<'gc, K, V>>) {
        let mut all = Vec::with_capacity(entries.len() + 1);
        let mut old = entries;
        while let Some((key, value)) = self.next_before(end) {
            let before = old.partition_point(|(there, _)| *there < key);
            all.extend_from_slice(&old[..before]);
            old = &old[before..];
            match old.first().map(|(there, _)| there.cmp(&key)) {
                Some(Ordering::Equal) => old = &old[1..],
                _ => self.added += 1,
            }
            all.push((key, value));
        }
        all.extend_from_slice(old);
        out.extend(Node::leaves(self.m, all));
    }
}
