//! H9: the same, once.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    first: Option<Gc<'gc, u64>>,
    field: std::cell::OnceCell<Gc<'gc, u64>>,
}

fn main() {}
