//! F1 and F2 under an adversary that chooses what each run wakes and gives birth to, and when time
//! passes.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ptr::NonNull;

#[derive(Debug)]
struct Item {
    number: u32,
    newborn: bool,
}

// SAFETY: `into_ptr` leaks a box, and `from_ptr` makes it a box again, once (X10). A box of an
// `Item` is `Send`, so the trait's promise holds on any thread (X11).
#[allow(unsafe_code, reason = "as in the runtime")]
unsafe impl Pointed for Box<Item> {
    type Target = Item;
    fn into_ptr(self) -> NonNull<Item> {
        NonNull::from(Box::leak(self))
    }
    unsafe fn from_ptr(item: NonNull<Item>) -> Self {
        // SAFETY: the caller's contract (X1): the pointer is from `into_ptr`, and this is called
        // once for it.
        unsafe { Box::from_raw(item.as_ptr()) }
    }
}

impl QueueEntry for Box<Item> {
    fn is_newborn(&self) -> bool {
        self.newborn
    }
}

/// What one run does besides its work.
#[derive(Clone, Copy, Debug)]
enum RunEffect {
    /// Wakes an actor, which displaces the one in the LIFO slot.
    Wakes,
    GivesBirth,
    /// A thread outside makes an actor runnable during the run.
    Outside,
    /// The coarse clock advances.
    Lasts,
    Nothing,
}

fn runs() -> impl Strategy<Value = Vec<RunEffect>> {
    let does = prop_oneof![
        8 => Just(RunEffect::Wakes),
        4 => Just(RunEffect::GivesBirth),
        1 => Just(RunEffect::Outside),
        1 => Just(RunEffect::Lasts),
        4 => Just(RunEffect::Nothing),
    ];
    prop::collection::vec(does, 1..if cfg!(miri) { 150 } else { 3_000 })
}

/// The order under test.
#[derive(Clone, Copy, PartialEq)]
enum RunOrder {
    /// The order of the runtime.
    Rounds,
    /// The injected fault: the actor woken last goes first, for ever.
    WokenFirst,
}

/// The place where an item waits, and the round since which it waits.
struct QueuedItem {
    place: usize,
    since: u64,
}

#[derive(Default)]
struct World {
    slot: Option<LifoSlot<Box<Item>>>,
    own: RunQueue<Box<Item>>,
    common: RunQueue<Box<Item>>,
    waits: BTreeMap<u32, QueuedItem>,
    made: u32,
}

impl World {
    fn item(&mut self, newborn: bool) -> Box<Item> {
        self.made += 1;
        let number = self.made;
        Box::new(Item { number, newborn })
    }

    /// An item goes to the end of a list; the number of items before it bounds its wait.
    fn queue(&mut self, item: Box<Item>, to: fn(&World) -> &RunQueue<Box<Item>>, round: u64) {
        let wait = QueuedItem {
            place: to(self).waiting(),
            since: round,
        };
        self.waits.insert(item.number, wait);
        to(self).push(item);
    }

    fn wake(&mut self, item: Box<Item>, round: u64) {
        let displaced = self.slot.as_ref().and_then(|slot| slot.put(item));
        if let Some(displaced) = displaced {
            self.queue(displaced, |world| &world.own, round);
        }
    }
}

fn check_rounds(runs: &[RunEffect], law: RunOrder) {
    let mut world = World {
        slot: Some(LifoSlot::new()),
        ..World::default()
    };
    let (mut round, mut rounds, mut now_ms, mut in_a_row) = (Round::new(), 0, 0, 0);
    // Runs of the current round after its first, and the time of its first.
    let (mut in_round, mut began_ms) = (0, 0);
    for number in 0..20 {
        let item = world.item(number % 2 == 0);
        world.queue(item, |world| &world.own, 0);
        let item = world.item(number % 3 == 0);
        world.queue(item, |world| &world.common, 0);
    }
    for does in runs {
        let mut first = round.next(now_ms);
        if law == RunOrder::WokenFirst {
            first = First::Woken;
        } else if first != First::Woken {
            rounds += 1;
            (in_round, began_ms) = (0, now_ms);
        } else {
            in_round += 1;
            assert!(in_round < ROUND_MAX, "F1: a round of {in_round} runs");
            assert_eq!(
                now_ms, began_ms,
                "F1: the round ends with the clock's advance"
            );
        }
        let slot = world.slot.as_ref().expect("made above");
        let slot_was_full = !slot.is_empty();
        // An item that is put back waits from now on, behind all others.
        let put_back = (first != First::Woken).then(|| slot.take()).flatten();
        if let Some(item) = put_back {
            world.queue(item, |world| &world.own, rounds);
        }
        let sources = Sources {
            woken: world.slot.as_ref().expect("made above"),
            own: &world.own,
            common: &world.common,
        };
        let Some(item) = sources.next(first) else {
            let item = world.item(false);
            world.queue(item, |world| &world.common, rounds);
            continue;
        };
        in_a_row = match (first, slot_was_full) {
            (First::Woken, true) => in_a_row + 1,
            _ => 0,
        };
        let waiting = world.own.waiting() + world.common.waiting();
        assert!(
            in_a_row < ROUND_MAX || waiting == 0,
            "F1: the slot for ever"
        );
        if let Some(wait) = world.waits.remove(&item.number) {
            let waited = rounds - wait.since;
            let bound = 4 * (wait.place as u64 + 1);
            assert!(
                waited <= bound,
                "F2: {waited} rounds at place {}",
                wait.place
            );
        }
        match does {
            RunEffect::Wakes => {
                let woken = world.item(false);
                world.wake(woken, rounds);
            }
            RunEffect::GivesBirth => {
                let newborn = world.item(true);
                world.wake(newborn, rounds);
            }
            RunEffect::Outside => {
                let item = world.item(false);
                world.queue(item, |world| &world.common, rounds);
            }
            RunEffect::Lasts => now_ms += 1,
            RunEffect::Nothing => {}
        }
    }
    // Items that still wait have not waited too long either.
    for wait in world.waits.values() {
        assert!(
            rounds - wait.since <= 4 * (wait.place as u64 + 1),
            "F2: for ever"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 2 } else { 64 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_queued_actor_runs_within_the_bound(runs in runs()) {
        check_rounds(&runs, RunOrder::Rounds);
    }
}

#[test]
#[should_panic(expected = "for ever")]
fn canary_lifo_slot_first_for_ever_is_caught() {
    check_rounds(&[RunEffect::Wakes; 200], RunOrder::WokenFirst);
}

#[test]
fn a_round_ends_after_its_limit_of_runs_and_when_the_clock_advances() {
    check_rounds(
        &[RunEffect::Wakes; 4 * ROUND_MAX as usize],
        RunOrder::Rounds,
    );
    check_rounds(&[RunEffect::Lasts; 50], RunOrder::Rounds);
}
