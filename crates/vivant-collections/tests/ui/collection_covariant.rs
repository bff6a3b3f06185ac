//! Its brand is exact (Y1).

use vivant_collections::gc;

fn shorter<'short, 'long: 'short>(
    vec: &'short gc::Vec<'long, u64>,
) -> &'short gc::Vec<'short, u64> {
    vec
}

fn main() {}
