//! Y6: what is shared may be read by all threads.

use std::cell::Cell;
use vivant_heap::*;

#[derive(Object)]
struct Counter {
    #[object(leaf)]
    count: Cell<u64>,
}

#[derive(Object)]
#[object(leaf)]
struct Whole(Cell<u64>);

fn shared<'gc>(m: &Mutator<'gc>) {
    m.val(Counter { count: Cell::new(1) });
    m.val(Whole(Cell::new(1)));
    m.val(Leaf(Cell::new(1)));
}

fn main() {}
