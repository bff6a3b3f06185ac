//! Where `saved` has no meaning.

#![allow(unused_variables)]

use vivant::prelude::*;

#[derive(Actor)]
struct Plain {
    #[saved(skip)]
    cached: u64,
}

#[derive(Actor)]
#[actor(saved(restart))]
struct Pool {
    #[saved(skip)]
    open: u64,
}

#[derive(Actor)]
#[actor(blocks(till))]
struct Shop {}

#[derive(Actor)]
#[actor(saved, blocks)]
struct Stall {}

#[derive(Actor)]
#[actor(saved(again))]
struct Again {}

#[derive(Actor)]
#[actor(saved)]
struct Counter {}

#[behaviours]
impl Counter {
    fn add(&mut self, #[saved(skip)] amount: u64) {}
}

fn main() {}
