//! Joins, and messages without a body, that cannot be.

use vivant::prelude::*;
use vivant::{interface, Step};

#[derive(Actor)]
struct Buffer {
    open: bool,
}

#[behaviours]
impl Buffer {
    pub fn put(item: u64);
    pub fn get() -> u64;
    pub fn peek(at: usize) -> String;
    fn run(&mut self) {}

    // Misuse of a message.
    fn alone(item: u64);
    fn with_self(&mut self, item: u64);
    fn with_turn(t: &Turn<Self>, item: u64);
    #[when(item > 0)]
    fn with_guard(item: u64);
    #[then]
    fn with_hole(item: Result<u64, AskError>);
    fn with_promise() -> Promise<u64>;
    fn with_steps() -> Step<u64, u64>;
    fn with_reference(name: &str);
    fn clone();
    #[join(
        with_self, with_turn, with_guard, with_hole, with_promise, with_steps, with_reference, clone
    )]
    fn names_them_all(&mut self) {}

    // Misuse of a join.
    #[join]
    fn without_names(&mut self) {}
    #[join(put)]
    fn of_one(&mut self, item: u64) {}
    #[join(put, put)]
    fn of_the_same(&mut self, item: u64, other: u64) {}
    #[join(put, take)]
    fn of_an_unknown_one(&mut self, item: u64) {}
    #[join(put, run)]
    fn of_a_behaviour(&mut self, item: u64) {}
    #[join("put", get)]
    fn of_text(&mut self, item: u64) -> u64 { item }
    #[join(put, get)]
    fn without_self(item: u64) -> u64 { item }
    #[join(put, get)]
    #[then]
    fn as_continuation(&mut self, item: u64) -> u64 { item }

    #[join(put, get)]
    fn with_another_parameter(&mut self, item: u32) -> u64 { item.into() }
    #[join(put, get)]
    fn with_too_few_parameters(&mut self) -> u64 { 1 }
    #[join(put, peek)]
    fn in_another_order(&mut self, at: usize, item: u64) -> String { format!("{at} {item}") }
    #[join(put, get)]
    fn with_another_reply(&mut self, item: u64) -> u32 { item as u32 }
    #[join(put, get)]
    fn without_a_reply(&mut self, item: u64) {}
    #[join(put, get, peek)]
    fn with_one_reply_of_two(&mut self, item: u64, at: usize) -> u64 { item + at as u64 }
    #[join(put, get)]
    fn in_steps(&mut self, item: u64) -> Step<u64, u64> { Step::Done(item) }
    #[join(put, get)]
    #[when(self.open = true)]
    fn with_a_guard_that_writes(&mut self, item: u64) -> u64 { item }
}

#[derive(Actor)]
struct Reader(u64);

#[behaviours]
impl Reader {
    // A plain actor has no heap.
    fn page<'gc>(page: Val<'gc, u64>);
    fn next();
    #[join(page, next)]
    fn read(&mut self) {}
}

#[interface]
trait Store {
    fn keep(&mut self, item: u64);
}

#[derive(Actor)]
struct Shop(u64);

#[behaviours]
impl Store for Shop {
    fn keep(item: u64);
}

fn main() {}
