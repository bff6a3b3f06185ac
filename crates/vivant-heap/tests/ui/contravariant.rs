//! Y1: nor the other way round.

use vivant_heap::*;

fn longer<'long: 'short, 'short>(gc: Gc<'short, u64>) -> Gc<'long, u64> {
    gc
}

fn main() {}
