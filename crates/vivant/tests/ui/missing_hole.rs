use vivant::prelude::*;

#[derive(Actor)]
struct Teller;

#[behaviours]
impl Teller {
    #[then]
    fn done(&mut self, _: &Turn<Self>) {}
}

fn main() {}
