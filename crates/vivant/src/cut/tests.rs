//! Cuts of programs under simulation: the coordinator takes its steps between those of the program.

use super::{Coordinator, Outcome, Step};
use crate::actor::{
    Envelope, Header, Recorder, RunState, Signals, StateRef, TreeEnd, WaitingPlace, WaitsAs,
};
use crate::failures::Caught;
use crate::injected_fault::{InjectedFault, must_catch};
use crate::oracle::Dice;
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use crate::system::System;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// An account that gives away what it has, bit by bit.
#[derive(Actor)]
pub(super) struct Account {
    balance: u64,
    known: Vec<Address<Account>>,
    next: usize,
}

#[behaviours]
impl Account {
    pub(super) fn knows(&mut self, other: Address<Account>) {
        self.known.push(other);
    }

    /// Gives `amount` to the next account it knows, and asks that one to pass on half of it.
    pub(super) fn pay(&mut self, t: &Turn<Self>, amount: u64) {
        let amount = amount.min(self.balance);
        if amount == 0 || self.known.is_empty() {
            return;
        }
        self.next += 1;
        let to = &self.known[self.next % self.known.len()];
        self.balance -= amount;
        mid_turn();
        match self.next % 3 {
            0 => t.send(to.receive_when_rich(amount)),
            _ => t.send(to.receive(amount)),
        }
        mid_turn();
        t.send(to.pay(amount / 2));
    }

    pub(super) fn receive(&mut self, amount: u64) {
        self.balance += amount;
    }

    /// Waits in its line until the account is rich.
    #[when(self.balance > 60)]
    pub(super) fn receive_when_rich(&mut self, amount: u64) {
        self.balance += amount;
    }

    /// Opens an account with a part of the balance.
    pub(super) fn split(&mut self, t: &Turn<Self>) {
        let part = self.balance / 3;
        self.balance -= part;
        mid_turn();
        let child = t.spawn_actor(Account::with(part));
        t.send(child.knows(t.me()));
        self.known.push(child);
    }
}

impl Account {
    pub(super) fn with(balance: u64) -> Account {
        Account {
            balance,
            known: Vec::new(),
            next: 0,
        }
    }
}

/// The amount that a message carries.
fn amount_of(message: &Envelope) -> u64 {
    let received = message.args_of::<account_messages::Receive<Account>>();
    let rich = message.args_of::<account_messages::ReceiveWhenRich<Account>>();
    received.or(rich).map_or(0, |(amount,)| *amount)
}

#[derive(Default, Debug)]
pub(super) struct Cut {
    /// The balances, by actor.
    captured: BTreeMap<u64, u64>,
    /// The amounts that wait, by actor and place.
    waiting: Vec<(u64, WaitingPlace, u64)>,
    twice: bool,
}

#[derive(Default)]
pub(super) struct Records(Mutex<Cut>);

impl Recorder for Records {
    fn captured(&self, actor: &Header, state: &mut StateRef<'_>) {
        let balance = state.look::<Account, _>(|account| account.balance);
        let mut cut = self.0.lock().expect("no panic");
        if let Some(balance) = balance {
            cut.twice |= cut.captured.insert(actor.id, balance).is_some();
        }
    }

    fn captured_run_state(&self, _: &Header, _: &RunState) {}

    fn waits(&self, actor: &Header, place: WaitingPlace, _: WaitsAs, message: &Envelope) -> usize {
        let amount = amount_of(message);
        let mut cut = self.0.lock().expect("no panic");
        cut.waiting.push((actor.id, place, amount));
        0
    }

    fn is_signalled(&self, _: &Header, _: Option<&TreeEnd>, _: Signals) {}

    fn panicked(&self, caught: Caught) {
        panic!("{}", caught.message);
    }
}

const TOTAL: u64 = 400;
const ACCOUNTS: u64 = 4;

pub(super) fn begin(system: &System) -> Vec<Address<Account>> {
    let each = TOTAL / ACCOUNTS;
    let accounts: Vec<_> = (0..ACCOUNTS)
        .map(|_| system.spawn(Account::with(each)))
        .collect();
    for one in &accounts {
        for other in &accounts {
            one.knows(other.clone()).send();
        }
    }
    accounts
}

/// Something that comes from outside.
pub(super) fn order(accounts: &[Address<Account>], dice: &mut Dice) {
    let account = &accounts[dice.below(accounts.len())];
    match dice.below(12) {
        0 => account.split().send(),
        _ => account.pay(1 + dice.below(89) as u64).send(),
    }
}

impl Records {
    /// No amount is lost, and none is there twice.
    pub(super) fn check(&self) {
        let cut = self.0.lock().expect("no panic");
        assert!(!cut.twice, "an actor is captured twice");
        let captured: u64 = cut.captured.values().sum();
        let waiting: u64 = cut.waiting.iter().map(|(_, _, amount)| amount).sum();
        assert_eq!(captured + waiting, TOTAL, "{cut:?}");
    }
}

/// The cuts of one program, one after the other.
struct Cuts {
    system: System,
    coordinator: Coordinator,
    records: Arc<Records>,
    dice: Dice,
    complete: usize,
}

thread_local! {
    static CUTS: RefCell<Option<Cuts>> = const { RefCell::new(None) };
}

impl Cuts {
    fn of(system: &System, seed: u64) -> Cuts {
        Cuts {
            system: system.clone(),
            coordinator: Coordinator::new(system.shared()),
            records: Arc::default(),
            dice: Dice::new(seed),
            complete: 0,
        }
    }

    fn step(&mut self) {
        let system = self.system.shared();
        if self.coordinator.is_over() {
            if self.dice.below(8) == 0 {
                self.records = Arc::default();
                self.coordinator.begin(system, self.records.clone());
            }
        } else if let Step::Complete(outcome) = self.coordinator.step(system) {
            assert_eq!(outcome, Outcome::Consistent);
            self.records.check();
            self.complete += 1;
        }
    }
}

/// The coordinator may take a step in the middle of a turn, but not find that the turn is over.
fn mid_turn() {
    CUTS.with_borrow_mut(|cuts| {
        if let Some(cuts) = cuts
            && cuts.dice.below(3) == 0
            && !cuts.coordinator.waits_for_threads()
        {
            cuts.step();
        }
    });
}

/// Runs the program under a seed, and takes one cut after the other. Returns their number.
fn bank(seed: u64, faults: Faults) -> usize {
    let simulation = Simulation::with(seed, faults, System::builder());
    let accounts = begin(simulation.system());
    CUTS.set(Some(Cuts::of(simulation.system(), seed)));
    let mut dice = Dice::new(!seed);
    for _ in 0..600 {
        match dice.below(8) {
            0 => order(&accounts, &mut dice),
            1..3 => CUTS.with_borrow_mut(|cuts| cuts.iter_mut().for_each(Cuts::step)),
            _ => {
                simulation.step();
            }
        }
    }
    CUTS.take().map_or(0, |cuts| cuts.complete)
}

const SEEDS: u64 = if cfg!(miri) { 3 } else { 500 };

#[test]
fn a_bank_loses_nothing_in_a_cut() {
    let cuts: usize = (0..SEEDS).map(|seed| bank(seed, Faults::none())).sum();
    assert!(cuts > 2 * SEEDS as usize, "{cuts} cuts");
}

#[test]
fn a_bank_with_delays_loses_nothing_in_a_cut() {
    for seed in 0..SEEDS / 2 {
        let _cuts = bank(
            seed,
            Faults::none().delays(200_000, Duration::from_millis(3)),
        );
    }
}

/// Each fault is found under some seed.
#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn faults_of_a_cut_are_caught() {
    for fault in [
        InjectedFault::DeferredUnrecorded,
        InjectedFault::CaptureTooLate,
        InjectedFault::CaptureNotAwaited,
        InjectedFault::StampOfSystem,
        InjectedFault::ChildOfSystem,
    ] {
        must_catch(fault, || {
            for seed in 0..SEEDS {
                let _cuts = bank(seed, Faults::none());
            }
        });
    }
}
