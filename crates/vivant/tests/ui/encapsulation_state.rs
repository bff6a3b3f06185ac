use vivant::prelude::*;

#[derive(Actor)]
struct Gate {
    inside: u64,
}

#[behaviours]
impl Gate {
    fn enter(&mut self) {
        self.inside += 1;
    }
}

fn main() {
    let mut gate = System::new().spawn(Gate { inside: 0 });
    gate.enter().send();
    Gate::enter(&mut gate);
    gate.inside += 1;
}
