//! A leaf has no collected parts.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    first: Option<Gc<'gc, u64>>,
    field: Leaf<Gc<'gc, u64>>,
}

fn main() {}
