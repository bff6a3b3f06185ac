//! A heap is for one thread at a time.

use std::sync::Arc;
use vivant_heap::*;

struct Numbers;
impl Root for Numbers {
    type Of<'gc> = Vec<Gc<'gc, Mut<u64>>>;
}

fn heap() -> Heap<Numbers> {
    Heap::new(&Arc::new(PageSource::new()), Pacing::default(), |_| Vec::new())
}

fn shared<T: Sync>(_: &T) {}

fn main() {
    shared(&heap());
}
