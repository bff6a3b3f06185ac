// A node of a region, and a heap's state that has nodes.

use std::sync::Arc;
use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    next: Option<Gc<'gc, Node<'gc>>>,
}

struct State;
impl Root for State {
    type Of<'gc> = Vec<Gc<'gc, Node<'gc>>>;
}
