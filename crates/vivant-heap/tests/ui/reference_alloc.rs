//! The same, allocated.

use vivant_heap::*;

fn keep<'gc>(m: &Mutator<'gc>, number: Gc<'gc, u64>) -> Gc<'gc, &'gc u64> {
    m.alloc(Gc::as_ref(number))
}

fn main() {}
