//! A heap's count inbox is drained in increments; deltas that come between two of them are drained
//! too, though nothing wakes the heap for them. On a thread: in a simulation no idle check comes
//! before all is drained.

use crate::waits::wait_while;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use vivant::heap::{Heap, Held, Pacing, PageSource, Root, Val};
use vivant::prelude::*;
use vivant::{HeapFacts, PauseKind};

/// More deltas than one drain step takes, many times over.
const MANY: usize = 50_000;

/// Words of a large object.
const LARGE: usize = 1 << 20;

type Lent = Arc<Mutex<Vec<Held<[u64]>>>>;

/// Other heaps have all of it, twice; the last object is large.
#[derive(Actor)]
struct VaultState<'gc> {
    all: Vec<Val<'gc, [u64]>>,
}

#[behaviours]
impl<'gc> VaultState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Vault>, lent: [Lent; 2]) -> Self {
        let mut all: Vec<_> = (0..MANY).map(|_| t.val_slice(vec![0; 2])).collect();
        all.push(t.val_slice(vec![0; LARGE]));
        for lent in lent {
            *lent.lock().unwrap() = all.iter().map(|it| t.hold(*it)).collect();
        }
        VaultState { all }
    }

    fn forgets(&mut self) {
        self.all.clear();
    }
}

struct Shelf;

impl Root for Shelf {
    type Of<'gc> = Vec<Val<'gc, [u64]>>;
}

/// Checks again until the heap has its final state.
fn until(system: &System, is_so: impl Fn(&HeapFacts) -> bool) {
    wait_while(|| !is_so(&system.inspect().actors[0].heap.unwrap()));
}

/// A pile without last references to drop; while it is drained, another object's last reference is
/// dropped, and the actor gets frequent idle checks.
#[test]
fn counts_that_arrive_while_a_full_inbox_is_drained_are_drained_too() {
    for pieces in [1, 3, 10, 20, 30] {
        let lent = [Lent::default(), Lent::default()];
        let idle_after = Duration::from_micros(40);
        let system = System::builder().workers(1).idle_after(idle_after).build();
        let vault = Vault::spawn(&system, lent.clone());
        vault.forgets().ask_blocking().unwrap();
        let [first, mut second] = lent.map(|lent| std::mem::take(&mut *lent.lock().unwrap()));
        let source = Arc::new(PageSource::new());
        let mut reader = Heap::<Shelf>::new(&source, Pacing::new(), |_| Vec::new());
        reader.turn(|m, state| state.extend(first.into_iter().map(|it| m.take(it))));
        reader.turn(|_, state| state.clear());
        let received = |heap: &HeapFacts| heap.pauses[PauseKind::Drain].count;
        let before = received(&system.inspect().actors[0].heap.unwrap());
        reader.collect();
        until(&system, |heap| received(heap) >= before + pieces);
        drop(second.pop());
        until(&system, |heap| (heap.live as usize) < LARGE * 8);
        drop(second);
        system.shutdown();
    }
}
