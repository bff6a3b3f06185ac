//! Y1: no shorter or longer brand.

use vivant_heap::*;

fn shorter<'long: 'short, 'short>(val: Val<'long, str>) -> Val<'short, str> {
    val
}

fn main() {}
