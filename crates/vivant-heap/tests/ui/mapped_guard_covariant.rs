//! What is written through a guard is of the type that lies there, not of one that lives shorter.

use vivant_heap::*;

fn shorter<'gc, 'short>(_: &'short str, guard: RefMut<'gc, &'static str>) -> RefMut<'gc, &'short str> {
    guard
}

fn main() {}
