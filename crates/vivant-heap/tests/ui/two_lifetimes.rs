//! An object has one brand.

use vivant_heap::*;

#[derive(Object)]
struct Both<'gc, 'text> {
    number: Gc<'gc, u64>,
    text: &'text str,
}

fn main() {}
