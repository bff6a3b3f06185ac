//! Pauses of actors because of their heaps are recorded by kind: for each actor, and for a whole
//! system.

use std::time::Duration;
use vivant::heap::Leaf;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{HeapFacts, Pacing, PauseClock, PauseKind, Pauses};

/// A ring that its owner shows to others, page by page.
#[derive(Actor)]
struct PressState<'gc> {
    drafts: Vec<Gc<'gc, [u64; 16]>>,
}

#[behaviours]
impl<'gc> PressState<'gc> {
    #[start]
    fn new() -> Self {
        PressState { drafts: Vec::new() }
    }
    fn draft(&mut self, t: &Turn<'gc, Press>) {
        self.drafts = (0..64).map(|n| t.alloc([n; 16])).collect();
    }
    fn print(&mut self, t: &Turn<'gc, Press>, to: Address<Press>) {
        to.read(t.val_str("news")).send();
    }
    fn read(&mut self, _news: Val<'gc, str>) {}
    fn idle(&mut self) {}
}

fn heap_of(system: &System, press: usize) -> HeapFacts {
    system.inspect().actors[press].heap.unwrap()
}

fn often() -> Pacing {
    Pacing::new().nursery(1024).first(4096)
}

#[test]
fn each_kind_is_counted_once_for_the_actor_and_once_for_the_system() {
    let builder = System::builder().pacing(often());
    let simulation = Simulation::with(1, Faults::none(), builder);
    let system = simulation.system();
    let (one, two) = (Press::spawn(system), Press::spawn(system));
    for _ in 0..100 {
        one.draft().send();
        two.print(one.clone()).send();
    }
    simulation.run_for(Duration::from_secs(10));
    let heaps = [heap_of(system, 0), heap_of(system, 1)];
    let all = heaps[0].pauses.and(&heaps[1].pauses);
    let pauses = system.inspect().pauses;
    for (kind, these) in pauses.iter() {
        assert_eq!(these.count, all[kind].count, "{kind}");
        assert_eq!(these.longest, Duration::ZERO, "virtual time");
    }
    assert_eq!(pauses.all.count, all.all().count);
    let had = |kind| all[kind].count > 0;
    assert!(had(PauseKind::Minor) && had(PauseKind::Major) && had(PauseKind::ReturnNursery));
    assert_eq!(heaps[0].marks(), heaps[0].pauses[PauseKind::Major].count);
}

#[test]
fn an_idle_actor_pauses_once() {
    let simulation = Simulation::new(2);
    let system = simulation.system();
    let press = Press::spawn(system);
    press.draft().send();
    simulation.run_for(Duration::from_secs(10));
    let pauses = heap_of(system, 0).pauses;
    assert_eq!(pauses[PauseKind::ReturnNursery].count, 1);
    assert_eq!(pauses[PauseKind::Minor], Pauses::default());
}

#[test]
fn draining_a_count_inbox_is_a_pause_of_its_own() {
    let simulation = Simulation::new(3);
    let system = simulation.system();
    let (one, two) = (Press::spawn(system), Press::spawn(system));
    two.print(one.clone()).send();
    let drains = || heap_of(system, 1).pauses[PauseKind::Drain].count;
    simulation.run_for(Duration::from_millis(1));
    assert_eq!(drains(), 0, "an empty inbox costs nothing");
    // The reader is idle, is marked, and releases the page.
    simulation.run_for(Duration::from_secs(10));
    assert_eq!(drains(), 1);
    (0..1_000).for_each(|_| two.idle().send());
    simulation.run_for(Duration::from_secs(10));
    assert_eq!(drains(), 1);
}

#[test]
fn pauses_of_ended_actors_stay_in_the_totals() {
    let simulation = Simulation::new(4);
    let system = simulation.system();
    let press = Press::spawn(system);
    press.draft().send();
    simulation.run_for(Duration::from_secs(10));
    let before = system.inspect().pauses;
    assert!(before.all.count > 0);
    drop(press);
    simulation.run();
    let after = system.inspect();
    assert!(after.actors.is_empty());
    assert_eq!(after.pauses, before);
}

#[test]
fn on_threads_pauses_take_time_and_their_quantiles_are_in_order() {
    let system = System::builder().workers(2).pacing(often()).build();
    let presses: Vec<_> = (0..4).map(|_| Press::spawn(&system)).collect();
    for _ in 0..200 {
        presses.iter().for_each(|press| press.draft().send());
    }
    for press in &presses {
        press.idle().ask_blocking().unwrap();
    }
    let seen = system.inspect();
    let sum = seen.actors.iter().filter_map(|it| it.heap);
    let sum = sum.fold(Pauses::default(), |sum, heap| sum.and(heap.pauses.all()));
    let all = seen.pauses.all;
    // The inspection may have come during a pause of another one.
    assert!(all.count >= 400 && sum.count >= 400, "{all:?} {sum:?}");
    assert!(all.total > Duration::ZERO);
    let rising = [all.p50, all.p99, all.p999, all.p9999, all.longest];
    assert!(
        rising.is_sorted() && all.longest > Duration::ZERO,
        "{all:?}"
    );
}

/// Its drop takes long, and no CPU time.
struct Sleeper;

const SLEPT: Duration = Duration::from_millis(30);

impl Drop for Sleeper {
    #[allow(
        clippy::disallowed_methods,
        reason = "a pause in which no processor works"
    )]
    fn drop(&mut self) {
        std::thread::sleep(SLEPT);
    }
}

#[derive(Actor)]
struct BedState<'gc> {
    sleeper: Option<Gc<'gc, Leaf<Sleeper>>>,
}

#[behaviours]
impl<'gc> BedState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Bed>) -> Self {
        let sleeper = Some(t.alloc(Leaf(Sleeper)));
        BedState { sleeper }
    }
    /// A collection of the nursery drops the sleeper.
    fn wake(&mut self, t: &Turn<'gc, Bed>) {
        self.sleeper = None;
        let _dead = t.alloc([0_u64; 256]);
    }
}

/// The longest pause of an actor that had to wait for a sleeper.
fn longest(clock: PauseClock) -> Duration {
    let builder = System::builder().workers(1).pacing(often());
    let system = builder.pause_clock(clock).build();
    Bed::spawn(&system).wake().ask_blocking().unwrap();
    system.shutdown();
    system.inspect().pauses.all.longest
}

#[test]
fn a_sleep_in_a_pause_counts_by_the_wall_clock_only() {
    assert!(longest(PauseClock::Wall) >= SLEPT);
    let cpu = longest(PauseClock::ThreadCpu);
    assert!(cpu > Duration::ZERO, "{cpu:?}");
    if cfg!(target_os = "linux") {
        assert!(cpu < SLEPT, "{cpu:?}");
    }
}
