//! The parameters of `leaf!` are parameters, and no other item that is as unsafe as the macro's own.

use vivant_heap::*;

struct Injected<'gc>(Gc<'gc, String>);

leaf!([> Object<'gc> for Injected<'gc> {
    type Static = Injected<'static>;
    const NEEDS_TRACE: bool = false;
    fn trace(&self, _: &mut Tracer<'_>) {}
    fn evacuate(&mut self, _: &mut Evacuator<'_>) {}
}
#[cfg(any())]
impl<'x] Injected<'x>);

fn main() {}
