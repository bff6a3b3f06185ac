//! Work that turns and other heaps cause while a mark runs: that mark or a later one handles it.

use super::marks::ConcurrentMarks;
use super::marks::IdleWork;
use crate::actor::Worker;
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use crate::statistics::PauseKind;
use crate::{Leaf, Pacing, Weak};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use vivant_heap::Held;

/// More than a stop-the-world mark covers.
const MANY: usize = 2_000;

/// All objects but the token are reachable through one object.
#[derive(Actor)]
struct HoardState<'gc> {
    all: Gc<'gc, Mut<Vec<Gc<'gc, [u64; 30]>>>>,
    token: Option<Gc<'gc, Leaf<Arc<()>>>>,
}

#[behaviours]
impl<'gc> HoardState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Hoard>, token: Arc<()>) -> Self {
        HoardState {
            all: t.alloc(Mut::new((0..MANY).map(|_| t.alloc([0; 30])).collect())),
            token: Some(t.alloc(Leaf(token))),
        }
    }

    fn drop_token(&mut self) {
        self.token = None;
    }

    /// Claims the object through which all others are reachable, and writes to it. A helper finds
    /// no packet meanwhile.
    fn write_during_mark(&mut self, t: &Turn<'gc, Hoard>) -> bool {
        self.all.borrow_mut(t).pop();
        let help =
            |worker: &Worker| ConcurrentMarks::of(&worker.system).help_by(&worker.system, MANY);
        Worker::with_current(help) == Some(IdleWork::Done)
    }
}

#[test]
fn a_mark_drained_by_a_helper_during_a_turn_ends() {
    let mut helped = 0;
    for seed in 0..20 {
        let token = Arc::new(());
        let builder = System::builder().pacing(Pacing::new().nursery(4096).first(4096));
        let simulation = Simulation::with(seed, Faults::none(), builder);
        let hoard = Hoard::spawn(simulation.system(), token.clone());
        for _ in 0..3 {
            hoard.drop_token().send();
            let written = hoard.write_during_mark().ask_blocking().unwrap();
            helped += u32::from(written);
        }
        simulation.run_for(Duration::from_secs(60));
        assert_eq!(
            Arc::strong_count(&token),
            1,
            "seed {seed}: the mark does not end"
        );
    }
    assert!(helped > 0, "no helper scanned during a turn");
}

/// Weak references: more than one termination step processes.
const WEAK: usize = 3_000;

/// Holds objects both strongly and weakly, then only weakly.
#[derive(Actor)]
struct WardrobeState<'gc> {
    all: Vec<Gc<'gc, [u64; 12]>>,
    weak: Vec<Weak<'gc, [u64; 12]>>,
    token: Option<Gc<'gc, Leaf<Arc<()>>>>,
    seen: SeenMark,
}

/// The last mark that a turn has seen: the number of marks begun, the number of termination steps
/// before it, and whether it no longer takes help.
#[derive(Object, Default)]
struct SeenMark {
    begun: u64,
    terminated: u64,
    needs_no_help: bool,
}

#[behaviours]
impl<'gc> WardrobeState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Wardrobe>, token: Arc<()>) -> Self {
        let all: Vec<_> = (0..WEAK).map(|_| t.alloc([0; 12])).collect();
        let weak = all.iter().map(|it| Weak::new(t, *it)).collect();
        let token = Some(t.alloc(Leaf(token)));
        WardrobeState {
            all,
            weak,
            token,
            seen: SeenMark::default(),
        }
    }

    /// Grows. If a mark is in termination, and was removed from the list of running marks, returns
    /// whether it is on the list again.
    fn grow(&mut self, t: &Turn<'gc, Wardrobe>) -> Option<bool> {
        self.all.extend((0..5).map(|_| t.alloc([0; 12])));
        let (stats, seen) = (t.stats(), &mut self.seen);
        if seen.begun != stats.begun {
            (seen.begun, seen.terminated) = (stats.begun, stats.termination_steps);
            seen.needs_no_help = false;
        }
        let runs = stats.begun > stats.ended + stats.aborted;
        if !runs || stats.termination_steps == seen.terminated {
            return None;
        }
        Worker::with_current(|worker| {
            let (marks, needed_no_help) = (ConcurrentMarks::of(&worker.system), seen.needs_no_help);
            let is_listed = marks.any_running();
            marks.help_by(&worker.system, 1);
            seen.needs_no_help = !marks.any_running();
            needed_no_help.then_some(is_listed)
        })?
    }

    fn drop_token(&mut self) {
        self.token = None;
        self.all.truncate(WEAK / 2);
    }

    fn count_alive(&mut self, t: &Turn<'gc, Wardrobe>) -> usize {
        let count_alive = self.weak.iter().filter(|weak| weak.upgrade(t).is_some());
        count_alive.count()
    }
}

#[test]
fn a_mark_terminates_without_messages() {
    for seed in 0..10 {
        let token = Arc::new(());
        let builder = System::builder().pacing(Pacing::new().nursery(4096));
        let simulation = Simulation::with(seed, Faults::none(), builder);
        let wardrobe = Wardrobe::spawn(simulation.system(), token.clone());
        wardrobe.drop_token().send();
        simulation.run_for(Duration::from_secs(60));
        assert_eq!(Arc::strong_count(&token), 1, "seed {seed}: it is not swept");
        let heap = simulation.system().inspect().actors[0].heap.unwrap();
        assert!(heap.marks() > 0, "seed {seed}: the mark does not end");
        let pieces = heap.pauses[PauseKind::MarkSlice].count + heap.marks();
        assert!(pieces >= (WEAK / 512) as u64, "seed {seed}: {pieces}");
        assert_eq!(wardrobe.count_alive().ask_blocking().unwrap(), WEAK / 2);
    }
}

/// Only the actor itself runs mark termination: helpers find no work in it.
#[test]
fn a_mark_in_termination_takes_no_help() {
    let mut terminated = 0;
    for seed in 0..10 {
        let builder = System::builder().pacing(Pacing::new().nursery(256));
        let simulation = Simulation::with(seed, Faults::none(), builder);
        let wardrobe = Wardrobe::spawn(simulation.system(), Arc::new(()));
        for _ in 0..100 {
            let answers: Vec<_> = (0..10).map(|_| wardrobe.grow().ask()).collect();
            for answer in answers {
                if let Some(takes_help) = answer.wait().unwrap() {
                    assert!(!takes_help, "seed {seed}");
                    terminated += 1;
                }
            }
        }
    }
    assert!(terminated > 0);
}

type HolderSlot = Arc<Mutex<Option<Held<[u64]>>>>;

/// Words of the exported data.
const EXPORTED_WORDS: usize = 150_000;

/// Another heap holds an exported object.
#[derive(Actor)]
struct PressState<'gc> {
    all: Vec<Gc<'gc, [u64; 30]>>,
    turns: u32,
}

#[behaviours]
impl<'gc> PressState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Press>, slot: HolderSlot) -> Self {
        let exported = t.val_slice(vec![0; EXPORTED_WORDS]);
        *slot.lock().unwrap() = Some(t.hold(exported));
        PressState {
            all: (0..MANY).map(|_| t.alloc([0; 30])).collect(),
            turns: 0,
        }
    }

    /// Grows, so that a mark begins. While that mark runs, the holder releases the export. Returns
    /// whether the mark runs in the turn after which the release is drained.
    fn work(&mut self, t: &Turn<'gc, Press>, slot: HolderSlot) -> bool {
        self.turns += 1;
        if self.turns == 59 {
            self.all.extend((0..5 * MANY).map(|_| t.alloc([0; 30])));
        }
        let runs = Worker::with_current(|worker| ConcurrentMarks::of(&worker.system).any_running());
        let released =
            runs == Some(true) && self.turns > 60 && slot.lock().unwrap().take().is_some();
        released || (runs == Some(true) && slot.lock().unwrap().is_none())
    }
}

#[test]
fn exports_released_during_a_mark_are_freed_by_a_later_one() {
    let mut released = 0;
    for seed in 0..20 {
        let slot = HolderSlot::default();
        let builder = System::builder().pacing(Pacing::new().nursery(4096).first(4096));
        let simulation = Simulation::with(seed, Faults::none(), builder);
        let press = Press::spawn(simulation.system(), slot.clone());
        for _ in 0..66 {
            released += u32::from(press.work(slot.clone()).ask_blocking().unwrap());
        }
        drop(slot.lock().unwrap().take());
        simulation.run_for(Duration::from_secs(120));
        // No object in this heap has a destructor: no mark comes for that.
        let live = simulation.system().inspect().actors[0].heap.unwrap().live as usize;
        let all = 6 * MANY * 256;
        assert!(
            live < all + 4 * EXPORTED_WORDS,
            "seed {seed}: no mark frees it"
        );
    }
    assert!(released > 0, "no export was released during a mark");
}

type Exported = Arc<Mutex<Vec<Held<[u64]>>>>;

/// Exported objects: more than one batch drains.
const EXPORTED: usize = 4_000;

/// All objects are held from outside.
#[derive(Actor)]
struct GalleryState<'gc> {
    all: Vec<Val<'gc, [u64]>>,
}

#[behaviours]
impl<'gc> GalleryState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Gallery>, exported: Exported) -> Self {
        let all: Vec<_> = (0..EXPORTED).map(|_| t.val_slice(vec![0; 10])).collect();
        *exported.lock().unwrap() = all.iter().map(|it| t.hold(*it)).collect();
        GalleryState { all }
    }

    fn drop_token(&mut self) {
        self.all.clear();
    }

    fn count(&mut self) -> usize {
        self.all.len()
    }
}

#[test]
fn count_messages_are_drained_in_batches_with_and_without_turns() {
    for (seed, messages) in (0..20).flat_map(|seed| [(seed, 0), (seed, 200)]) {
        let exported = Exported::default();
        let builder = System::builder().pacing(Pacing::new().nursery(4096));
        let simulation = Simulation::with(seed, Faults::none(), builder);
        let gallery = Gallery::spawn(simulation.system(), exported.clone());
        gallery.drop_token().send();
        simulation.run_for(Duration::from_millis(1));
        exported.lock().unwrap().clear();
        for _ in 0..messages {
            assert_eq!(gallery.count().ask_blocking().unwrap(), 0);
        }
        simulation.run_for(Duration::from_secs(60));
        let heap = simulation.system().inspect().actors[0].heap.unwrap();
        assert_eq!((heap.exports, heap.live), (0, 0), "seed {seed}");
        let pieces = heap.pauses[PauseKind::Drain].count;
        assert!(
            pieces >= 2 * EXPORTED as u64 / 1024,
            "seed {seed}: {pieces}"
        );
    }
}

type SharedObjects = Arc<Mutex<Vec<Held<[u64]>>>>;

/// Words of the large object.
const LARGE: usize = 1 << 20;

/// All objects are held twice from outside; the last one is large.
#[derive(Actor)]
struct VaultState<'gc> {
    all: Vec<Val<'gc, [u64]>>,
}

#[behaviours]
impl<'gc> VaultState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Vault>, shared: [SharedObjects; 2], many: usize) -> Self {
        let mut all: Vec<_> = (0..many).map(|_| t.val_slice(vec![0; 2])).collect();
        all.push(t.val_slice(vec![0; LARGE]));
        for shared in shared {
            *shared.lock().unwrap() = all.iter().map(|it| t.hold(*it)).collect();
        }
        VaultState { all }
    }

    fn drop_token(&mut self) {
        self.all.clear();
    }

    fn grow(&mut self, t: &Turn<'gc, Vault>, words: usize) {
        self.all.push(t.val_slice(vec![0; words]));
    }
}

/// The last reference to a large object is released, then many references that are not the last.
/// The growth trigger fires; the mark drains the first release, and is delayed by the others. No
/// turn follows.
#[test]
fn a_count_drained_before_a_delayed_mark_is_not_lost() {
    for (grow, many) in [(false, 6000), (true, 300), (true, 6000)] {
        let shared = [SharedObjects::default(), SharedObjects::default()];
        let builder = System::builder().pacing(Pacing::new().nursery(4096));
        let simulation = Simulation::with(1, Faults::none(), builder);
        let vault = Vault::spawn(simulation.system(), shared.clone(), many);
        vault.drop_token().ask_blocking().unwrap();
        simulation.run_for(Duration::from_secs(60));
        let [mut first, mut second] =
            shared.map(|shared| std::mem::take(&mut *shared.lock().unwrap()));
        drop((first.pop(), second.pop()));
        drop(first);
        if grow {
            vault.grow(2 * LARGE).ask_blocking().unwrap();
            (0..8).for_each(|_| vault.grow(1).ask_blocking().unwrap());
        }
        simulation.run_for(Duration::from_secs(600));
        let live = simulation.system().inspect().actors[0].heap.unwrap().live as usize;
        let stored = if grow { 2 * LARGE * 8 } else { 0 };
        assert!(live < stored + LARGE * 4, "{grow}, {many}: {live} bytes");
        drop(second);
    }
}
