//! Nor has it a parameter that may have one.

use vivant_heap::*;

#[derive(Object)]
struct Node<T> {
    #[object(leaf)]
    field: T,
}

fn main() {}
