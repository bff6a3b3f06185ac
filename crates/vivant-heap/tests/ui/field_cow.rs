//! Borrowed text.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    first: Option<Gc<'gc, u64>>,
    field: std::borrow::Cow<'gc, str>,
}

fn main() {}
