//! H9: the same, locked.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    first: Option<Gc<'gc, u64>>,
    field: std::sync::Mutex<Gc<'gc, u64>>,
}

fn main() {}
