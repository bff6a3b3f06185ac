//! O2: a region is not frozen, and is not in two places.

include!("shared/nodes.rs");

fn main() {
    let source = Arc::new(PageSource::new());
    let iso = Iso::<Node<'static>>::new(&source, |_| Node { next: None });
    let mut heap = Heap::<State>::new(&source, Pacing::default(), |_| Vec::new());
    heap.turn(|m, _| {
        m.val(iso);
    });
}
