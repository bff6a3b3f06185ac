//! Nor begin a second turn of the same heap.

include!("shared/numbers.rs");

fn main() {
    let mut heap = heap();
    heap.turn(|_, _| heap.turn(|_, _| ()));
}
