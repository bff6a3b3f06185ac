//! Y6: what is frozen says so, also what lies below it.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    next: Option<Gc<'gc, Node<'gc>>>,
}

#[derive(Object, Freeze)]
struct List<'gc> {
    first: Option<Gc<'gc, Node<'gc>>>,
}

fn frozen<'gc>(m: &Mutator<'gc>, one: Iso<Node<'static>>) {
    one.freeze(m);
}

fn main() {}
