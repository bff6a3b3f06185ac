//! H9: a write that passes no barrier.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    first: Option<Gc<'gc, u64>>,
    field: std::cell::Cell<Option<Gc<'gc, u64>>>,
}

fn main() {}
