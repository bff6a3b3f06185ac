//! R5: there is no order and no hash by address, because objects move.

use vivant_heap::*;

fn ordered<'gc>(one: Gc<'gc, u64>, other: Gc<'gc, u64>) -> bool {
    one < other
}

fn hashed<'gc>(number: Gc<'gc, u64>) {
    std::hash::Hash::hash(&number, &mut std::hash::DefaultHasher::new());
}

fn main() {}
