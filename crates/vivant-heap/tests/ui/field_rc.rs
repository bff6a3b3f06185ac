//! H9: shared ownership would defeat the barrier.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    first: Option<Gc<'gc, u64>>,
    field: std::rc::Rc<Gc<'gc, u64>>,
}

fn main() {}
