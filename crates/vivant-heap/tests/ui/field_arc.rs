//! H9: the same across threads.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    first: Option<Gc<'gc, u64>>,
    field: std::sync::Arc<Gc<'gc, u64>>,
}

fn main() {}
