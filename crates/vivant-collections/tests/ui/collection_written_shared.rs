//! In an object that is no `Mut`, a collection is read.

use vivant_collections::gc;
use vivant_heap::{Gc, Mutator};

fn write<'gc>(m: &Mutator<'gc>, object: Gc<'gc, gc::Vec<'gc, u64>>) {
    object.push(m, 1);
}

fn main() {}
