//! Y3: nor what its holder's turn allocates meanwhile.

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
    heap.turn(|m, _| {
        iso.open_in(m, |r, root| {
            root.next = Some(r.alloc(Node { next: None }));
            root.next = Some(m.alloc(Node { next: None }));
        });
    });
}
