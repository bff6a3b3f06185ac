//! Y6: what can lose a part by itself, be written or be opened has no frozen form.

use vivant_heap::*;

trait Shape {}
collected!(dyn Shape);

#[derive(Object, Freeze)]
struct Node<'gc> {
    next: Option<Gc<'gc, Mut<Node<'gc>>>>,
    parent: Option<Weak<'gc, Mut<Node<'gc>>>>,
    inside: Vec<Iso<Vec<u64>>>,
    shape: Gc<'gc, dyn Shape>,
    outside: Leaf<std::sync::Weak<u64>>,
}

fn main() {}
