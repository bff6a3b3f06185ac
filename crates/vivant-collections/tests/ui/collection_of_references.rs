//! No plain reference is an element.

use vivant_collections::gc;
use vivant_heap::Mutator;

fn keep<'gc>(m: &Mutator<'gc>, vec: &mut gc::Vec<'gc, &'gc u64>, element: &'gc u64) {
    vec.push(m, element);
}

fn main() {}
