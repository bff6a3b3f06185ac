//! Y2: an object of two brands, which a downcast would take for one of one.

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
        other.turn(|m, numbers| {
            let mixed = unsize!(m.alloc(Some(number)) => dyn Anything);
            let back: Gc<'_, Option<Gc<'_, Mut<u64>>>> = Gc::downcast(mixed).unwrap();
            numbers.extend(*back);
        });
    });
}
