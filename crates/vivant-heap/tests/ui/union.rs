//! Nobody knows what is in a union.

use vivant_heap::*;

#[derive(Object)]
union Either<'gc> {
    number: u64,
    gc: Gc<'gc, u64>,
}

fn main() {}
