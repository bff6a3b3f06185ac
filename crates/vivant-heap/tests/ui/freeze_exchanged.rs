//! Y6: the derive's checks are not those of the path that it is given.

use std::cell::Cell;
use vivant_heap::{Gc, Object};

mod lenient {
    pub use vivant_heap::*;
    pub trait Frozen<'gc> {}
    impl<'gc, T> Frozen<'gc> for T {}
}

#[derive(Object)]
#[object(crate = lenient)]
struct Plain {
    reads: vivant_heap::Leaf<Cell<u64>>,
}

#[derive(Object, vivant_heap::Freeze)]
#[object(crate = lenient)]
struct Marked<'gc> {
    name: Gc<'gc, str>,
    #[object(leaf)]
    reads: Cell<u64>,
}

fn main() {}
