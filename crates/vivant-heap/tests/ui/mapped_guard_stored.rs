//! Y2: a borrow is no object: it cannot be kept in a heap.

use vivant_heap::*;

fn keep<'gc>(m: &Mutator<'gc>, number: Gc<'gc, Mut<u64>>) {
    m.alloc(Ref::map(number.borrow(), |number| number));
}

fn main() {}
