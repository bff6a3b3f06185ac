//! A trait object of a trait that nobody named.

use vivant_heap::*;

trait Shape {}
impl Shape for u64 {}

fn shape<'gc>(m: &Mutator<'gc>) {
    let _shape = unsize!(m.alloc(1_u64) => dyn Shape);
}

fn main() {}
