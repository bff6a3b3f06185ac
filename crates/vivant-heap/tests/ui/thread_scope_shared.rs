//! Nor by a reference to it.

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
    heap().turn(|_, numbers| {
        std::thread::scope(|threads| {
            threads.spawn(|| numbers[0].get());
        });
    });
}
