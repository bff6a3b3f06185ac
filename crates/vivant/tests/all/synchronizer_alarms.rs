//! Synchronizers: transactions that wait for the exclusive waits of a member, two at a time
//! (`constraints/README.md`, S4 and S9).

use crate::synchronizers::{Account, Log, pay, taken};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Cancelled, Pattern, Synchronizer};

/// Pays, and waits exclusively for another account.
#[derive(Actor)]
struct Payer {
    log: Log,
}

#[behaviours]
impl Payer {
    fn pay_and_wait(&mut self, t: &Turn<Self>, other: Address<Account>) {
        self.note("paid");
        let _waited = t.ask(other.draw(0)).exclusive().then(t.me().waited());
    }

    fn pay(&mut self, number: u64) {
        self.note(&format!("pay {number}"));
    }

    fn wait(&mut self, t: &Turn<Self>, other: Address<Account>) {
        let _waited = t.ask(other.draw(0)).exclusive().then(t.me().waited());
    }

    #[then]
    fn waited(&mut self, _: Result<u64, AskError>) {
        self.note("waited");
    }

    #[local]
    fn note(&self, what: &str) {
        let mut log = self.log.lock().expect("no turn panics with it");
        log.push(format!("payer {what}"));
    }
}
use payer_messages::{Pay, PayAndWait};

/// Accounts in the order of their ids. `payer` is a member of two sets.
struct Scene {
    simulation: Simulation,
    log: Log,
    /// The accounts for which `first` and `payer` wait. They answer when they are open.
    gates: [Address<Account>; 2],
    first: Address<Account>,
    second: Address<Account>,
    third: Address<Account>,
    payer: Address<Payer>,
}

impl Scene {
    fn new(seed: u64) -> Scene {
        let (simulation, log) = (Simulation::new(seed), Log::default());
        let system = simulation.system();
        let account = |name| Account::spawn(system, name, log.clone());
        let gates = ["gate", "gate"].map(account);
        let [first, second, third] = ["first", "second", "third"].map(account);
        let payer = system.spawn(Payer { log: log.clone() });
        gates.iter().for_each(|gate| gate.open(false).send());
        simulation.run();
        Scene {
            simulation,
            log,
            gates,
            first,
            second,
            third,
            payer,
        }
    }

    fn pay(&self, number: u64) -> Pattern<Pay<Payer>> {
        Pattern::at(&self.payer).when(move |(it,)| *it == number)
    }

    /// What can happen without time happens.
    fn now(&self) {
        self.simulation.run_for(Duration::ZERO);
    }

    fn is_open(&self, gate: usize, is_open: bool) {
        self.gates[gate].open(is_open).send();
    }

    /// Holds of the payer are refused, so that the transactions with this partner wait for it.
    fn refuse_holds(&self, partner: &Address<Account>, number: u64) {
        for _ in 0..9 {
            self.payer.wait(self.gates[1].clone()).send();
            self.simulation.run();
            let asked = partner.pay(number).ask();
            self.simulation.run();
            assert_eq!(asked.cancel(), Cancelled::Withdrawn);
            self.is_open(1, true);
            self.simulation.run();
            self.is_open(1, false);
            self.simulation.run();
        }
    }
}

/// The synchronizer of the first of two transactions that wait for the payer is lifted. The second
/// one holds an account for which the payer waits.
#[test]
fn a_lift_of_the_first_leaves_the_second_its_time() {
    for seed in 0..10 {
        let scene = Scene::new(seed);
        let Scene {
            first,
            second,
            third,
            payer,
            ..
        } = &scene;
        let three = (pay(first, 1), pay(second, 1), scene.pay(1));
        let three = Synchronizer::new().atomic(three).declare().expect("valid");
        let two = Synchronizer::new().atomic((pay(third, 2), scene.pay(2)));
        let _two = two.declare().expect("valid");
        scene.simulation.run();
        first.pay(1).send();
        (1..=2).for_each(|number| payer.pay(number).send());
        scene.simulation.run();
        scene.refuse_holds(second, 1);
        scene.refuse_holds(third, 2);
        let _before = taken(&scene.log);
        third.open(false).send();
        first.wait(scene.gates[0].clone()).send();
        scene.simulation.run();
        payer.wait(third.clone()).send();
        scene.simulation.run();
        second.pay(1).send();
        scene.now();
        third.pay(2).send();
        scene.now();
        scene.is_open(0, true);
        scene.now();
        three.lift();
        scene.now();
        third.open(true).send();
        scene.simulation.run();
        let happened = taken(&scene.log);
        for what in ["payer waited", "payer pay 2"] {
            assert!(happened.iter().any(|it| it == what), "{seed}: {happened:?}");
        }
    }
}

/// The message of the first transaction begins a wait for an account that the second one holds.
#[test]
fn a_commit_of_the_first_leaves_the_second_its_time() {
    for seed in 0..10 {
        let scene = Scene::new(seed);
        let Scene {
            first,
            second,
            third,
            payer,
            ..
        } = &scene;
        let waits = Pattern::<PayAndWait<Payer>>::at(payer);
        let three = Synchronizer::new().atomic((pay(first, 1), pay(second, 1), waits));
        let _three = three.declare().expect("valid");
        let two = Synchronizer::new().atomic((pay(third, 2), scene.pay(2)));
        let _two = two.declare().expect("valid");
        scene.simulation.run();
        first.pay(1).send();
        payer.pay_and_wait(third.clone()).send();
        payer.pay(2).send();
        scene.simulation.run();
        scene.refuse_holds(second, 1);
        scene.refuse_holds(third, 2);
        let _before = taken(&scene.log);
        first.wait(scene.gates[0].clone()).send();
        scene.simulation.run();
        payer.wait(scene.gates[1].clone()).send();
        scene.simulation.run();
        second.pay(1).send();
        scene.now();
        third.pay(2).send();
        scene.now();
        scene.is_open(0, true);
        scene.now();
        scene.is_open(1, true);
        scene.simulation.run();
        let happened = taken(&scene.log);
        let count = |what| happened.iter().filter(|it| *it == what).count();
        let counts = (count("payer waited"), count("payer pay 2"));
        assert_eq!(counts, (2, 1), "{seed}: {happened:?}");
    }
}
