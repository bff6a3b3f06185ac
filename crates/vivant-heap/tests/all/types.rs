//! The output of the derive, slices, trait objects, borrows, weak references and death watches:
//! through collections of both kinds.

mod borrows;
mod death_watches;
mod derived;
mod owners;
mod unsized_values;
mod weak;

use std::sync::Arc;
use vivant_heap::{Heap, Mutator, Pacing, PageSource, Root};

/// A heap with the state that `make` returns.
fn heap<R: Root>(make: impl for<'gc> FnOnce(&Mutator<'gc>) -> R::Of<'gc>) -> Heap<R> {
    Heap::new(&Arc::new(PageSource::new()), Pacing::default(), make)
}

/// Runs `look` as a turn between collections of both kinds.
fn through_collections<R: Root>(
    heap: &mut Heap<R>,
    look: impl for<'gc> Fn(&Mutator<'gc>, &mut R::Of<'gc>),
) {
    heap.turn(&look);
    for round in 0..6 {
        match round % 3 {
            2 => heap.collect(),
            _ => heap.collect_young(),
        }
        heap.turn(&look);
    }
    heap.sweep();
    heap.turn(&look);
}
