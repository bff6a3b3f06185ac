use std::cell::RefCell;
use std::rc::Rc;
use vivant::prelude::*;

#[derive(Actor)]
struct SharedState<'gc> {
    shared: Rc<u64>,
    behind: RefCell<Gc<'gc, u64>>,
}

#[derive(Actor)]
struct BorrowedState<'gc> {
    borrowed: &'gc str,
}

#[derive(Actor)]
struct TwoState<'a, 'b> {
    one: Gc<'a, u64>,
    other: Gc<'b, u64>,
}

#[derive(Actor)]
struct DroppedState<'gc> {
    one: Gc<'gc, u64>,
}

impl Drop for DroppedState<'_> {
    fn drop(&mut self) {}
}

#[derive(Actor)]
#[actor(name = Other)]
struct InlineState;

fn main() {}
