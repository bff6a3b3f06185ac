//! What is written in the attributes is known.

use vivant_heap::*;

#[derive(Object)]
#[object(lief)]
struct Typo;

#[derive(Object)]
struct Field {
    #[object(crate = here)]
    field: u64,
}

#[derive(Object)]
#[object(leaf)]
struct Branded<'gc>(Gc<'gc, u64>);

fn main() {}
