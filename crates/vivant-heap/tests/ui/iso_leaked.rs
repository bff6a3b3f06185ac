//! Y3: what is in a region does not get out, but by merging.

include!("shared/nodes.rs");

fn main() {
    let source = Arc::new(PageSource::new());
    let mut iso = Iso::<Node<'static>>::new(&source, |_| Node { next: None });
    let mut heap = Heap::<State>::new(&source, Pacing::default(), |_| Vec::new());
    heap.turn(|m, state| {
        let inner = iso.open_in(m, |_, root| root.next);
        iso.open_in(m, |_, root| state.extend(root.next));
    });
}
