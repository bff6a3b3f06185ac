use vivant::prelude::*;

#[derive(Actor)]
struct Thief;

#[behaviours]
impl Thief {
    fn by_value(&mut self, t: Turn<Self>) {
        t.stop();
    }

    fn mutable(&mut self, t: &mut Turn<Self>) {
        t.stop();
    }
}

fn main() {}
