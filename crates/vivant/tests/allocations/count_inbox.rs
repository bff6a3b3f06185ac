//! A heap's count inbox is drained now and then, whatever its actor does: its memory is bounded.

use super::{COUNTED, in_a_process_of_its_own};
use stats_alloc::Region;
use std::time::Duration;
use vivant::heap::{Parcel, Val};
use vivant::prelude::*;
use vivant::simulation::Simulation;

#[derive(Actor)]
struct WriterState<'gc> {
    text: Option<Val<'gc, str>>,
}

#[behaviours]
impl<'gc> WriterState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Writer>) -> Self {
        let text = Some(t.val_str("rain"));
        WriterState { text }
    }

    fn write(&self, t: &Turn<'gc, Writer>) -> Parcel<Option<Val<'static, str>>> {
        t.pack(self.text)
    }

    fn nothing(&self) {}
}

/// Bytes allocated by `body` and not freed.
fn grown(body: impl FnOnce()) -> isize {
    let region = Region::new(COUNTED);
    body();
    let change = region.change();
    change.bytes_allocated as isize - change.bytes_deallocated as isize
}

#[test]
fn a_count_inbox_stays_bounded() {
    in_a_process_of_its_own("count_inbox::a_count_inbox_stays_bounded", copies_and_turns);
}

fn copies_and_turns() {
    let simulation = Simulation::new(1);
    let writer = Writer::spawn(simulation.system());
    let text = writer.write().ask_blocking().unwrap();
    let rounds = if cfg!(miri) { 500 } else { 20_000 };
    let copies = |turns| {
        for _ in 0..rounds {
            drop(text.clone());
            (0..turns).for_each(|_| writer.nothing().ask_blocking().unwrap());
        }
    };
    copies(1);
    let (busy, idle) = (grown(|| copies(1)), grown(|| copies(0)));
    assert_eq!(simulation.now(), Duration::ZERO);
    // For a heap without turns only time triggers the drain.
    assert!(idle > 2 * rounds * 16, "canary: the counter counts {idle}");
    assert!(busy < idle / 4, "{busy} of {idle}");
    let drained = grown(|| simulation.run());
    assert!(drained < -idle / 2, "{drained} of {idle}");
}
