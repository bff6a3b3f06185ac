//! Y3, Y6: there is no way into a region that was frozen, and none while it is open.

use vivant_heap::*;

#[derive(Object, Freeze)]
struct Node<'gc> {
    next: Option<Gc<'gc, Mut<Node<'gc>>>>,
}

fn opened<'gc>(m: &Mutator<'gc>, mut iso: Iso<Node<'static>>) {
    let root = iso.freeze(m);
    iso.open(|_, root| root.next = None);
}

fn alias<'gc>(m: &Mutator<'gc>, mut iso: Iso<Node<'static>>) {
    let inside = iso.open_in(m, |r, _| r.alloc(Mut::new(Node { next: None })));
    iso.freeze(m);
    inside.borrow_mut(m).next = None;
}

fn within<'gc>(m: &Mutator<'gc>, mut iso: Iso<Node<'static>>) {
    iso.open_in(m, |r, _| {
        iso.freeze(r);
    });
}

fn main() {}
