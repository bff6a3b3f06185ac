//! What a closure has, nobody can see.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    first: Option<Gc<'gc, u64>>,
    field: Box<dyn Fn() -> u64 + 'gc>,
}

fn main() {}
