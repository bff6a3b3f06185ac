//! Y3: nor what its holder's turn allocates meanwhile.

include!("shared/nodes.rs");

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
