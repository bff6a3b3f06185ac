//! Y1, Y5, Y6: a view is of its turn and of its thread, and nobody makes one longer, or an `Ice` that another turn reads.

use std::sync::Mutex;
use std::thread;
use vivant_heap::*;

#[derive(Object, Freeze)]
struct Node<'gc> {
    name: String,
    next: Option<Gc<'gc, Mut<Node<'gc>>>>,
}

type Frozen<'gc> = Val<'gc, Ice<Mut<Node<'gc>>>>;

struct Published;
impl Root for Published {
    type Of<'gc> = Option<Frozen<'gc>>;
}

static KEPT: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

fn kept_text(heap: &mut Heap<Published>) {
    heap.turn(|_, published| KEPT.lock().unwrap().push(&published.unwrap().read().name));
}

fn kept_view(heap: &mut Heap<Published>) -> FrozenNode<'_, '_> {
    heap.turn(|_, published| published.unwrap().read())
}

fn sent_view(heap: &mut Heap<Published>) {
    heap.turn(|_, published| {
        let view = published.unwrap().read();
        thread::scope(|scope| {
            scope.spawn(|| view.next.is_some());
        });
    });
}

fn shortened<'short, 'long: 'short>(frozen: Frozen<'long>) -> Frozen<'short> {
    frozen
}

fn shortened_view<'ice, 'short, 'long: 'short>(
    view: FrozenNode<'ice, 'long>,
) -> FrozenNode<'ice, 'short> {
    view
}

fn read_in_another(one: &mut Heap<Published>, other: &mut Heap<Published>) {
    one.turn(|_, there| other.turn(|_, here| *here = there.unwrap().read().next));
}

fn taken_out<'gc>(frozen: Frozen<'gc>) -> Ice<Mut<Node<'gc>>> {
    *frozen
}

fn written<'gc>(m: &Mutator<'gc>, frozen: Frozen<'gc>) {
    frozen.borrow_mut(m).name.clear();
}

fn named<'gc>(m: &Mutator<'gc>, frozen: Frozen<'gc>) {
    m.tag(frozen);
    Weak::new(m, frozen);
    Gc::downcast::<Mut<Node<'gc>>>(frozen);
}

fn main() {}
