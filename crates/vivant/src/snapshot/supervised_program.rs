//! The program of which the tests of supervision trees take images: a mill with hands that fail.

use super::image::Image;
use super::taking::{simulated, take_now};
use crate::api::SavedKinds;
use crate::failures::StopReason;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use crate::{Supervision, Supervisor, TreeFailed};
use std::collections::BTreeMap;
use std::time::Duration;

pub(super) const MS: Duration = Duration::from_millis(1);

/// What a hand notes besides the work that it does.
pub(super) const STARTED: u64 = 1_000;
pub(super) const PANICKED: u64 = 2_000;
pub(super) const RESTARTED: u64 = 3_000;
pub(super) const ENDED: u64 = 4_000;
pub(super) const STOPPED: u64 = 5_000;

/// Works until it gets a zero.
#[derive(Actor)]
#[actor(saved, id = "mill::Hand")]
pub(super) struct Hand {
    pub(super) me: u64,
    pub(super) done: u64,
    pub(super) log: Address<Log>,
}

#[behaviours(id = "mill::Hand")]
impl Hand {
    #[start]
    pub(super) fn new(t: &Turn<Self>, me: u64, log: Address<Log>) -> Hand {
        t.send(log.notes(me, STARTED));
        Hand { me, done: 0, log }
    }

    pub(super) fn work(&mut self, t: &Turn<Self>, number: u64) {
        if number == 0 {
            std::panic::resume_unwind(Box::new("as planned"));
        }
        self.done += 1;
        t.send(self.log.notes(self.me, 100 * self.done + number));
    }

    #[stop]
    fn ends(&mut self, t: &Turn<Self>, reason: &StopReason) {
        let what = match reason {
            StopReason::Panicked(_) => PANICKED,
            StopReason::Restarting => RESTARTED,
            StopReason::SupervisorEnded(_) => ENDED,
            _ => STOPPED,
        };
        t.send(self.log.notes(self.me, what));
    }
}

#[derive(Actor)]
#[actor(saved, id = "mill::Log")]
pub(super) struct Log {
    notes: Vec<(u64, u64, Duration)>,
}

#[behaviours(id = "mill::Log")]
impl Log {
    #[start]
    pub(super) fn new() -> Log {
        Log { notes: Vec::new() }
    }

    pub(super) fn notes(&mut self, t: &Turn<Self>, hand: u64, what: u64) {
        self.notes.push((hand, what, t.now()));
    }
}

/// Hires hands, and has one of them fail in each round.
#[derive(Actor)]
#[actor(saved, id = "mill::Foreman")]
pub(super) struct Foreman {
    tree: Address<Supervisor>,
    hands: Vec<Address<Hand>>,
    log: Address<Log>,
    /// The hands that fail yet, the next one last.
    fail: Vec<usize>,
}

/// The notes of the foreman.
pub(super) const FOREMAN: u64 = 99;

#[behaviours(id = "mill::Foreman")]
impl Foreman {
    #[start]
    pub(super) fn new(tree: Address<Supervisor>, log: Address<Log>, fail: Vec<usize>) -> Foreman {
        Foreman {
            tree,
            hands: Vec::new(),
            log,
            fail,
        }
    }

    fn hire(&mut self, t: &Turn<Self>, hands: u64) {
        let hand = |me| self.tree.add(Hand::child(me, self.log.clone()));
        self.hands = (0..hands).map(hand).collect();
        let settled = t.ask(self.tree.settled());
        settled.then_send(t.me().settled());
    }

    #[then]
    fn settled(&mut self, t: &Turn<Self>, it: Result<Result<(), TreeFailed>, AskError>) {
        let what = u64::from(it.is_ok_and(|it| it.is_ok()));
        t.send(self.log.notes(FOREMAN, what));
        let _timer = t.after(MS, t.me().fails());
    }

    fn fails(&mut self, t: &Turn<Self>) {
        let Some(hand) = self.fail.pop() else {
            let over = t.ask(self.tree.shut_down());
            return over.then_send(t.me().over());
        };
        t.send(self.hands[hand].work(0));
        let _timer = t.after(50 * MS, t.me().works());
    }

    fn works(&mut self, t: &Turn<Self>) {
        for (number, hand) in (1..).zip(&self.hands) {
            t.send(hand.work(number));
        }
        let _timer = t.after(10 * MS, t.me().fails());
    }

    #[then]
    fn over(&mut self, t: &Turn<Self>, it: Result<(), AskError>) {
        t.send(self.log.notes(FOREMAN, 10 + u64::from(it.is_ok())));
    }
}

pub(super) fn kinds() -> Arc<SavedKinds> {
    let kinds = SavedKinds::of::<(Hand, Log, Foreman, Supervisor)>();
    Arc::new(kinds.expect("no two names are equal"))
}

pub(super) const HANDS: u64 = 3;
/// The hands that fail, the first one last.
pub(super) const FAIL: [usize; 5] = [0, 2, 1, 1, 0];

pub(super) fn begin_with(simulation: &Simulation, tree: Address<Supervisor>) {
    let system = simulation.system();
    let log = Log::spawn(system);
    let foreman = Foreman::spawn(system, tree.clone(), log.clone(), FAIL.into());
    foreman.hire(HANDS).send();
    system.keep(&log);
    system.keep(&foreman);
}

pub(super) fn begin(simulation: &Simulation, rules: Supervision) {
    begin_with(simulation, rules.spawn(simulation.system()));
}

/// What each hand has noted, in its order.
pub(super) type Notes = BTreeMap<u64, Vec<u64>>;

pub(super) fn notes(simulation: &Simulation) -> Notes {
    let mut notes = Notes::new();
    for (hand, what, _) in log_of(simulation) {
        notes.entry(hand).or_default().push(what);
    }
    notes
}

pub(super) fn log_of(simulation: &Simulation) -> Vec<(u64, u64, Duration)> {
    let mut notes = Vec::new();
    for cell in simulation.system().shared().actors() {
        let Ok(mut idle) = cell.hold_idle() else {
            panic!("{} does not end", cell.path());
        };
        let log = idle.state().look::<Log, _>(|log| log.notes.clone());
        idle.park();
        notes.extend(log.into_iter().flatten());
    }
    notes
}

pub(super) fn end(simulation: &Simulation) -> Notes {
    // With a fault a tree may wait for ever.
    simulation.run_for(5_000 * MS);
    notes(simulation)
}

pub(super) fn patient(rules: Supervision) -> Supervision {
    rules.budget(100, 3_600_000 * MS)
}

pub(super) fn count(notes: &Notes, what: u64) -> Vec<usize> {
    let of = |hand| notes[&hand].iter().filter(|note| **note == what).count();
    (0..HANDS).map(of).collect()
}

/// An image of a tree. Its first hand has failed once, and the last one is on its way to its
/// supervisor.
pub(super) fn image_of_tree() -> Image {
    let simulation = simulated(&kinds(), 1);
    let system = simulation.system();
    let tree = patient(Supervisor::one_for_one()).spawn(system);
    let log = Log::spawn(system);
    let hands: Vec<_> = (0..2)
        .map(|me| tree.add(Hand::child(me, log.clone())))
        .collect();
    simulation.run_for(5 * MS);
    hands[0].work(0).send();
    simulation.run();
    let _new = tree.add(Hand::child(2, log));
    take_now(&simulation)
}
