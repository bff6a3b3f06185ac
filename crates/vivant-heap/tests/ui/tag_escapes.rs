//! Y1: a tag is of its turn too: outside it is in a parcel, and opened in a turn alone.

use std::sync::Arc;
use vivant_heap::*;

struct Names;
impl Root for Names {
    type Of<'gc> = Vec<Tag<'gc, u64>>;
}

fn main() {
    let source = Arc::new(PageSource::new());
    let mut one = Heap::<Names>::new(&source, Pacing::default(), |_| Vec::new());
    let mut other = Heap::<Names>::new(&source, Pacing::default(), |_| Vec::new());
    let escaped = one.turn(|m, _| m.tag(m.alloc(1)));
    one.turn(|m, _| {
        let tag = m.tag(m.alloc(1));
        other.turn(|_, names| names.push(tag));
        let parcel: Parcel<Tag<'static, u64>> = m.pack(tag);
        parcel.look(|tag| tag.open(m).is_ok());
    });
}
