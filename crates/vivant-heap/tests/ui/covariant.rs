//! Y1: a reference of a longer brand is not one of a shorter.

use vivant_heap::*;

fn shorter<'long: 'short, 'short>(gc: Gc<'long, u64>) -> Gc<'short, u64> {
    gc
}

fn main() {}
