//! Y2: a trait object hides no second brand.

use vivant_heap::*;

trait Kept<'gc> {}
collected!('gc => dyn Kept<'gc>);

#[derive(Object)]
struct Keeper<'gc>(Gc<'gc, u64>);
impl<'a, 'gc> Kept<'a> for Keeper<'gc> {}

fn hide<'a, 'gc>(keeper: Gc<'gc, Keeper<'gc>>) -> Gc<'a, dyn Kept<'a>> {
    unsize!(keeper => dyn Kept<'a>)
}

fn main() {}
