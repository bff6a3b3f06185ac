//! Y1: a shared reference is of its turn too; outside it is held, or in a parcel.

use std::sync::Arc;
use vivant_heap::*;

struct Texts;
impl Root for Texts {
    type Of<'gc> = Vec<Val<'gc, str>>;
}

fn main() {
    let source = Arc::new(PageSource::new());
    let mut one = Heap::<Texts>::new(&source, Pacing::default(), |_| Vec::new());
    let mut other = Heap::<Texts>::new(&source, Pacing::default(), |_| Vec::new());
    let escaped = one.turn(|m, _| m.val_str("rain"));
    one.turn(|m, texts| {
        let text = m.val_str("rain");
        other.turn(|_, others| others.push(text));
        std::thread::scope(|scope| {
            scope.spawn(|| text.len());
        });
    });
}
