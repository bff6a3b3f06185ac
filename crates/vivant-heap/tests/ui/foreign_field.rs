//! A field of a type that no derive knows.

use elsewhere::Foreign;
use vivant_heap::*;

mod elsewhere {
    pub struct Foreign;
}

#[derive(Object)]
struct Node<'gc> {
    next: Option<Gc<'gc, Node<'gc>>>,
    foreign: Foreign,
}

fn main() {}
