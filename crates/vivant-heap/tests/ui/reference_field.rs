//! A plain reference into the heap, as a part of an object: the object would move away from under it.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    value: &'gc u64,
}

fn main() {}
