//! Objects move: none is pinned, and a reference is no pin.

use std::marker::PhantomPinned;
use std::pin::Pin;
use vivant_heap::*;

fn pin<'gc>(object: Gc<'gc, Leaf<PhantomPinned>>) -> Pin<Gc<'gc, Leaf<PhantomPinned>>> {
    Pin::new(object)
}

fn main() {}
