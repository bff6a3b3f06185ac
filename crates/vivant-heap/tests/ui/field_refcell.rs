//! H9: the same, borrowed.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    first: Option<Gc<'gc, u64>>,
    field: std::cell::RefCell<Gc<'gc, u64>>,
}

fn main() {}
