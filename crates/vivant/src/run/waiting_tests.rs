//! T8 beside a model: random messages to one actor with guards. After each turn the model says
//! whether that message was allowed to run.

use crate::injected_fault::{InjectedFault, must_catch};
use crate::prelude::*;
use crate::simulation::{Faults, Seeds, Simulation, check};
use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};

/// What a message does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wish {
    /// Adds this number of items.
    Put(u64),
    /// The same through a `Cell`, in a behaviour that takes `&self`.
    PutByCell(u64),
    /// Waits for one item: a guard on the state.
    TakeOne,
    /// Waits for two items: another guard on the state.
    TakeTwo,
    /// Waits until there are this many items, and takes one: a guard on the arguments.
    TakeFrom(u64),
    /// Its guard is never true.
    Never,
    /// Reads, and changes nothing.
    Look,
}

type Log = Arc<Mutex<Vec<usize>>>;

#[derive(Actor)]
struct Store {
    stock: Cell<u64>,
    done: Log,
}

#[behaviours]
impl Store {
    fn put(&mut self, number: usize, n: u64) {
        *self.stock.get_mut() += n;
        self.is_done(number);
    }

    fn put_by_cell(&self, number: usize, n: u64) {
        self.stock.set(self.stock.get() + n);
        self.is_done(number);
    }

    #[when(self.stock.get() > 0)]
    fn take_one(&mut self, number: usize) {
        *self.stock.get_mut() -= 1;
        self.is_done(number);
    }

    #[when(self.stock.get() > 1)]
    fn take_two(&mut self, number: usize) {
        *self.stock.get_mut() -= 2;
        self.is_done(number);
    }

    #[when(self.stock.get() >= n)]
    fn take_from(&mut self, number: usize, n: u64) {
        let _ = n;
        *self.stock.get_mut() -= 1;
        self.is_done(number);
    }

    #[when(self.stock.get() > 1_000_000)]
    fn never(&mut self, number: usize) {
        self.is_done(number);
    }

    fn look(&self, number: usize) {
        self.is_done(number);
    }

    #[local]
    fn is_done(&self, number: usize) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.push(number);
    }
}

/// The model: the messages that may run next, in the simplest form.
struct Model {
    wishes: Vec<Wish>,
    stock: u64,
    /// The messages from this index on have not yet reached the actor.
    next: usize,
    waiting: Vec<usize>,
}

impl Model {
    fn is_open(&self, number: usize) -> bool {
        match self.wishes[number] {
            Wish::Put(_) | Wish::PutByCell(_) | Wish::Look => true,
            Wish::TakeOne => self.stock > 0,
            Wish::TakeTwo => self.stock > 1,
            Wish::TakeFrom(n) => self.stock >= n,
            Wish::Never => false,
        }
    }

    /// Returns the waiting messages that could run, in the order of arrival.
    fn open(&self) -> Vec<usize> {
        let waiting = self.waiting.iter().copied();
        waiting.filter(|&number| self.is_open(number)).collect()
    }

    /// The actor has processed this message.
    fn processed(&mut self, number: usize) {
        let open = self.open();
        // If each guard has to be evaluated, a few are evaluated at a time: a message that arrives
        // meanwhile may be first.
        let each_was_seen = self
            .waiting
            .iter()
            .filter(|&&n| is_one_of_many(self.wishes[n]))
            .count()
            <= 4;
        if let Some(at) = self.waiting.iter().position(|&other| other == number) {
            assert!(self.is_open(number), "{number} ran, and its guard is false");
            assert!(
                open[0] == number || !each_was_seen,
                "{number} ran before {}",
                open[0]
            );
            self.waiting.remove(at);
        } else {
            assert!(number >= self.next, "{number} ran twice");
            assert!(
                open.is_empty() || !each_was_seen,
                "{number} ran before {open:?}, who waited"
            );
            while self.next < number {
                self.defer_next();
            }
            assert!(self.is_open(number), "{number} ran, and its guard is false");
            self.next = number + 1;
        }
        match self.wishes[number] {
            Wish::Put(n) | Wish::PutByCell(n) => self.stock += n,
            Wish::TakeOne | Wish::TakeFrom(_) => self.stock -= 1,
            Wish::TakeTwo => self.stock -= 2,
            Wish::Never | Wish::Look => {}
        }
    }

    fn defer_next(&mut self) {
        let number = self.next;
        assert!(
            !self.is_open(number),
            "{number} did not run, and its guard is true"
        );
        self.waiting.push(number);
        self.next += 1;
    }

    /// Checks that no message can run any more.
    fn rests(&mut self) {
        while self.next < self.wishes.len() {
            self.defer_next();
        }
        assert_eq!(self.open(), [0; 0], "their guards are true, and they wait");
    }
}

fn is_one_of_many(wish: Wish) -> bool {
    matches!(wish, Wish::TakeFrom(_))
}

fn wishes(simulation: &Simulation) -> Vec<Wish> {
    let mut random = simulation.seed();
    let mut below = |bound: u64| {
        let (state, number) = crate::oracle::split_mix(random);
        random = state;
        crate::oracle::below(number, bound)
    };
    let count = 1 + below(40);
    // Without guards that read their arguments, fewer guards are evaluated.
    let reads_arguments = below(2) == 0;
    let mut wish = || match below(10) {
        0..2 => Wish::Put(below(4)),
        2 => Wish::PutByCell(below(4)),
        3..5 => Wish::TakeOne,
        5 => Wish::TakeTwo,
        6..8 if reads_arguments => Wish::TakeFrom(1 + below(6)),
        6..8 => Wish::TakeTwo,
        8 => Wish::Never,
        _ => Wish::Look,
    };
    (0..count).map(|_| wish()).collect()
}

fn guards_are_kept(simulation: &Simulation) {
    let (wishes, done) = (wishes(simulation), Log::default());
    let system = simulation.system();
    let store = system.spawn(Store {
        stock: Cell::new(0),
        done: done.clone(),
    });
    for (number, wish) in wishes.iter().enumerate() {
        match *wish {
            Wish::Put(n) => store.put(number, n).send(),
            Wish::PutByCell(n) => store.put_by_cell(number, n).send(),
            Wish::TakeOne => store.take_one(number).send(),
            Wish::TakeTwo => store.take_two(number).send(),
            Wish::TakeFrom(n) => store.take_from(number, n).send(),
            Wish::Never => store.never(number).send(),
            Wish::Look => store.look(number).send(),
        }
        if number % 7 == 6 {
            simulation.run();
        }
    }
    simulation.run();
    let done = done.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let sent = wishes.len();
    let mut model = Model {
        wishes,
        stock: 0,
        next: 0,
        waiting: Vec::new(),
    };
    for &number in &done {
        model.processed(number);
    }
    if Address::is_alive(&store) {
        model.rests();
        let facts = &system.inspect().actors[0];
        assert_eq!(facts.deferred, model.waiting.len());
    } else {
        // A turn panicked: its message was taken, and all others are dead letters.
        assert_eq!(
            system.dead_letters().total() as usize,
            sent - done.len() - 1
        );
    }
}

#[test]
fn seeded_guards_do_what_the_model_says() {
    for faults in [Faults::none(), Faults::none().panics(20_000)] {
        check(
            "seeded_guards_do_what_the_model_says",
            Seeds(if cfg!(miri) { 2 } else { 300 }),
            &faults,
            guards_are_kept,
        );
    }
}

#[test]
fn seeded_canary_a_forgotten_guard_is_caught() {
    must_catch(InjectedFault::ForgottenGuard, || {
        check(
            "a_forgotten_guard",
            Seeds(50),
            &Faults::none(),
            guards_are_kept,
        );
    });
}

#[test]
fn seeded_canary_a_message_in_the_wrong_line_is_caught() {
    must_catch(InjectedFault::WrongLine, || {
        check("a_wrong_line", Seeds(50), &Faults::none(), guards_are_kept);
    });
}

/// What a guard does when it is evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trap {
    Shut,
    /// Panics, and afterwards behaves like this value.
    Springs(Then),
    Open,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Again,
    Open,
}

#[derive(Actor)]
struct Trapped {
    trap: Cell<Trap>,
    passed: u32,
}

#[behaviours]
impl Trapped {
    #[when(self.is_open())]
    fn pass(&mut self) {
        self.passed += 1;
    }

    #[when(self.is_open() && n > 0)]
    fn pass_by(&mut self, n: u32) {
        self.passed += n;
    }

    fn set(&mut self, trap: Trap) {
        self.trap.set(trap);
    }

    fn passed(&self) -> u32 {
        self.passed
    }

    #[local]
    fn is_open(&self) -> bool {
        let Trap::Springs(then) = self.trap.get() else {
            return self.trap.get() == Trap::Open;
        };
        if then == Then::Open {
            self.trap.set(Trap::Open);
        }
        panic!("the trap springs");
    }
}

/// A trap with a guard that is false.
fn trapped(simulation: &Simulation) -> Address<Trapped> {
    simulation.system().spawn(Trapped {
        trap: Cell::new(Trap::Shut),
        passed: 0,
    })
}

/// Sends two messages that are deferred; their guards read the state alone.
fn alike(trapped: &Address<Trapped>) {
    trapped.pass().send();
    trapped.pass().send();
}

/// Sends two messages that are deferred; the guard of one reads its arguments.
fn unlike(trapped: &Address<Trapped>) {
    trapped.pass().send();
    trapped.pass_by(1).send();
}

#[test]
fn a_message_that_waits_runs_when_its_guard_panics() {
    for two_wait in [alike, unlike] {
        let simulation = Simulation::new(0);
        let trapped = trapped(&simulation);
        two_wait(&trapped);
        simulation.run();
        trapped.set(Trap::Springs(Then::Open)).send();
        assert_eq!(trapped.passed().ask_blocking(), Ok(2));
        assert_eq!(simulation.system().dead_letters().total(), 0);
    }
}

#[test]
fn an_actor_whose_guard_panics_again_ends() {
    for two_wait in [alike, unlike] {
        let simulation = Simulation::new(0);
        let trapped = trapped(&simulation);
        two_wait(&trapped);
        simulation.run();
        trapped.set(Trap::Springs(Then::Again)).send();
        let passed = trapped.passed().ask_blocking();
        assert!(matches!(passed, Err(AskError::Stopped(_))), "{passed:?}");
        // The other message that waited is refused too; its sender is told.
        assert_eq!(simulation.system().dead_letters().total(), 2);
    }
}

#[derive(Actor)]
struct Observer {
    system: System,
}

#[behaviours]
impl Observer {
    /// The number of deferred messages of all actors.
    fn deferred(&self) -> usize {
        let actors = self.system.inspect().actors;
        actors.iter().map(|actor| actor.deferred).sum()
    }
}

/// T6: a message that joins its line without an evaluation counts against the budget.
#[test]
fn a_flood_that_lines_up_lets_others_have_their_turns() {
    const FLOOD: usize = if cfg!(miri) { 300 } else { 5_000 };
    for seed in 0..if cfg!(miri) { 1 } else { 20 } {
        let simulation = Simulation::new(seed);
        let system = simulation.system();
        let trapped = trapped(&simulation);
        let observer = system.spawn(Observer {
            system: system.clone(),
        });
        simulation.run();
        (0..FLOOD).for_each(|_| trapped.pass().send());
        let deferred = observer.deferred().ask_blocking();
        assert!(matches!(deferred, Ok(..FLOOD)), "{seed}: {deferred:?}");
        simulation.run();
        assert_eq!(observer.deferred().ask_blocking(), Ok(FLOOD));
        // The observer holds the system, which holds the observer.
        assert!(system.shutdown().is_complete());
    }
}

#[test]
fn a_million_who_wait_cost_others_nothing_and_all_run() {
    let many = if cfg!(miri) { 30 } else { 200_000 };
    let simulation = Simulation::new(0);
    let done = Log::default();
    let store = simulation.system().spawn(Store {
        stock: Cell::new(0),
        done: done.clone(),
    });
    for number in 0..many {
        store.take_from(number, 1 + (many - number) as u64).send();
    }
    simulation.run();
    // Each opens one guard: of the message that arrived first of those left.
    store.put(many, many as u64 + 1).send();
    simulation.run();
    assert_eq!(
        done.lock().unwrap_or_else(PoisonError::into_inner).len(),
        many + 1
    );
}

/// Changes its state in each turn, while messages with other arguments wait.
#[derive(Actor)]
struct Restless {
    ticks: u64,
    /// The number of ticks before a deferred message ran.
    ran_after: Option<u64>,
}

#[behaviours]
impl Restless {
    #[when(self.ticks > 0 && n == 0)]
    fn wait_for_zero(&mut self, n: u64) {
        let _ = n;
        self.ran_after = Some(self.ticks);
    }

    fn tick(&mut self, t: &Turn<Self>, until: u64) {
        self.ticks += 1;
        if self.ticks < until {
            t.send(t.me().tick(until));
        }
    }

    fn ran_after(&self) -> Option<u64> {
        self.ran_after
    }
}

/// G4: a pass over a long line is finished before the next begins.
#[test]
fn a_long_pass_is_finished_while_the_state_keeps_changing() {
    const CLOSED: usize = 20;
    const TICKS: u64 = 100;
    let simulation = Simulation::new(1);
    let restless = simulation.system().spawn(Restless {
        ticks: 0,
        ran_after: None,
    });
    (0..CLOSED).for_each(|_| restless.wait_for_zero(1).send());
    restless.wait_for_zero(0).send();
    simulation.run();
    restless.tick(TICKS).send();
    simulation.run();
    let ran_after = restless.ran_after().ask_blocking();
    // If each change began a new pass, the message would run after the last change.
    assert!(matches!(ran_after, Ok(Some(1..TICKS))), "G4: {ran_after:?}");
}
