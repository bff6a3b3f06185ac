//! H5: and that of the same heap.

use std::sync::Arc;
use vivant_heap::*;

struct Numbers;
impl Root for Numbers {
    type Of<'gc> = Vec<Gc<'gc, Mut<u64>>>;
}

fn heap() -> Heap<Numbers> {
    Heap::new(&Arc::new(PageSource::new()), Pacing::default(), |_| Vec::new())
}

fn main() {
    let (mut one, mut other) = (heap(), heap());
    one.turn(|m, _| other.turn(|_, numbers| *numbers[0].borrow_mut(m) = 1));
}
