//! O1: a region that was merged is nobody's handle any more; and there is one handle.

include!("shared/nodes.rs");

fn main() {
    let source = Arc::new(PageSource::new());
    let iso = Iso::<Node<'static>>::new(&source, |_| Node { next: None });
    let other = iso.clone();
    let mut heap = Heap::<State>::new(&source, Pacing::default(), |_| Vec::new());
    heap.turn(|m, state| state.extend(iso.merge(m).next));
    drop(iso);
}
