use std::cell::RefCell;
use std::rc::Rc;
use vivant::prelude::*;

#[derive(Actor)]
struct Gate {
    inside: Rc<RefCell<u64>>,
}

fn main() {
    let system = System::new();
    let inside = Rc::new(RefCell::new(0));
    let one = system.spawn(Gate { inside: inside.clone() });
    let other = system.spawn(Gate { inside });
    drop((one, other));
}
