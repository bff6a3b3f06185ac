//! Y1, Y4: no other thread has a tag while a turn runs: the tag goes to one in a parcel.

use std::sync::Arc;
use vivant_heap::*;

struct Names;
impl Root for Names {
    type Of<'gc> = Vec<Tag<'gc, u64>>;
}

fn main() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Names>::new(&source, Pacing::default(), |m| vec![m.tag(m.alloc(1))]);
    heap.turn(|_, names| {
        std::thread::scope(|scope| {
            scope.spawn(|| names[0].id());
        });
    });
}
