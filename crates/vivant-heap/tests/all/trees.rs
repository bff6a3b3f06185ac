//! Trees with titles, which count their drops: private graphs for regions.

use crate::drop_counter::DropCounter;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use vivant_heap::{Freeze, Gc, Iso, Leaf, Mut, Mutator, Object, Val};

#[derive(Object, Freeze)]
pub(crate) struct Node<'gc> {
    pub(crate) value: u64,
    pub(crate) left: Option<Gc<'gc, Mut<Node<'gc>>>>,
    pub(crate) right: Option<Gc<'gc, Mut<Node<'gc>>>>,
    pub(crate) title: Option<Val<'gc, str>>,
    counted: Option<Leaf<DropCounter>>,
}

pub(crate) type Tree<'gc> = Gc<'gc, Mut<Node<'gc>>>;
pub(crate) type TreeIso = Iso<Tree<'static>>;

/// A complete tree of nodes with the value one.
pub(crate) fn tree<'r>(r: &Mutator<'r>, depth: u64, drops: Option<&Arc<AtomicUsize>>) -> Tree<'r> {
    let part = || (depth > 0).then(|| tree(r, depth - 1, drops));
    r.alloc(Mut::new(Node {
        value: 1,
        left: part(),
        right: part(),
        title: None,
        counted: drops.map(|drops| Leaf(DropCounter(drops.clone()))),
    }))
}
