//! Empty objects: what is left of an unreachable object until other heaps have released it.

use super::evacuator::Evacuator;
use super::table::Table;
use super::tracer::Tracer;
use crate::alloc::header::{Header, Length};
use std::ptr::NonNull;

/// A slice of bytes that nothing reads: so it can have the size of any block.
struct EmptyObject;

/// The table of empty objects.
static EMPTY: Table = Table::of_bytes::<EmptyObject>(trace, evacuate);

/// # Safety
///
/// Any value will do: it is not read.
unsafe fn trace(_: NonNull<u8>, _: &mut Tracer<'_>) {}

/// # Safety
///
/// Any value will do: it is not read.
unsafe fn evacuate(_: NonNull<u8>, _: &mut Evacuator<'_>) {}

/// Turns an object into an empty one of the same size, without references and without a
/// destructor. Its address and its block stay as they are.
///
/// # Safety
///
/// The object is old, and its value was destroyed. No turn has a reference to it, no marker runs,
/// and the caller is the heap's holder.
pub(crate) unsafe fn make_empty(object: NonNull<Header>) {
    // SAFETY: the caller's contract (X1): the object is in its place.
    let bytes = unsafe { object.as_ref().table().bytes(object) };
    let elements = bytes.saturating_sub(size_of::<Length>());
    let length = Length::new(elements).expect("the size of a block fits");
    // SAFETY: the caller's contract (X1): no code reads the header or the value meanwhile. A block
    // has room for a header and a length (X4): the smallest one has 16 bytes.
    unsafe {
        object.write(Header::new(&EMPTY));
        object.add(1).cast::<Length>().write(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Heap, Pacing, PageSource, Root, Val};
    use std::sync::Arc;

    struct Shared;

    impl Root for Shared {
        type Of<'gc> = Vec<Val<'gc, str>>;
    }

    #[test]
    fn an_empty_object_has_the_size_of_the_object_that_it_was() {
        let source = Arc::new(PageSource::new());
        let mut heap = Heap::<Shared>::new(&source, Pacing::default(), |m| {
            let lengths = [0, 1, 7, 8, 9, 100, 2_000, 40_000];
            let texts = lengths.map(|length| m.val_str(&"x".repeat(length)));
            texts.to_vec()
        });
        let objects = heap.turn(|_, texts| {
            let objects: Vec<_> = texts.drain(..).map(Val::header).collect();
            objects
        });
        for object in objects {
            // SAFETY: an old object (X7): nothing was collected since the turn, which kept no
            // reference. A text has no destructor.
            unsafe {
                let before = object.as_ref().table().block_bytes(object);
                make_empty(object);
                assert_eq!(object.as_ref().table().block_bytes(object), before);
            }
        }
        heap.collect();
        heap.sweep();
        assert_eq!(heap.stats().live, 0);
    }
}
