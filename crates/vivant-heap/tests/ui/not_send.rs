//! Y5: what cannot go to another thread lies in no heap.

use vivant_heap::*;

fn keep<'gc>(m: &Mutator<'gc>) {
    m.alloc(Leaf(std::rc::Rc::new(1)));
}

#[derive(Object)]
struct Node<'gc> {
    next: Option<Gc<'gc, Node<'gc>>>,
    raw: Leaf<*const u8>,
}

fn main() {}
