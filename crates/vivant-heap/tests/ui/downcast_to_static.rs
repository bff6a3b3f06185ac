//! Y2: a downcast gives the brand of the reference, and no other.

use vivant_heap::*;

fn forever<'gc>(anything: Gc<'gc, dyn Anything>) -> Option<Gc<'gc, Gc<'static, u64>>> {
    Gc::downcast::<Gc<'static, u64>>(anything)
}

fn main() {}
