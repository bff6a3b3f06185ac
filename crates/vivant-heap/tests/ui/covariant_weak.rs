//! Y1: and for weak references.

use vivant_heap::*;

fn shorter<'long: 'short, 'short>(weak: Weak<'long, u64>) -> Weak<'short, u64> {
    weak
}
fn longer<'long: 'short, 'short>(weak: Weak<'short, u64>) -> Weak<'long, u64> {
    weak
}

fn main() {}
