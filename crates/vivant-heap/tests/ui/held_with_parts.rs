//! Y4: a twin is never in anybody's hands: what has collected parts is not held.

use vivant_heap::*;

#[derive(Object)]
struct Page<'gc> {
    next: Option<Val<'gc, Page<'gc>>>,
}

fn held<'gc>(m: &Mutator<'gc>, page: Val<'gc, Page<'gc>>) {
    m.hold(page);
}

fn main() {}
