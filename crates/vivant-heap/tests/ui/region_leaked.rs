//! An object of a heap in a continuation that outlives its turn (design probe B).

use vivant_heap::*;

#[derive(Object)]
struct Node<'gc> {
    key: u64,
    next: Option<Gc<'gc, Mut<Node<'gc>>>>,
}

struct Region;
impl Root for Region {
    type Of<'gc> = Node<'gc>;
}

type Continuation = Box<dyn for<'x> FnOnce(&Mutator<'x>)>;

fn leak(region: &mut Heap<Region>, later: &mut Vec<Continuation>) {
    region.turn(|r, root| {
        let node = r.alloc(Mut::new(Node { key: 7, next: None }));
        root.next = Some(node);
        later.push(Box::new(move |m| node.borrow_mut(m).key += 1));
    });
}

fn main() {}
