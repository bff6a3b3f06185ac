//! A thread-local variable outlives turns.

use vivant_heap::*;

use std::cell::Cell;

thread_local!(static KEPT: Cell<Option<Gc<'static, u64>>> = const { Cell::new(None) });

fn keep<'gc>(number: Gc<'gc, u64>) {
    KEPT.set(Some(number));
}

fn main() {}
