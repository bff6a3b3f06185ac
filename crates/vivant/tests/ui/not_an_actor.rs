use std::rc::Rc;
use vivant::prelude::*;

struct InlineState;

#[behaviours]
impl InlineState {
    fn work(&mut self) {}
}

#[derive(Actor)]
struct Shared {
    pages: Rc<Vec<String>>,
}

#[derive(Actor)]
union Bits {
    number: u64,
}

fn main() {
    System::new().spawn(7);
}
