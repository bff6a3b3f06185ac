//! Y1: nor in a closure that is kept for later.

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
    let mut later: Vec<Box<dyn FnOnce()>> = Vec::new();
    heap().turn(|m, numbers| {
        let number = numbers[0];
        later.push(Box::new(move || println!("{}", number.get())));
        let _ = m;
    });
}
