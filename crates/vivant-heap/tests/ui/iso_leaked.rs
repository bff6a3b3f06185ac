//! Y3: what is in a region does not get out, but by merging.

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
    let mut iso = Iso::<Node<'static>>::new(&source, |_| Node { next: None });
    let mut heap = Heap::<State>::new(&source, Pacing::default(), |_| Vec::new());
    heap.turn(|m, state| {
        let inner = iso.open_in(m, |_, root| root.next);
        iso.open_in(m, |_, root| state.extend(root.next));
    });
}
