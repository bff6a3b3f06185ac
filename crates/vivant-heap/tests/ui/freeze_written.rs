//! Y6: nothing is written through what is frozen.

use vivant_heap::*;

#[derive(Object, Freeze)]
struct Node<'gc> {
    value: u64,
    next: Option<Gc<'gc, Mut<Node<'gc>>>>,
}

impl<'gc> Node<'gc> {
    fn add(&mut self) {
        self.value += 1;
    }
}

fn written<'gc>(m: &Mutator<'gc>, iso: Iso<Gc<'static, Mut<Node<'static>>>>) {
    let root = *iso.freeze(m);
    root.borrow_mut(m).value = 1;
    root.read().value = 2;
    root.read().add();
    let inside: Gc<'gc, Mut<Node<'gc>>> = root.read().next.unwrap();
}

fn main() {}
