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

#[derive(Actor)]
struct Guest;

#[behaviours]
impl Guest {
    fn visit(&mut self, gate: &Gate) {
        assert!(gate.inside < 10);
    }
}

fn main() {}
