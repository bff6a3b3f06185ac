//! A small bank under a seed, of which two snapshots are taken.

use std::collections::BTreeMap;
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{
    Pattern, Saved, SavedSynchronizer, Synchronizer, SynchronizerBuilder, SynchronizerKind,
};
use vivant_journal::Journal;

#[derive(Actor)]
#[actor(saved, id = "bank::Account")]
struct Account {
    owner: String,
    cents: u64,
}

#[behaviours(id = "bank::Account")]
impl Account {
    #[start]
    fn new(owner: String) -> Account {
        Account { owner, cents: 0 }
    }

    fn pay_in(&mut self, cents: u64) -> u64 {
        self.cents += cents;
        self.cents
    }

    fn close(&mut self, t: &Turn<Self>) {
        t.stop();
    }
}

#[derive(Actor)]
#[actor(saved, id = "bank::Teller")]
struct Teller {
    accounts: BTreeMap<String, Address<Account>>,
    rate: f32,
    key: Vec<u8>,
    serial: u64,
    booked: Vec<(String, Option<u64>)>,
}

#[behaviours(id = "bank::Teller")]
impl Teller {
    #[start]
    fn new(t: &Turn<Self>, owners: Vec<String>) -> Teller {
        let accounts = owners.into_iter();
        let accounts = accounts.map(|owner| (owner.clone(), Account::spawn(t, owner)));
        Teller {
            accounts: accounts.collect(),
            rate: 0.5,
            key: vec![0xde, 0xad, 0x07],
            serial: u64::MAX - 1,
            booked: Vec::new(),
        }
    }

    fn book(&mut self, t: &Turn<Self>, owner: String, cents: u64) {
        if let Some(account) = self.accounts.get(&owner) {
            t.ask(account.pay_in(cents)).then_send(t.me().booked(owner));
        }
    }

    #[then]
    fn booked(&mut self, cents: Result<u64, AskError>, owner: String) {
        self.booked.push((owner, cents.ok()));
    }

    fn close(&mut self, t: &Turn<Self>, owner: String) {
        if let Some(account) = self.accounts.remove(&owner) {
            t.send(account.close());
        }
    }

    fn open(&mut self, t: &Turn<Self>, owner: String) {
        let account = Account::spawn(t, owner.clone());
        self.accounts.insert(owner, account);
    }
}

/// It starts again.
#[derive(Actor)]
#[actor(saved(restart), id = "bank::Printer")]
struct Printer {
    pages: u64,
}

#[behaviours(id = "bank::Printer")]
impl Printer {
    #[start]
    fn new(tray: u8) -> Printer {
        Printer { pages: tray.into() }
    }

    fn print(&mut self, text: String) {
        self.pages += text.len() as u64;
    }
}

/// It is not saved.
#[derive(Actor)]
#[actor(id = "bank::Clock")]
struct Clock;

#[behaviours(id = "bank::Clock")]
impl Clock {}

/// Nothing is paid in while the books are audited.
#[derive(Saved)]
#[saved(name = "bank::Audit")]
struct Audit {
    paid_in: u64,
}

impl SavedSynchronizer for Audit {
    type Args = Address<Account>;

    fn constrain(
        account: &Address<Account>,
        it: SynchronizerBuilder<Audit>,
    ) -> SynchronizerBuilder<Audit> {
        it.disable(Pattern::<PayIn<Account>>::at(account), |audit| {
            audit.paid_in > 0
        })
    }
}
use account_messages::PayIn;

/// Takes a snapshot of a payment that waits for the end of an audit.
pub(crate) fn snapshot_of_audit(journal: &Journal) {
    type Listed = (Account, SynchronizerKind<Audit>);
    let builder = System::builder().name("bank").saved::<Listed>();
    let simulation = Simulation::with(3, Faults::none(), builder);
    let account = Account::spawn(simulation.system(), "Ada".to_owned());
    let audit = Synchronizer::saved(Audit { paid_in: 7 }, account.clone());
    audit.expect("it is alive").forever();
    account.pay_in(3).send();
    simulation.run();
    let report = simulation.system().snapshot(journal);
    report.expect("all of it is saved");
}

/// Takes two snapshots of the bank, 1 and 2.
pub(crate) fn snapshots(journal: &Journal) {
    let builder = System::builder()
        .name("bank")
        .saved::<(Account, Teller, Printer)>();
    let simulation = Simulation::with(3, Faults::none(), builder);
    let system = simulation.system();
    let clock = system.spawn(Clock);
    let printer = Printer::spawn(system, 2);
    let teller = Teller::spawn(system, vec!["Ada".to_owned(), "Bob".to_owned()]);
    simulation.run_for(Duration::from_secs(90));
    teller.book("Ada".to_owned(), 1_000).send();
    let mut steps = 0;
    assert!(simulation.run_until(|| {
        steps += 1;
        steps == 2
    }));
    teller.book("Bob".to_owned(), 7).send();
    teller.book("Ada".to_owned(), 20).send();
    printer.print("a\tpage".to_owned()).send();
    system.snapshot(journal).expect("all of it is saved");
    simulation.run();
    teller.close("Bob".to_owned()).send();
    teller.open("Cyd".to_owned()).send();
    simulation.run();
    printer.print("another page".to_owned()).send();
    system.snapshot(journal).expect("all of it is saved");
    drop(clock);
}

/// Takes a snapshot of a teller with an account after so many steps from a booking on.
pub(crate) fn snapshot_of_booking(journal: &Journal, steps: usize) {
    let builder = System::builder()
        .name("bank")
        .saved::<(Account, Teller, Printer)>();
    let simulation = Simulation::with(3, Faults::none(), builder);
    let teller = Teller::spawn(simulation.system(), vec!["Ada".to_owned()]);
    simulation.run();
    teller.book("Ada".to_owned(), 1_000).send();
    let mut left = steps;
    let happened = simulation.run_until(|| {
        left = left.saturating_sub(1);
        left == 0
    });
    assert!(happened, "there are fewer steps");
    let report = simulation.system().snapshot(journal);
    report.expect("all of it is saved");
}
