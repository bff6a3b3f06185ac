//! Joining of two text trees.

use super::node::{Node, SizedNode};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use std::cmp::Ordering;
use vivant_heap::{Mutator, Val};

impl<'gc> Node<'gc> {
    /// Concatenates this text and the other one. Costs a node or two for each level at which they
    /// differ.
    pub(super) fn join(self, m: &Mutator<'gc>, other: Self) -> Self {
        let nodes = joined(m, (self, self.height()), (other, other.height()));
        Node::above(m, nodes)
    }
}

/// Returns one or two nodes of the height of the higher one. If there are two, both are large
/// enough to lie below another node. The lower argument may be smaller than that, because it is a
/// root.
fn joined<'gc>(
    m: &Mutator<'gc>,
    (one, height): (Node<'gc>, usize),
    (other, other_height): (Node<'gc>, usize),
) -> Vec<SizedNode<'gc>> {
    #[cfg(test)]
    if is_injected(InjectedFault::SmallNode) && height == other_height {
        return vec![one.child(), other.child()];
    }
    match (height.cmp(&other_height), one, other) {
        (Ordering::Equal, ..) if one.is_enough() && other.is_enough() => {
            vec![one.child(), other.child()]
        }
        (Ordering::Equal, Node::Chunk(one), Node::Chunk(other)) => {
            Node::chunks(m, &[&*one, &*other].concat())
        }
        (Ordering::Greater, Node::Branch(children), _) => {
            let Some((last, before)) = Val::as_ref(children).split_last() else {
                unreachable!("J6: a branch has children");
            };
            let mut all = before.to_vec();
            all.extend(joined(m, (last.node, height - 1), (other, other_height)));
            Node::branches(m, &all)
        }
        (Ordering::Less, _, Node::Branch(children)) => {
            let Some((first, behind)) = Val::as_ref(children).split_first() else {
                unreachable!("J6: a branch has children");
            };
            let mut all = joined(m, (one, height), (first.node, other_height - 1));
            all.extend_from_slice(behind);
            Node::branches(m, &all)
        }
        (_, Node::Branch(one), Node::Branch(other)) => {
            Node::branches(m, &[&*one, &*other].concat())
        }
        _ => unreachable!("J6: nodes of one height are of one kind"),
    }
}
