//! Nobody says of a type but by the derive, or by `unsafe`, that it is shared, sent or of which turn.

use vivant_heap::*;

#[derive(Object)]
struct Own<'gc, T: Clone>(Gc<'gc, T>);

impl<'gc> Frozen<'gc> for Own<'gc, u8> {}
impl<'gc> Sendable<'gc> for Own<'gc, u8> {}
impl Erased for Own<'static, u8> {
    type Of<'gc> = Own<'gc, u8>;
}

fn main() {}
