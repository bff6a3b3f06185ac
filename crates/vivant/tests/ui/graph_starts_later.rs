//! A state with a graph cannot come from a future: it is made in the actor's first turn.

use vivant::prelude::*;

#[derive(Actor)]
#[actor(name = Index)]
struct IndexState<'gc> {
    words: gc::Vec<'gc, u64>,
}

#[behaviours]
impl<'gc> IndexState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Index>) -> Promise<Self> {
        t.spawn(async { IndexState { words: gc::Vec::new() } })
    }
}

fn main() {}
