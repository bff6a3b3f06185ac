//! A saved graph of which the objects cannot be saved.

use vivant::prelude::*;

#[derive(Object)]
struct Book<'gc> {
    label: Gc<'gc, str>,
}

#[derive(Actor)]
#[actor(saved)]
struct LibraryState<'gc> {
    books: Vec<Gc<'gc, Mut<Book<'gc>>>>,
}

fn main() {}
