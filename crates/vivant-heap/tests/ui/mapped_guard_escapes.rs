//! Y1: a borrow of a part does not outlive the turn.

use std::sync::Arc;
use vivant_heap::*;

struct Texts;
impl Root for Texts {
    type Of<'gc> = Vec<Gc<'gc, Mut<String>>>;
}

fn heap() -> Heap<Texts> {
    Heap::new(&Arc::new(PageSource::new()), Pacing::default(), |_| Vec::new())
}

fn main() {
    let mut heap = heap();
    let part = heap.turn(|_, texts| Ref::map(texts[0].borrow(), |text| text.as_str()));
    heap.collect();
    assert_eq!(&*part, "");
}
