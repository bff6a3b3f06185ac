//! A tag names an object, and leads nowhere: nobody reads or writes by it. Nor is it a reference that can be made one by force.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    value: u64,
    next: Option<Gc<'gc, u64>>,
}

fn read<'gc>(m: &Mutator<'gc>, tag: Tag<'gc, Mut<Node<'gc>>>) -> u64 {
    tag.value;
    let own: Gc<'gc, Mut<Node<'gc>>> = tag;
    (*tag).borrow().value
}

fn ordered<'gc>(one: Tag<'gc, u64>, other: Tag<'gc, u64>) -> bool {
    one < other
}

fn of_another_type<'gc>(m: &Mutator<'gc>, tag: Tag<'gc, u64>) -> Gc<'gc, i64> {
    tag.open(m).unwrap()
}

fn main() {}
