//! H5: what is no `Mut` does not change.

use vivant_heap::*;

fn write<'gc>(mut number: Gc<'gc, u64>) {
    *number = 1;
}

fn main() {}
