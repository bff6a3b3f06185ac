//! An attribute below the derive may exchange a field's type for one that derefs to it, and has collected parts besides. The derive names each type
//! that it has read to the tracer, as here; `vivant-macros` has a test that it does.

use std::ops::Deref;
use vivant_heap::{Gc, Tracer};

struct Shown;

struct Hidden<'gc>(Shown, Gc<'gc, u64>);

impl Deref for Hidden<'_> {
    type Target = Shown;
    fn deref(&self) -> &Shown {
        &self.0
    }
}

fn expanded(hidden: &Hidden<'_>, tracer: &mut Tracer<'_>) {
    tracer.__field::<Shown>(hidden);
    tracer.__leaf::<Shown>(hidden);
}

fn main() {}
