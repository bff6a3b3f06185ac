//! The LIFO slot for the actor just woken (`crates/vivant/src/sched/README.md`).
//!
//! Proved, on the file of the runtime: an actor that is put in is taken out once, by its worker or
//! by a thief; its taker sees all changes made before it was put in.
//!
//! | model | real |
//! |---|---|
//! | `Actor` | a `Runnable`; its content is what the sender that woke it wrote |
//! | `worker` | `Shared::schedule_next` and `Threads::near`: the displaced actor goes to the worker's own queue |
//! | `thief` | `Threads::steal` from a worker that is held up |
//!
//! Left out: the queues, and the waking of the thief (`sleep.rs`).

use crate::check::{canaries, models};
use crate::runtime::lifo_slot::{LifoSlot, Pointed};
use crate::sync::Arc;
use crate::tracked::Tracked;
use loom::alloc::Track;
use loom::thread;
use std::ptr::NonNull;

/// In the runtime an actor that is dropped without being put anywhere is a leak: it will never run.
/// Here `seen` finds that.
pub(crate) struct Actor(NonNull<Track<Tracked<u32>>>);

// SAFETY: it owns a box.
unsafe impl Send for Actor {}

// SAFETY: `from_ptr` undoes `into_ptr`.
unsafe impl Pointed for Actor {
    type Target = Track<Tracked<u32>>;
    fn into_ptr(self) -> NonNull<Self::Target> {
        self.0
    }
    unsafe fn from_ptr(pointer: NonNull<Self::Target>) -> Actor {
        Actor(pointer)
    }
}

impl Actor {
    fn woken(number: u32) -> Actor {
        let content = Tracked::new(0);
        // A change and not the first value: loom is to see that the waker writes.
        content.change(|place| *place = number);
        Actor(NonNull::from(Box::leak(Box::new(Track::new(content)))))
    }

    /// Runs it.
    fn run(self) -> u32 {
        // SAFETY: a leaked box that this value owns.
        let content = unsafe { Box::from_raw(self.0.as_ptr()) };
        content.get_ref().change(|number| *number)
    }
}

/// A worker wakes this number of actors; this number of thieves check once each.
fn robbed(actors: u32, thieves: usize) {
    let place = Arc::new(LifoSlot::<Actor>::new());
    let thief = || {
        let place = place.clone();
        thread::spawn(move || place.take().map(Actor::run))
    };
    let thieves: Vec<_> = (0..thieves).map(|_| thief()).collect();
    let mut queue = Vec::new();
    for number in 1..=actors {
        queue.extend(place.put(Actor::woken(number)));
    }
    // Between two of its own turns.
    let next = place.take();
    let mut ran: Vec<u32> = next.into_iter().chain(queue).map(Actor::run).collect();
    ran.extend(
        thieves
            .into_iter()
            .filter_map(|thief| thief.join().unwrap()),
    );
    ran.sort_unstable();
    let all: Vec<u32> = (1..=actors).collect();
    assert_eq!(ran, all, "lost, or taken by two");
    assert!(place.take().is_none());
}

models! {
    /// One is taken out by its worker or by one of two thieves.
    an_actor_is_taken_once: holds || robbed(1, 2);
    /// The next one is put in while a thief takes the first.
    a_displaced_actor_is_not_lost: holds || robbed(2, 1), || robbed(3, 1);
    /// More of both.
    long_two_thieves: holds_long || robbed(3, 2);
}

canaries! {
    /// The thief does not see what the waker wrote.
    a_put_that_does_not_release_is_caught: PutRelaxed, "Causality violation" => || robbed(1, 1);
    /// The same, where another actor was in the slot.
    a_swap_that_does_not_release_is_caught: SwapRelaxed, "Causality violation" => || robbed(2, 1);
    /// The thief does not acquire.
    a_take_that_does_not_acquire_is_caught: SlotTakeRelaxed, "Causality violation" => || robbed(1, 1);
    /// The displaced actor is lost.
    a_displaced_actor_that_is_dropped_is_caught: DropDisplaced, "lost" => || robbed(2, 1);
    /// The worker stores over a full slot and believes that it has the displaced actor; a thief has
    /// it too.
    a_store_over_a_full_slot_is_caught: StoreOver, "" => || robbed(2, 1);
    /// Two threads load, and both take.
    a_take_by_a_load_and_a_store_is_caught: TakeByLoadAndStore, "" => || robbed(1, 2);
}
