//! O1: a region that was merged is nobody's handle any more; and there is one handle.

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
    let other = iso.clone();
    let mut heap = Heap::<State>::new(&source, Pacing::default(), |_| Vec::new());
    heap.turn(|m, state| state.extend(iso.merge(m).next));
    drop(iso);
}
