//! A guard of something that lives for a shorter time than the turn may not be the way to a guard of anything that lives as long.

use vivant_heap::*;

fn lend<'gc, 'x>(part: Ref<'gc, &'x str>, other: &'x str) -> Ref<'gc, str> {
    Ref::map(part, move |_| other)
}

fn look<'gc>(text: Gc<'gc, Mut<String>>) -> Ref<'gc, str> {
    let other = String::new();
    lend(Ref::map(text.borrow(), |_| &""), &other)
}

fn main() {}
