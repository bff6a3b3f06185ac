//! The paper's decrement and merging (its Algorithms 2 to 4), as far as the nine steps need it.
//! Here each algorithm's step is atomic: the fault is not in memory orders. It is in no file of the
//! crate either, which counts otherwise, so it is injected nowhere.

use crate::sync::{Arc, Mutex};
use crate::tracked::Tracked;
use loom::thread;

#[derive(Default)]
struct Counts {
    biased: i32,
    shared: i32,
    is_merged: bool,
    is_queued: bool,
}

struct Object {
    counts: Mutex<Counts>,
    /// Deallocated.
    gone: Tracked<bool>,
}

impl Object {
    fn counts<R>(&self, step: impl FnOnce(&mut Counts) -> R) -> R {
        assert!(!self.gone.read(|gone| *gone), "used after it was freed");
        step(&mut self.counts.lock().unwrap())
    }

    fn deallocate(&self) {
        let before = self.gone.change(|gone| std::mem::replace(gone, true));
        assert!(!before, "freed twice");
    }

    /// Algorithm 3: the owner drops.
    fn decrement(&self) {
        let ends = self.counts(|counts| {
            counts.biased -= 1;
            counts.is_merged |= counts.biased == 0;
            counts.biased == 0 && counts.shared == 0
        });
        if ends {
            self.deallocate();
        }
    }

    /// Algorithm 3: another thread drops. Returns whether the object goes to the owner's queue.
    fn slow_decrement(&self) -> bool {
        self.counts(|counts| {
            counts.shared -= 1;
            let queues = counts.shared < 0 && !counts.is_queued;
            counts.is_queued |= queues;
            queues
        })
    }

    fn slow_increment(&self) {
        self.counts(|counts| counts.shared += 1);
    }

    /// Algorithm 4: the owner merges the objects in its queue.
    fn explicit_merge(&self) {
        let ends = self.counts(|counts| {
            counts.shared += counts.biased;
            counts.biased = 0;
            counts.is_merged = true;
            counts.shared == 0
        });
        if ends {
            self.deallocate();
        }
    }
}

/// The owner gives both of its references away; the other thread drops one, clones the other, and
/// gives both back.
pub(super) fn nine_steps() {
    let object = Arc::new(Object {
        counts: Mutex::new(Counts {
            biased: 2,
            ..Counts::default()
        }),
        gone: Tracked::new(false),
    });
    let theirs = object.clone();
    let other = thread::spawn(move || {
        let is_queued = theirs.slow_decrement();
        theirs.slow_increment();
        is_queued
    });
    // The owner has other work.
    thread::yield_now();
    let is_queued = other.join().unwrap();
    object.decrement();
    object.decrement();
    if is_queued {
        object.explicit_merge();
    }
}
