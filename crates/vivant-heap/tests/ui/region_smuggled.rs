//! An object of one heap hung into another by an object of both brands (design probe A).

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    key: u64,
    next: Option<Gc<'gc, Mut<Node<'gc>>>>,
}

fn smuggle<'gc, 'r>(r: &Mutator<'r>, root: &mut Node<'r>, outer: Gc<'gc, Mut<Node<'gc>>>) {
    let mixed = unsize!(r.alloc(Some(outer)) => dyn Anything);
    let back = Gc::downcast::<Option<Gc<'r, Mut<Node<'r>>>>>(mixed).unwrap();
    root.next = *back;
}

fn main() {}
