//! Y1: a tag's brand is invariant: that of one turn does not become that of a shorter one.

use vivant_heap::*;

fn shorter<'a, 'gc: 'a>(tag: Tag<'gc, u64>) -> Tag<'a, u64> {
    tag
}

fn longer<'a, 'gc: 'a>(tag: Tag<'a, u64>) -> Tag<'gc, u64> {
    tag
}

fn main() {}
