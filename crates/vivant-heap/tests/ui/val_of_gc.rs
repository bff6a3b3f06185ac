//! O2, Y6: what is of one heap is not shared, however deep it lies.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    own: Option<Gc<'gc, u64>>,
}

#[derive(Object)]
struct Deep<'gc> {
    nodes: Vec<Option<Node<'gc>>>,
}

fn shared<'gc>(m: &Mutator<'gc>) {
    m.val(Node { own: None });
    m.val(Deep { nodes: Vec::new() });
    m.val_slice([Mut::new(1)]);
}

fn main() {}
