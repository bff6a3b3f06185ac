//! Y3: no alias to what is in a region, beside the one who has it open.

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    next: Option<Gc<'gc, Mut<Node<'gc>>>>,
}

fn twice(mut iso: Iso<Gc<'static, Mut<Node<'static>>>>) {
    iso.open(|r, root| {
        iso.open(|again, same| {
            let mut one = root.borrow_mut(r);
            one.next = same.borrow_mut(again).next;
        });
    });
}

fn parts(
    mut one: Iso<Gc<'static, Mut<Node<'static>>>>,
    mut other: Iso<Gc<'static, Mut<Node<'static>>>>,
) {
    one.open(|r, one| other.open(|_, other| one.borrow_mut(r).next = Some(*other)));
}

fn main() {}
