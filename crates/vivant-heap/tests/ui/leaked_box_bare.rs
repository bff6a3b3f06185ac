//! The leaked reference itself is no object.

use vivant_heap::*;

fn smuggle<'gc>(m: &Mutator<'gc>, number: Gc<'gc, u64>) {
    m.alloc(&*Box::leak(Box::new(number)));
}

fn main() {}
