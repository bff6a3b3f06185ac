use std::cell::Cell;
use vivant::prelude::*;

#[derive(Actor)]
struct Thief;

thread_local! {
    static TURN: Cell<Option<&'static Turn<'static, Thief>>> = const { Cell::new(None) };
}

#[behaviours]
impl Thief {
    fn keep(&mut self, t: &Turn<Self>) {
        TURN.with(|turn| turn.set(Some(t)));
    }
}

fn main() {}
