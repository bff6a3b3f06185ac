//! The arguments of a start, the locals of a step and what a continuation holds are saved too.

#![allow(unused_variables)]

use std::time::Instant;
use vivant::prelude::*;

#[derive(Actor)]
#[actor(saved(restart))]
struct Pool {
    since: Instant,
}

#[behaviours]
impl Pool {
    #[start]
    fn new(since: Instant) -> Self {
        Pool { since }
    }

    /// The state is made anew, so these locals are not saved.
    fn count(&mut self, end: u64, #[locals] since: Option<Instant>) -> Step<(u64, Option<Instant>), u64> {
        Step::Done(end)
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Account {}

#[behaviours]
impl Account {
    fn count(&mut self, end: u64, #[locals] since: Option<Instant>) -> Step<(u64, Option<Instant>), u64> {
        Step::Done(end)
    }

    #[then]
    fn served(&mut self, reply: Result<u64, AskError>, asked: Instant) {}
}

fn main() {}
