//! O2, Y6: a collection of one heap is not shared.

use vivant_collections::gc;
use vivant_heap::Mutator;

fn shared<'gc>(m: &Mutator<'gc>) {
    m.val(gc::Vec::<u64>::new());
}

fn main() {}
