//! A field that is said to be a leaf has no brand.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    #[object(leaf)]
    field: Option<Gc<'gc, u64>>,
}

fn main() {}
