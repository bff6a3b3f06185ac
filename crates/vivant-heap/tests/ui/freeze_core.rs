//! Y6: whether a leaf is for many threads the compiler says, and not what is called `core` here.

extern crate self as core;

pub mod marker {
    pub trait Send {}
    impl<T: ?Sized> Send for T {}
    pub trait Sync {}
    impl<T: ?Sized> Sync for T {}
    pub use std::marker::Copy;
}
pub use std::{clone, concat, fmt, result, stringify};

use std::cell::Cell;
use vivant_heap::{Freeze, Gc, Object};

#[derive(Object, Freeze)]
struct Marked<'gc> {
    name: Gc<'gc, str>,
    #[object(leaf)]
    reads: Cell<u64>,
}

fn main() {}
