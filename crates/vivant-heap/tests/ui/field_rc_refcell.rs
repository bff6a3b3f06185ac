//! H9: the hole of another collector: written through one object, reached from another.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    first: Option<Gc<'gc, u64>>,
    field: std::rc::Rc<std::cell::RefCell<Option<Gc<'gc, u64>>>>,
}

fn main() {}
