//! Y5: a leaf may go to another thread.

use vivant_heap::*;

#[derive(Object)]
#[object(leaf)]
struct Local(std::rc::Rc<u64>);

#[derive(Object)]
struct Node {
    #[object(leaf)]
    field: std::rc::Rc<u64>,
}

fn main() {}
