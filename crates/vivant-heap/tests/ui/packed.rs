//! The fields of a packed type cannot be referred to.

use vivant_heap::*;

#[derive(Object)]
#[repr(C, packed(2))]
struct Tight<'gc> {
    small: u8,
    gc: Gc<'gc, u64>,
}

fn main() {}
