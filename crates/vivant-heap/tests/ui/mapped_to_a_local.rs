//! A part is a part: nothing else is borrowed through a guard.

use vivant_heap::*;

fn look<'gc>(text: Gc<'gc, Mut<String>>) -> Ref<'gc, str> {
    let other = String::new();
    Ref::map(text.borrow(), |_| other.as_str())
}

fn main() {}
