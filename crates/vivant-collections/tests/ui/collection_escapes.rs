//! What a collection lends ends with the turn.

use std::sync::Arc;
use vivant_collections::gc;
use vivant_heap::{Heap, Pacing, Root, PageSource};

struct State;

impl Root for State {
    type Of<'gc> = gc::Vec<'gc, String>;
}

fn main() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<State>::new(&source, Pacing::default(), |_| gc::Vec::new());
    let first = heap.turn(|_, vec| vec.first());
    let all = heap.turn(|_, vec| std::mem::take(vec));
    drop(first);
}
