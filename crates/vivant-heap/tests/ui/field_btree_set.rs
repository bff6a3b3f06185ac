//! Nor does a set.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    first: Option<Gc<'gc, u64>>,
    field: std::collections::BTreeSet<Gc<'gc, u64>>,
}

fn main() {}
