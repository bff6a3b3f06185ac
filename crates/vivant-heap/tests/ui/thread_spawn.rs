//! A reference does not go to a thread.

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
        let number = numbers[0];
        std::thread::spawn(move || number.get());
    });
}
