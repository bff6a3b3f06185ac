//! `Box::leak` of a reference is not `'static` either.

use vivant_heap::*;

fn smuggle<'gc>(number: Gc<'gc, u64>) -> &'static Gc<'gc, u64> {
    Box::leak(Box::new(number))
}

fn kept<'gc>(number: Gc<'gc, u64>) {
    fn forever<T: 'static>(_: T) {}
    forever(Box::leak(Box::new(number)));
}

fn main() {}
