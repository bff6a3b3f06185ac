//! Slices of a text tree.

use super::node::{Node, SizedNode, place};
use std::ops::Range;
use vivant_heap::{Mutator, Val};

impl<'gc> SizedNode<'gc> {
    /// The tree of this byte range: whole characters, at least one, all of them below this child.
    /// Nodes between the two ends are shared.
    pub(super) fn slice(&self, m: &Mutator<'gc>, range: Range<usize>) -> Node<'gc> {
        let Range { start, end } = range;
        match self.node {
            whole if range.len() == self.bytes => whole,
            Node::Chunk(text) => Node::Chunk(m.val_str(&text[range])),
            Node::Branch(children) => {
                let children = Val::as_ref(children);
                let ends = (place(children, start), place(children, end - 1));
                let (Some((first, from)), Some((last, to))) = ends else {
                    unreachable!("there are such bytes");
                };
                if first == last {
                    return children[first].slice(m, from..to + 1);
                }
                let mut slice = children[first].slice(m, from..children[first].bytes);
                let between = &children[first + 1..last];
                if !between.is_empty() {
                    slice = slice.join(m, Node::above(m, between.to_vec()));
                }
                slice.join(m, children[last].slice(m, 0..to + 1))
            }
        }
    }
}
