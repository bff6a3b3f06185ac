//! Work that turns and other heaps cause while a mark runs: the mark continues with it, or another
//! mark comes.

use super::marks::Helped;
use super::marks::Marks;
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

/// One object leads to everything that it holds.
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

    fn forgets(&mut self) {
        self.token = None;
    }

    /// Claims the object that leads to everything, and writes it; a helper finds no packet
    /// meanwhile.
    fn writes(&mut self, t: &Turn<'gc, Hoard>) -> bool {
        self.all.borrow_mut(t).pop();
        let helps = |worker: &Worker| Marks::of(&worker.system).help_by(&worker.system, MANY);
        Worker::with_current(helps) == Some(Helped::Some)
    }
}

#[test]
fn a_mark_found_through_in_the_middle_of_a_turn_ends() {
    let mut helped = 0;
    for seed in 0..20 {
        let token = Arc::new(());
        let builder = System::builder().pacing(Pacing::new().nursery(4096).first(4096));
        let simulation = Simulation::with(seed, Faults::none(), builder);
        let hoard = Hoard::spawn(simulation.system(), token.clone());
        for _ in 0..3 {
            hoard.forgets().send();
            let written = hoard.writes().ask_blocking().unwrap();
            helped += u32::from(written);
        }
        simulation.run_for(Duration::from_secs(60));
        assert_eq!(
            Arc::strong_count(&token),
            1,
            "seed {seed}: the mark does not end"
        );
    }
    assert!(helped > 0, "nobody has helped in the middle of a turn");
}

/// Weak references: more than one termination step processes.
const WEAK: usize = 3_000;

/// Holds objects both strongly and weakly, then only weakly.
#[derive(Actor)]
struct WardrobeState<'gc> {
    all: Vec<Gc<'gc, [u64; 12]>>,
    weak: Vec<Weak<'gc, [u64; 12]>>,
    token: Option<Gc<'gc, Leaf<Arc<()>>>>,
    seen: Seen,
}

/// The last mark that it has seen: the number of marks, the number of termination steps before its
/// end, and whether it no longer takes help.
#[derive(Object, Default)]
struct Seen {
    begun: u64,
    settled: u64,
    needs_nobody: bool,
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
            seen: Seen::default(),
        }
    }

    /// Grows. If a mark is in termination, and was taken off the list of marks that take help:
    /// returns whether it is on it again.
    fn grows(&mut self, t: &Turn<'gc, Wardrobe>) -> Option<bool> {
        self.all.extend((0..5).map(|_| t.alloc([0; 12])));
        let (stats, seen) = (t.stats(), &mut self.seen);
        if seen.begun != stats.begun {
            (seen.begun, seen.settled) = (stats.begun, stats.termination_steps);
            seen.needs_nobody = false;
        }
        let runs = stats.begun > stats.ended + stats.aborted;
        if !runs || stats.termination_steps == seen.settled {
            return None;
        }
        Worker::with_current(|worker| {
            let (marks, needed_nobody) = (Marks::of(&worker.system), seen.needs_nobody);
            let is_listed = marks.are_running();
            marks.help_by(&worker.system, 1);
            seen.needs_nobody = !marks.are_running();
            needed_nobody.then_some(is_listed)
        })?
    }

    fn forgets(&mut self) {
        self.token = None;
        self.all.truncate(WEAK / 2);
    }

    fn alive(&mut self, t: &Turn<'gc, Wardrobe>) -> usize {
        let alive = self.weak.iter().filter(|weak| weak.upgrade(t).is_some());
        alive.count()
    }
}

#[test]
fn a_mark_is_settled_though_no_message_comes() {
    for seed in 0..10 {
        let token = Arc::new(());
        let builder = System::builder().pacing(Pacing::new().nursery(4096));
        let simulation = Simulation::with(seed, Faults::none(), builder);
        let wardrobe = Wardrobe::spawn(simulation.system(), token.clone());
        wardrobe.forgets().send();
        simulation.run_for(Duration::from_secs(60));
        assert_eq!(Arc::strong_count(&token), 1, "seed {seed}: it is not swept");
        let heap = simulation.system().inspect().actors[0].heap.unwrap();
        assert!(heap.marks() > 0, "seed {seed}: the mark does not end");
        let pieces = heap.pauses[PauseKind::MarkSlice].count + heap.marks();
        assert!(pieces >= (WEAK / 512) as u64, "seed {seed}: {pieces}");
        assert_eq!(wardrobe.alive().ask_blocking().unwrap(), WEAK / 2);
    }
}

/// Mark termination is the actor's alone.
#[test]
fn a_mark_that_is_settled_calls_nobody() {
    let mut settled = 0;
    for seed in 0..10 {
        let builder = System::builder().pacing(Pacing::new().nursery(256));
        let simulation = Simulation::with(seed, Faults::none(), builder);
        let wardrobe = Wardrobe::spawn(simulation.system(), Arc::new(()));
        for _ in 0..100 {
            let answers: Vec<_> = (0..10).map(|_| wardrobe.grows().ask()).collect();
            for answer in answers {
                if let Some(is_called) = answer.wait().unwrap() {
                    assert!(!is_called, "seed {seed}");
                    settled += 1;
                }
            }
        }
    }
    assert!(settled > 0);
}

type Slot = Arc<Mutex<Option<Held<[u64]>>>>;

/// Words of the exported data.
const NEWS: usize = 150_000;

/// Other heaps hold something of it.
#[derive(Actor)]
struct PressState<'gc> {
    all: Vec<Gc<'gc, [u64; 30]>>,
    turns: u32,
}

#[behaviours]
impl<'gc> PressState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Press>, slot: Slot) -> Self {
        let news = t.val_slice(vec![0; NEWS]);
        *slot.lock().unwrap() = Some(t.hold(news));
        PressState {
            all: (0..MANY).map(|_| t.alloc([0; 30])).collect(),
            turns: 0,
        }
    }

    /// Grows, so that a mark begins; while that runs, the other actor releases what it holds.
    /// Returns whether the mark runs in the turn after which the release is read.
    fn works(&mut self, t: &Turn<'gc, Press>, slot: Slot) -> bool {
        self.turns += 1;
        if self.turns == 59 {
            self.all.extend((0..5 * MANY).map(|_| t.alloc([0; 30])));
        }
        let runs = Worker::with_current(|worker| Marks::of(&worker.system).are_running());
        let given_up =
            runs == Some(true) && self.turns > 60 && slot.lock().unwrap().take().is_some();
        given_up || (runs == Some(true) && slot.lock().unwrap().is_none())
    }
}

#[test]
fn what_is_given_up_while_a_mark_runs_is_found_by_another() {
    let mut given_up = 0;
    for seed in 0..20 {
        let slot = Slot::default();
        let builder = System::builder().pacing(Pacing::new().nursery(4096).first(4096));
        let simulation = Simulation::with(seed, Faults::none(), builder);
        let press = Press::spawn(simulation.system(), slot.clone());
        for _ in 0..66 {
            given_up += u32::from(press.works(slot.clone()).ask_blocking().unwrap());
        }
        drop(slot.lock().unwrap().take());
        simulation.run_for(Duration::from_secs(120));
        // No object in this heap has a destructor: no mark comes for that.
        let live = simulation.system().inspect().actors[0].heap.unwrap().live as usize;
        let all = 6 * MANY * 256;
        assert!(live < all + 4 * NEWS, "seed {seed}: nobody looks for it");
    }
    assert!(given_up > 0, "nothing was given up while a mark ran");
}

type Shown = Arc<Mutex<Vec<Held<[u64]>>>>;

/// More than one batch reads.
const SHOWN: usize = 4_000;

/// Other heaps hold all of it.
#[derive(Actor)]
struct GalleryState<'gc> {
    all: Vec<Val<'gc, [u64]>>,
}

#[behaviours]
impl<'gc> GalleryState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Gallery>, shown: Shown) -> Self {
        let all: Vec<_> = (0..SHOWN).map(|_| t.val_slice(vec![0; 10])).collect();
        *shown.lock().unwrap() = all.iter().map(|it| t.hold(*it)).collect();
        GalleryState { all }
    }

    fn forgets(&mut self) {
        self.all.clear();
    }

    fn hangs(&mut self) -> usize {
        self.all.len()
    }
}

#[test]
fn what_others_leave_is_heard_in_pieces_whether_messages_come_or_not() {
    for (seed, messages) in (0..20).flat_map(|seed| [(seed, 0), (seed, 200)]) {
        let shown = Shown::default();
        let builder = System::builder().pacing(Pacing::new().nursery(4096));
        let simulation = Simulation::with(seed, Faults::none(), builder);
        let gallery = Gallery::spawn(simulation.system(), shown.clone());
        gallery.forgets().send();
        simulation.run_for(Duration::from_millis(1));
        shown.lock().unwrap().clear();
        for _ in 0..messages {
            assert_eq!(gallery.hangs().ask_blocking().unwrap(), 0);
        }
        simulation.run_for(Duration::from_secs(60));
        let heap = simulation.system().inspect().actors[0].heap.unwrap();
        assert_eq!((heap.exports, heap.live), (0, 0), "seed {seed}");
        let pieces = heap.pauses[PauseKind::Drain].count;
        assert!(pieces >= 2 * SHOWN as u64 / 1024, "seed {seed}: {pieces}");
    }
}

type Lent = Arc<Mutex<Vec<Held<[u64]>>>>;

/// Words of the large object.
const LARGE: usize = 1 << 20;

/// Other heaps hold all of it, twice; the last object is large.
#[derive(Actor)]
struct VaultState<'gc> {
    all: Vec<Val<'gc, [u64]>>,
}

#[behaviours]
impl<'gc> VaultState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Vault>, lent: [Lent; 2], many: usize) -> Self {
        let mut all: Vec<_> = (0..many).map(|_| t.val_slice(vec![0; 2])).collect();
        all.push(t.val_slice(vec![0; LARGE]));
        for lent in lent {
            *lent.lock().unwrap() = all.iter().map(|it| t.hold(*it)).collect();
        }
        VaultState { all }
    }

    fn forgets(&mut self) {
        self.all.clear();
    }

    fn grows(&mut self, t: &Turn<'gc, Vault>, words: usize) {
        self.all.push(t.val_slice(vec![0; words]));
    }
}

/// The last reference to a large object is released, then many that are not the last. A mark is due
/// by growth, reads the first release, and waits for the rest; and no turn comes.
#[test]
fn what_a_mark_has_heard_that_waits_is_not_forgotten() {
    for (grows, many) in [(false, 6000), (true, 300), (true, 6000)] {
        let lent = [Lent::default(), Lent::default()];
        let builder = System::builder().pacing(Pacing::new().nursery(4096));
        let simulation = Simulation::with(1, Faults::none(), builder);
        let vault = Vault::spawn(simulation.system(), lent.clone(), many);
        vault.forgets().ask_blocking().unwrap();
        simulation.run_for(Duration::from_secs(60));
        let [mut first, mut second] = lent.map(|lent| std::mem::take(&mut *lent.lock().unwrap()));
        drop((first.pop(), second.pop()));
        drop(first);
        if grows {
            vault.grows(2 * LARGE).ask_blocking().unwrap();
            (0..8).for_each(|_| vault.grows(1).ask_blocking().unwrap());
        }
        simulation.run_for(Duration::from_secs(600));
        let live = simulation.system().inspect().actors[0].heap.unwrap().live as usize;
        let kept = if grows { 2 * LARGE * 8 } else { 0 };
        assert!(live < kept + LARGE * 4, "{grows}, {many}: {live} bytes");
        drop(second);
    }
}
