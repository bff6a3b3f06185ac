use vivant::prelude::*;

#[derive(Object)]
struct Node<'gc> {
    next: Option<Gc<'gc, Node<'gc>>>,
}

#[derive(Actor)]
struct QueueState<'gc> {
    waiting: Vec<Iso<Node<'gc>>>,
}

#[behaviours]
impl<'gc> QueueState<'gc> {
    #[start]
    fn new() -> Self {
        QueueState { waiting: Vec::new() }
    }

    fn push(&mut self, node: Iso<Node<'gc>>) {
        self.waiting.push(node);
    }
}

fn main() {}
