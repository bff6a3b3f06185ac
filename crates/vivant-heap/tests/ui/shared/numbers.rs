// A heap with a list of numbers as its state.

use std::sync::Arc;
use vivant_heap::*;

struct Numbers;
impl Root for Numbers {
    type Of<'gc> = Vec<Gc<'gc, Mut<u64>>>;
}

fn heap() -> Heap<Numbers> {
    Heap::new(&Arc::new(PageSource::new()), Pacing::default(), |_| Vec::new())
}
