//! Y2: a slice of two brands.

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
    one.turn(|m, _| {
        let number = m.alloc(Mut::new(1));
        other.turn(|m, _| {
            m.alloc_slice([number]);
        });
    });
}
