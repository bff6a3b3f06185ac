//! H12: regions in regions of the same type would be dropped by recursion.

use vivant_heap::*;

#[derive(Object)]
struct Node {
    next: Option<Iso<Node>>,
}

fn main() {}
