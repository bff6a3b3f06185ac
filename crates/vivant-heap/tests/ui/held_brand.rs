//! Y4: no bound makes a turn's brand the static one, so no twin is held.

use vivant_heap::*;

#[derive(Object)]
struct Page<'gc> {
    next: Option<Val<'gc, Page<'gc>>>,
}

fn hold<'gc>(m: &Mutator<'gc>, page: Val<'gc, Page<'gc>>) -> Held<Page<'static>>
where
    Page<'gc>: Collected<'gc, Static = Page<'static>>,
{
    m.hold::<Page<'static>>(page)
}

fn static_turn(m: &Mutator<'static>, page: Val<'static, Page<'static>>) -> Held<Page<'static>> {
    m.hold(page)
}

struct Pages;
impl Root for Pages {
    type Of<'gc> = Option<Val<'gc, Page<'gc>>>;
}

fn turned(heap: &mut Heap<Pages>) {
    heap.turn(|m, page| static_turn(m, page.unwrap()));
}

fn main() {}
