//! What is lent by a borrow of a `Mut` ends with the borrow.

use vivant_collections::gc;
use vivant_heap::{Gc, Mut};

fn first<'gc>(object: Gc<'gc, Mut<gc::Vec<'gc, String>>>) -> &'gc String {
    object.borrow().first().unwrap()
}

fn main() {}
