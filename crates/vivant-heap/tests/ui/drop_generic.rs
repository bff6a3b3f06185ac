//! H10: nor has one that may have such parts.

use vivant_heap::*;

#[derive(Object)]
struct Pair<T: Clone>(T, T);

impl<T: Clone> Drop for Pair<T> {
    fn drop(&mut self) {}
}

fn main() {}
