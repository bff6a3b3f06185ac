//! Y1: the same for the mutator.

use vivant_heap::*;

fn shorter<'a, 'long: 'short, 'short>(m: &'a Mutator<'long>) -> &'a Mutator<'short> {
    m
}
fn longer<'a, 'long: 'short, 'short>(m: &'a Mutator<'short>) -> &'a Mutator<'long> {
    m
}

fn main() {}
