//! Y6: what is frozen is read by many threads.

use std::cell::Cell;
use vivant_heap::*;

#[derive(Object, Freeze)]
struct Counted<'gc> {
    name: Gc<'gc, str>,
    reads: Leaf<Cell<u64>>,
}

#[derive(Object, Freeze)]
struct Marked<'gc> {
    name: Gc<'gc, str>,
    #[object(leaf)]
    reads: Cell<u64>,
}

fn main() {}
