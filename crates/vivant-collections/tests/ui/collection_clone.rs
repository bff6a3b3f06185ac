//! A collection has one handle: with two, what one lends could be changed by the other.

use vivant_collections::gc;

fn two<'gc>(vec: &gc::Vec<'gc, u64>) -> gc::Vec<'gc, u64> {
    vec.clone()
}

fn main() {}
