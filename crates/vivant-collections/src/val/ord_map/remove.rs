//! Removal of an entry.

use super::node::{LEAST, Node, Subtree, place};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::val::copy;
use std::borrow::Borrow;
use vivant_heap::{Frozen, Mutator};

impl<'gc, K, V> Node<'gc, K, V>
where
    K: Ord + Frozen<'gc> + Clone,
    V: Frozen<'gc> + Clone,
{
    /// The rest of a whole tree without a key that is in it. A root with one child is removed.
    pub(super) fn without<Q: Ord + ?Sized>(self, m: &Mutator<'gc>, key: &Q) -> Option<Self>
    where
        K: Borrow<Q>,
    {
        let mut root = self.remove(m, key)?;
        while let Node::Branch(children) = root
            && let [only] = &*children
        {
            root = only.node;
        }
        Some(root)
    }

    /// The rest of a node; `None` if it was a leaf with one entry. It may be too small.
    fn remove<Q: Ord + ?Sized>(self, m: &Mutator<'gc>, key: &Q) -> Option<Self>
    where
        K: Borrow<Q>,
    {
        match self {
            Node::Leaf(entries) => {
                let at = entries.partition_point(|(there, _)| there.borrow() < key);
                let entries = copy::without(&entries, at);
                (!entries.is_empty()).then(|| Node::Leaf(m.val_slice(entries)))
            }
            Node::Branch(children) => {
                let at = place(&children, key);
                let below = children[at].node.remove(m, key);
                let children = match below.and_then(Node::child) {
                    Some(child) => rebalanced(m, &children, at, child),
                    None => copy::without(&children, at),
                };
                Some(Node::Branch(m.val_slice(children)))
            }
        }
    }
}

/// Replaces one of the children. If the new child is too small, it is merged with a neighbour, or
/// gets a part of it.
fn rebalanced<'gc, K, V>(
    m: &Mutator<'gc>,
    children: &[Subtree<'gc, K, V>],
    at: usize,
    child: Subtree<'gc, K, V>,
) -> Vec<Subtree<'gc, K, V>>
where
    K: Frozen<'gc> + Clone,
    V: Frozen<'gc> + Clone,
{
    #[cfg(test)]
    if is_injected(InjectedFault::SmallNode) {
        return copy::replaced(children, at, child);
    }
    if child.node.slots() >= LEAST || children.len() == 1 {
        return copy::replaced(children, at, child);
    }
    let (from, one, other) = match at {
        0 => (0, &child, &children[1]),
        _ => (at - 1, &children[at - 1], &child),
    };
    let mut all = children[..from].to_vec();
    match (one.node, other.node) {
        (Node::Leaf(one), Node::Leaf(other)) => {
            all.extend(Node::leaves(m, [&*one, &*other].concat()));
        }
        (Node::Branch(one), Node::Branch(other)) => {
            all.extend(Node::branches(m, [&*one, &*other].concat()));
        }
        _ => unreachable!("J5: neighbours are of one height"),
    }
    all.extend_from_slice(&children[from + 2..]);
    all
}
