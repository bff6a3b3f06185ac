//! Nor is it copied out of a shared object.

use vivant_collections::gc;
use vivant_heap::{Gc, Mut};

fn two<'gc>(object: Gc<'gc, Mut<gc::HashMap<'gc, u64, u64>>>) -> gc::HashMap<'gc, u64, u64> {
    object.get()
}

fn main() {}
