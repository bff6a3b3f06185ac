//! H10: a type with collected parts has no destructor.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    next: Option<Gc<'gc, Node<'gc>>>,
}

impl Drop for Node<'_> {
    fn drop(&mut self) {}
}

fn main() {}
