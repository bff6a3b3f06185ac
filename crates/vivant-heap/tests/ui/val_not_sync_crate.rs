//! As `leaf_attribute_crate`: that what is shared is `Sync` is asked of the type, wherever the derive finds this crate.

use std::cell::Cell;
use vivant_heap::{Mutator, Object};

mod other {
    pub use vivant_heap::*;
    pub mod __private {
        pub trait FrozenLeaf<'a> {}
        impl<'a, T: ?Sized> FrozenLeaf<'a> for T {}
    }
}

#[derive(Object)]
#[object(crate = other)]
struct Counter {
    #[object(leaf)]
    count: Cell<u64>,
}

#[derive(Object)]
#[object(crate = other, leaf)]
struct Whole(Cell<u64>);

fn shared<'gc>(m: &Mutator<'gc>) {
    m.val(Counter { count: Cell::new(1) });
    m.val_slice([Whole(Cell::new(1))]);
}

fn main() {}
