//! What is put in is of the collection's heap (Y2).

use vivant_collections::gc;
use vivant_heap::{Gc, Mutator};

fn mix<'one, 'other>(
    m: &Mutator<'one>,
    vec: &mut gc::Vec<'one, Gc<'one, u64>>,
    object: Gc<'other, u64>,
) {
    vec.push(m, object);
}

fn mutator<'one, 'other>(m: &Mutator<'other>, vec: &mut gc::Vec<'one, u64>) {
    vec.push(m, 1);
}

fn main() {}
