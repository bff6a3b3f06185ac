//! Y6: what is frozen as it is has no other form.

use vivant_heap::*;

#[derive(Object, Freeze)]
struct Point {
    at: (f64, f64),
}

fn main() {}
