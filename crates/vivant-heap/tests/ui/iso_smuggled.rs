//! Y3: what is private does not get into a region.

include!("shared/nodes.rs");

fn main() {
    let source = Arc::new(PageSource::new());
    let mut iso = Iso::<Node<'static>>::new(&source, |_| Node { next: None });
    let mut heap = Heap::<State>::new(&source, Pacing::default(), |_| Vec::new());
    heap.turn(|m, _| {
        let outer = m.alloc(Node { next: None });
        iso.open_in(m, |_, root| root.next = Some(outer));
    });
}
