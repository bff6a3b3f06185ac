//! Nor does the right to allocate.

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
    heap().turn(|m, _| {
        std::thread::scope(|threads| {
            threads.spawn(|| drop(m.alloc(1)));
        });
    });
}
