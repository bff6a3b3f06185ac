//! A structure too deep for recursive destructors on any stack.

use vivant_brc::{Brc, drop_chain};

const DEEP: u32 = if cfg!(miri) { 1_000 } else { 10_000_000 };

/// Already too deep for a stack.
const NODES: u32 = DEEP / 20;

struct Node {
    number: u32,
    next: Option<Brc<Node>>,
}

impl Drop for Node {
    fn drop(&mut self) {
        drop_chain(self.next.take(), |node, parts| {
            parts.extend(node.next.take());
        });
    }
}

fn list(nodes: u32) -> Option<Brc<Node>> {
    (0..nodes).fold(None, |next, number| Some(Brc::new(Node { number, next })))
}

#[test]
fn a_long_list_is_dropped_in_a_loop() {
    let first = list(DEEP);
    assert_eq!(first.as_ref().map(|node| node.number), Some(DEEP - 1));
    drop(first);
}

#[test]
fn a_shared_rest_of_a_list_stays() {
    let first = list(NODES).unwrap();
    let second = first.next.clone().unwrap();
    drop(first);
    assert_eq!(second.number, NODES - 2);
    assert_eq!(Brc::strong_count(&second), 1);
}

#[test]
fn another_thread_drops_a_long_list() {
    let first = list(NODES);
    std::thread::spawn(move || drop(first)).join().unwrap();
    vivant_brc::merge();
}
