//! A map does not find keys that have moved.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    first: Option<Gc<'gc, u64>>,
    field: std::collections::HashMap<Gc<'gc, u64>, u64>,
}

fn main() {}
