//! A field of a type that no derive knows.

use vivant_heap::*;

struct Foreign;

#[derive(Object)]
struct Node<'gc> {
    next: Option<Gc<'gc, Node<'gc>>>,
    foreign: Foreign,
}

fn main() {}
