//! Named timers: one for each actor and name, however often it is set again, and none after the
//! actor's end.

use crate::waits::ms;
use vivant::Timer;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};

/// A tick every 10 ms, from its start on.
#[derive(Actor)]
struct Clockwork {
    ticks: Vec<u64>,
    last: Option<Timer>,
}

#[behaviours]
impl Clockwork {
    #[start]
    fn new(t: &Turn<Self>) -> Self {
        let last = Some(t.timer("tick").every(ms(10), t.me().tick()));
        let ticks = Vec::new();
        Clockwork { ticks, last }
    }

    /// What a restart in place does: the same actor, its state made anew by its start function.
    fn restart(&mut self, t: &Turn<Self>) {
        let ticks = std::mem::take(&mut self.ticks);
        *self = Clockwork {
            ticks,
            ..Clockwork::new(t)
        };
    }

    fn tick(&mut self, t: &Turn<Self>) {
        self.ticks.push(t.now().as_millis() as u64);
    }

    fn tock(&mut self, t: &Turn<Self>) {
        self.ticks.push(1_000_000 + t.now().as_millis() as u64);
    }

    fn ticks(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.ticks)
    }

    fn every(&mut self, t: &Turn<Self>, name: String, period: u64) {
        self.last = Some(t.timer(&name).every(ms(period), t.me().tick()));
    }

    fn every_tock(&mut self, t: &Turn<Self>, name: String, period: u64) {
        self.last = Some(t.timer(&name).every(ms(period), t.me().tock()));
    }

    fn after(&mut self, t: &Turn<Self>, name: String, delay: u64) {
        self.last = Some(t.timer(&name).after(ms(delay), t.me().tick()));
    }

    fn tell_later(&mut self, t: &Turn<Self>, other: Address<Clockwork>, delay: u64) {
        t.timer("other").after(ms(delay), other.tick());
    }

    fn nag(&mut self, t: &Turn<Self>, other: Address<Clockwork>, period: u64) {
        t.timer("other").every(ms(period), other.tick());
    }

    fn cancel(&mut self, t: &Turn<Self>, name: String) -> bool {
        t.timer(&name).cancel()
    }

    fn cancel_token(&mut self) -> bool {
        self.last.take().unwrap().cancel()
    }

    fn begin_anew(&mut self, t: &Turn<Self>, name: String) -> bool {
        t.timer(&name).restart()
    }

    fn begin_token_anew(&mut self) -> bool {
        self.last.as_ref().unwrap().restart()
    }
}

fn started(seed: u64) -> (Simulation, Address<Clockwork>) {
    let simulation = Simulation::new(seed);
    let clockwork = Clockwork::spawn(simulation.system());
    (simulation, clockwork)
}

fn ticks(clockwork: &Address<Clockwork>) -> Vec<u64> {
    clockwork.ticks().ask_blocking().unwrap()
}

fn timers(simulation: &Simulation) -> usize {
    simulation.system().inspect().timers
}

#[test]
fn a_restart_neither_duplicates_nor_delays_a_timer() {
    let (simulation, clockwork) = started(1);
    for _ in 0..5 {
        simulation.run_for(ms(7));
        clockwork.restart().ask_blocking().unwrap();
        assert_eq!(timers(&simulation), 1);
    }
    simulation.run_for(ms(6));
    assert_eq!(ticks(&clockwork), [10, 20, 30, 40]);
}

#[test]
fn another_period_message_or_kind_replaces_it() {
    let (simulation, clockwork) = started(2);
    let tick = || "tick".to_owned();
    simulation.run_for(ms(5));
    clockwork.every(tick(), 4).ask_blocking().unwrap();
    simulation.run_for(ms(9));
    assert_eq!(ticks(&clockwork), [9, 13]);
    clockwork.every_tock(tick(), 4).ask_blocking().unwrap();
    simulation.run_for(ms(4));
    assert_eq!(ticks(&clockwork), [1_000_018]);
    clockwork.after(tick(), 4).ask_blocking().unwrap();
    simulation.run_for(ms(10));
    assert_eq!(ticks(&clockwork), [22]);
    assert_eq!(timers(&simulation), 0);
}

#[test]
fn a_running_delay_is_kept_and_an_elapsed_one_is_set_again() {
    let (simulation, clockwork) = started(3);
    let once = || {
        clockwork
            .after("once".to_owned(), 8)
            .ask_blocking()
            .unwrap()
    };
    clockwork.cancel("tick".to_owned()).ask_blocking().unwrap();
    once();
    simulation.run_for(ms(5));
    once();
    simulation.run_for(ms(5));
    assert_eq!(ticks(&clockwork), [8]);
    once();
    simulation.run_for(ms(10));
    assert_eq!(ticks(&clockwork), [18]);
    assert_eq!(timers(&simulation), 0);
}

#[test]
fn timers_begin_anew_by_name_or_token() {
    let (simulation, clockwork) = started(4);
    let anew = |name: &str| clockwork.begin_anew(name.to_owned()).ask_blocking();
    simulation.run_for(ms(7));
    assert_eq!(anew("tick"), Ok(true));
    simulation.run_for(ms(25));
    assert_eq!(ticks(&clockwork), [17, 27], "a whole period from then on");
    clockwork.cancel("tick".to_owned()).ask_blocking().unwrap();
    assert_eq!(anew("tick"), Ok(false));
    assert_eq!(anew("other"), Ok(false));

    clockwork
        .after("once".to_owned(), 8)
        .ask_blocking()
        .unwrap();
    simulation.run_for(ms(5));
    assert_eq!(clockwork.begin_token_anew().ask_blocking(), Ok(true));
    simulation.run_for(ms(5));
    assert_eq!(anew("once"), Ok(true));
    simulation.run_for(ms(30));
    assert_eq!(ticks(&clockwork), [50], "32 + 5 + 5 + 8");
    assert_eq!(anew("once"), Ok(false));
    assert_eq!(clockwork.begin_token_anew().ask_blocking(), Ok(false));
    assert_eq!(timers(&simulation), 0);
}

#[test]
fn timers_are_cancelled_by_name_or_token() {
    let (simulation, clockwork) = started(4);
    let cancel = |name: &str| clockwork.cancel(name.to_owned()).ask_blocking().unwrap();
    assert!(!cancel("tock"));
    assert!(cancel("tick"));
    assert!(!cancel("tick"));
    clockwork.restart().ask_blocking().unwrap();
    assert_eq!(clockwork.cancel_token().ask_blocking(), Ok(true));
    assert!(!cancel("tick"));
    assert_eq!(timers(&simulation), 0);
    // Cancelled by its token, it is set again, not kept.
    clockwork.restart().ask_blocking().unwrap();
    assert_eq!(timers(&simulation), 1);
    clockwork.restart().ask_blocking().unwrap();
    assert_eq!(
        clockwork.cancel_token().ask_blocking(),
        Ok(true),
        "the token is of the one that runs"
    );
}

#[test]
fn timers_are_separate_by_name_and_actor() {
    let (simulation, one) = started(5);
    let two = Clockwork::spawn(simulation.system());
    one.every("tock".to_owned(), 10).ask_blocking().unwrap();
    two.every("tick".to_owned(), 10).ask_blocking().unwrap();
    assert_eq!(timers(&simulation), 3);
    simulation.run_for(ms(10));
    assert_eq!((ticks(&one), ticks(&two)), (vec![10, 10], vec![10]));
}

#[test]
fn named_timers_end_with_their_actor() {
    let (simulation, one) = started(6);
    let two = Clockwork::spawn(simulation.system());
    one.tell_later(two.clone(), 50).ask_blocking().unwrap();
    assert_eq!(timers(&simulation), 3);
    Address::stop(&one);
    simulation.run_for(ms(5));
    assert_eq!(timers(&simulation), 1, "that of the other");
    simulation.run_for(ms(100));
    assert_eq!(ticks(&two).len(), 10, "no timer fires any more");
    let dead = simulation.system().dead_letters().total();
    assert_eq!(dead, 0);
    drop((one, two));
    simulation.system().shutdown();
    assert_eq!(simulation.system().inspect().bytes, 0);
}

#[test]
fn an_interval_ends_with_its_receiver() {
    let (simulation, one) = started(7);
    let two = Clockwork::spawn(simulation.system());
    one.nag(two.clone(), 3).ask_blocking().unwrap();
    Address::stop(&two);
    simulation.run_for(ms(5));
    assert_eq!(timers(&simulation), 1);
    assert_eq!(one.cancel("other".to_owned()).ask_blocking(), Ok(false));
}

/// At random times: restarts, cancels, other periods. There is at most one timer, and ticks come
/// when they should.
#[vivant::test(seeds = 100, faults = Faults::none().delays(200_000, ms(3)))]
fn seeded_there_is_one_timer_of_a_name(simulation: &Simulation) {
    let clockwork = Clockwork::spawn(simulation.system());
    clockwork.ticks().ask_blocking().unwrap();
    let begun = simulation.now();
    for step in 0..50 {
        let rest = (simulation.seed() * 31 + step * 17) % 13;
        simulation.run_for(ms(rest));
        clockwork.restart().ask_blocking().unwrap();
        assert_eq!(timers(simulation), 1);
    }
    let lasted = simulation.now() - begun;
    let due = lasted.as_millis() as usize / 10;
    let ticks = ticks(&clockwork).len();
    assert!(ticks.abs_diff(due) <= 1, "{ticks} ticks, {due} due");
}

/// The counts above must notice an unnamed timer, which a restart duplicates.
#[test]
fn canary_an_unnamed_timer_is_duplicated() {
    #[derive(Actor)]
    struct Careless {
        ticks: u64,
    }
    #[behaviours]
    impl Careless {
        fn start(&mut self, t: &Turn<Self>) {
            t.every(ms(10), t.me().tick());
        }
        fn tick(&mut self) {
            self.ticks += 1;
        }
        fn ticks(&mut self) -> u64 {
            self.ticks
        }
    }
    let simulation = Simulation::new(8);
    let careless = simulation.system().spawn(Careless { ticks: 0 });
    careless.start().ask_blocking().unwrap();
    careless.start().ask_blocking().unwrap();
    assert_eq!(timers(&simulation), 2);
    simulation.run_for(ms(10));
    assert_eq!(careless.ticks().ask_blocking(), Ok(2));
}

#[test]
fn a_zero_delay_is_set_repeatedly_on_threads() {
    let system = System::builder().workers(2).build();
    let clockwork = Clockwork::spawn(&system);
    let mut seen = 0;
    for _ in 0..500 {
        clockwork.after("now".to_owned(), 0).ask_blocking().unwrap();
    }
    // Each set timer has fired, or the running one will.
    while system.inspect().timers > 1 || seen == 0 {
        seen += ticks(&clockwork).len();
        std::thread::yield_now();
    }
    assert!(system.shutdown().is_complete());
}

/// Saves when nothing was typed for 10 ms.
#[derive(Actor)]
struct Draft {
    saved: Vec<(u64, String)>,
}

#[behaviours]
impl Draft {
    fn type_in(&mut self, t: &Turn<Self>, text: String) {
        t.timer("save").debounce(ms(10), t.me().save(text));
    }

    fn save(&mut self, t: &Turn<Self>, text: String) {
        self.saved.push((t.now().as_millis() as u64, text));
    }

    fn saved(&self) -> Vec<(u64, String)> {
        self.saved.clone()
    }
}

#[test]
fn of_debounced_calls_the_last_one_is_sent() {
    let simulation = Simulation::new(2);
    let draft = simulation.system().spawn(Draft { saved: Vec::new() });
    for text in ["a", "b", "c"] {
        draft.type_in(text.to_owned()).send();
        simulation.run_for(ms(6));
    }
    assert_eq!(draft.saved().ask_blocking(), Ok(vec![]));
    simulation.run();
    assert_eq!(draft.saved().ask_blocking(), Ok(vec![(22, "c".to_owned())]));
    draft.type_in("d".to_owned()).send();
    simulation.run();
    assert_eq!(draft.saved().ask_blocking().map(|it| it.len()), Ok(2));
    assert_eq!(simulation.system().inspect().timers, 0);
}
