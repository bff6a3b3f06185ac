//! Who says what a type refers to promises that it is all and each once: another collector let safe code report an edge twice, and freed
//! what was alive.

use vivant_heap::*;

struct Twice<'gc>(Gc<'gc, u64>);

impl<'gc> Object<'gc> for Twice<'gc> {
    type Static = Twice<'static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.0.trace(tracer);
        self.0.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        self.0.evacuate(evacuator);
    }
}

fn main() {}
