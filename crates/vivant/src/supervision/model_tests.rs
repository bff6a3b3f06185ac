//! Trees beside a model: random messages to the children of one supervisor, some of which panic.
//! After each event the model says whether it may have happened.

use super::builder::Supervision;
use super::supervisor::Supervisor;
use crate::failures::StopReason;
#[cfg(not(miri))]
use crate::injected_fault::{InjectedFault, must_catch};
use crate::prelude::*;
use crate::simulation::{Faults, Seeds, Simulation, check};
use crate::sync::{Arc, Mutex, lock};
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Event {
    Begins(usize),
    Processed(usize, usize),
    /// By a panic, with the message that it was processing.
    Panicked(usize),
    /// Because of a sibling.
    Restarts(usize),
    /// For good.
    Ends(usize),
}

type Log = Arc<Mutex<Vec<(Duration, Event)>>>;

#[derive(Actor)]
struct TestActor {
    me: usize,
    log: Log,
}

#[behaviours]
impl TestActor {
    #[start]
    fn new(t: &Turn<Self>, me: usize, log: Log) -> Self {
        lock(&log).push((t.now(), Event::Begins(me)));
        TestActor { me, log }
    }

    fn work(&mut self, t: &Turn<Self>, number: usize, panics: usize) {
        if panics == 0 {
            std::panic::resume_unwind(Box::new("as planned"));
        }
        lock(&self.log).push((t.now(), Event::Processed(self.me, number)));
    }

    #[stop]
    fn ends(&mut self, t: &Turn<Self>, reason: &StopReason) {
        let event = match reason {
            StopReason::Panicked(_) => Event::Panicked(self.me),
            StopReason::Restarting => Event::Restarts(self.me),
            _ => Event::Ends(self.me),
        };
        lock(&self.log).push((t.now(), event));
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Restarted {
    One,
    All,
    Rest,
}

/// The model finds the defects here; an interpreter checks the code once.
const SEEDS: Seeds = Seeds(if cfg!(miri) { 2 } else { 200 });
#[cfg(not(miri))]
const CANARY_SEEDS: Seeds = Seeds(100);
const BUDGET: usize = 3;
const WINDOW: Duration = Duration::from_millis(40);
const DELAY: Duration = Duration::from_millis(5);

/// The model: the events that may happen next, in the simplest form.
struct Model {
    restarted: Restarted,
    up: Vec<bool>,
    /// The next message of each child.
    next: Vec<usize>,
    /// The children that have to go down before any begins.
    must: Vec<bool>,
    /// The children that may go down for a sibling: also a child that was just beginning.
    may: Vec<bool>,
    /// The children that were up at least once.
    known: Vec<bool>,
    /// The failures that are certain; those that a sibling's failure may have covered as well; and
    /// the restarts that followed.
    sure: Vec<Duration>,
    all: Vec<Duration>,
    restarts: Vec<Duration>,
}

impl Model {
    fn record(&mut self, at: Duration, event: Event) {
        match event {
            Event::Begins(n) => {
                assert!(!self.up[n], "{n} begins, and is up");
                let before = match self.restarted {
                    Restarted::One => &self.known,
                    Restarted::All | Restarted::Rest => &self.up,
                };
                let in_order = before[..n].iter().all(|&up| up) && !self.must.contains(&true);
                // It may have been started before the supervisor knew of a failure; then it goes
                // down again.
                let started_before =
                    self.may[n] || self.restarted == Restarted::One && self.known[n];
                assert!(in_order || started_before, "{n} begins too early");
                if std::mem::replace(&mut self.known[n], true) && self.restarted == Restarted::One {
                    self.restarts.push(at);
                }
                self.up[n] = true;
            }
            Event::Processed(n, number) => {
                assert!(self.up[n], "{n} works, and is down");
                assert_eq!(self.next[n], number, "{n} has lost one, or does one twice");
                self.next[n] += 1;
            }
            Event::Panicked(n) => {
                assert!(self.up[n], "{n} panics, and is down");
                self.next[n] += 1;
                (self.up[n], self.must[n]) = (false, false);
                self.all.push(at);
                let is_sure = !std::mem::take(&mut self.may[n]);
                self.fails(at, n, is_sure);
            }
            Event::Restarts(n) => {
                assert!(
                    self.may[n] || max_in_window(&self.all, WINDOW * 2) > BUDGET,
                    "{n} goes down for nothing"
                );
                let mut later = n + 1..self.up.len();
                assert!(
                    !later.any(|other| self.up[other] && self.must[other]),
                    "{n} goes down before a later one"
                );
                (self.up[n], self.must[n], self.may[n]) = (false, false, false);
            }
            Event::Ends(n) => self.up[n] = false,
        }
    }

    /// If the failure is not certain, a sibling's failure may have covered it, as far as the
    /// supervisor knows.
    fn fails(&mut self, at: Duration, n: usize, is_sure: bool) {
        if is_sure {
            self.sure.push(at);
        }
        let first = match self.restarted {
            Restarted::One => return,
            Restarted::All => 0,
            Restarted::Rest => n,
        };
        for other in (first..self.up.len()).filter(|&other| other != n) {
            self.must[other] |= self.up[other] && is_sure;
            self.may[other] = true;
        }
    }

    /// `late`: the longest delay between an event and its news to the supervisor.
    fn ends(&self, tree_is_alive: bool, late: Duration) {
        assert!(
            max_in_window(&self.restarts, WINDOW - late) <= BUDGET,
            "restarts over budget"
        );
        if tree_is_alive {
            assert!(
                max_in_window(&self.sure, WINDOW - late) <= BUDGET,
                "it should have given up"
            );
        } else {
            assert!(
                max_in_window(&self.all, WINDOW + late) > BUDGET,
                "it gave up too early"
            );
        }
    }
}

/// Returns the largest number of these times in one window.
fn max_in_window(times: &[Duration], window: Duration) -> usize {
    let within = |&from: &Duration| {
        times
            .iter()
            .filter(|&&at| from <= at && at - from < window)
            .count()
    };
    times.iter().map(within).max().unwrap_or(0)
}

fn rules(restarted: Restarted) -> Supervision {
    match restarted {
        Restarted::One => Supervisor::one_for_one(),
        Restarted::All => Supervisor::all_for_one(),
        Restarted::Rest => Supervisor::rest_for_one(),
    }
    .budget(BUDGET, WINDOW)
}

fn check_tree(simulation: &Simulation, late: Duration) {
    let mut random = simulation.seed();
    let mut below = |bound: usize| {
        let (state, number) = crate::oracle::split_mix(random);
        random = state;
        crate::oracle::below(number, bound as u64) as usize
    };
    let restarted = [Restarted::One, Restarted::All, Restarted::Rest][below(3)];
    let (log, count, one_in) = (Log::default(), 1 + below(4), 3 + below(20));
    let tree = rules(restarted).spawn(simulation.system());
    let children: Vec<_> = (0..count)
        .map(|me| tree.add(TestActor::child(me, log.clone())))
        .collect();
    let mut sent = vec![0; count];
    for _ in 0..below(40) {
        let n = below(count);
        children[n].work(sent[n], below(one_in)).send();
        sent[n] += 1;
        if below(4) == 0 {
            simulation.run_for(Duration::from_millis(below(30) as u64));
        }
    }
    simulation.run();
    let mut model = Model {
        restarted,
        up: vec![false; count],
        next: vec![0; count],
        must: vec![false; count],
        may: vec![false; count],
        known: vec![false; count],
        sure: Vec::new(),
        all: Vec::new(),
        restarts: Vec::new(),
    };
    for (at, event) in std::mem::take(&mut *lock(&log)) {
        model.record(at, event);
    }
    let is_alive = Address::is_alive(&tree);
    model.ends(is_alive, late);
    if is_alive {
        assert!(
            model.up.iter().all(|&up| up),
            "a child is down: {:?}",
            model.up
        );
        assert_eq!(model.next, sent, "not everything was processed");
    } else {
        assert!(
            simulation.system().inspect().actors.is_empty(),
            "an actor is left"
        );
    }
    let done: usize = model.next.iter().sum();
    let dead = simulation.system().dead_letters().total() as usize;
    assert_eq!(
        done + dead,
        sent.iter().sum::<usize>(),
        "{dead} are dead letters"
    );
    let ended = tree.shut_down().ask_blocking();
    assert_eq!(ended.is_ok(), is_alive);
    assert!(simulation.system().shutdown().is_complete());
}

#[test]
fn seeded_trees_agree_with_the_model() {
    let name = "seeded_trees_agree_with_the_model";
    check(name, SEEDS, &Faults::none(), |simulation| {
        check_tree(simulation, Duration::ZERO);
    });
    let faults = Faults::none().panics(10_000).delays(100_000, DELAY);
    for faults in [faults.clone(), faults.full_mailboxes()] {
        check(name, SEEDS, &faults, |simulation| {
            check_tree(simulation, DELAY * 4)
        });
    }
}

/// The self-tests need no interpreter.
#[cfg(not(miri))]
fn assert_caught(bug: InjectedFault) {
    must_catch(bug, || {
        check("a canary", CANARY_SEEDS, &Faults::none(), |simulation| {
            check_tree(simulation, Duration::ZERO);
        });
    });
}

#[cfg(not(miri))]
#[test]
fn seeded_canary_a_message_lost_on_restart_is_caught() {
    assert_caught(InjectedFault::LostOnRestart);
}

#[cfg(not(miri))]
#[test]
fn seeded_canary_a_restart_over_budget_is_caught() {
    assert_caught(InjectedFault::OverBudget);
}
