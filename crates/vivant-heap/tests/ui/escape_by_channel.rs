//! Y1: nor through a channel.

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
    let (sender, _receiver) = std::sync::mpsc::channel();
    heap().turn(|m, _| sender.send(m.alloc(1)).unwrap());
}
