//! O2: a region is not frozen, and is not in two places.

use std::sync::Arc;
use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    next: Option<Gc<'gc, Node<'gc>>>,
}

struct State;
impl Root for State {
    type Of<'gc> = Vec<Gc<'gc, Node<'gc>>>;
}

fn main() {
    let source = Arc::new(PageSource::new());
    let iso = Iso::<Node<'static>>::new(&source, |_| Node { next: None });
    let mut heap = Heap::<State>::new(&source, Pacing::default(), |_| Vec::new());
    heap.turn(|m, _| {
        m.val(iso);
    });
}
