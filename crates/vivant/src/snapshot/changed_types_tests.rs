//! Images of a program of which the types have changed since.

#![allow(dead_code, reason = "messages that come from files alone")]

use super::memory_store::MemoryStore;
use super::{NotRestored, RestoreError};
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use vivant_journal::Image;

/// The program that takes the image.
mod then {
    use super::*;

    #[derive(Actor)]
    #[actor(saved, id = "bank::Account")]
    pub(super) struct Account {
        owner: String,
        balance: u32,
    }

    #[behaviours(id = "bank::Account")]
    impl Account {
        #[start]
        pub(super) fn new(owner: String) -> Account {
            Account { owner, balance: 7 }
        }

        pub(super) fn deposit(&mut self, amount: u32) {
            self.balance += amount;
            let _ = &self.owner;
        }
    }

    /// An account with a waiting message.
    pub(super) fn image() -> Image {
        let builder = System::builder().saved::<(Account,)>();
        let simulation = Simulation::with(1, Faults::none(), builder);
        let account = Account::spawn(simulation.system(), "Ada".to_owned());
        simulation.run();
        let _kept = account.clone();
        account.deposit(20).send();
        let journal = MemoryStore::default().journal();
        let report = loop {
            let report = simulation.system().snapshot(&journal);
            let report = report.expect("all of it is saved");
            if report.messages == 1 {
                break report;
            }
            // The message was taken before the cut line.
            simulation.run();
            account.deposit(0).send();
        };
        let image = journal.catalog().image(report.number);
        image.expect("it is published")
    }
}

fn restored<A: crate::SavedActors>(
    image: &Image,
) -> Result<(Simulation, super::RestoredActors), RestoreError> {
    let builder = System::builder().saved::<A>();
    let restored = Simulation::restore(2, Faults::none(), builder, image);
    restored.map(|(simulation, actors, _)| (simulation, actors))
}

/// A new field with a default, a renamed and wider one; a wider argument.
#[test]
fn an_account_with_other_fields_is_restored() {
    #[derive(Actor)]
    #[actor(saved, id = "bank::Account")]
    struct Account {
        #[saved(default = "EUR".to_owned())]
        currency: String,
        #[saved(was = "balance")]
        cents: u64,
        owner: String,
    }

    #[behaviours(id = "bank::Account")]
    impl Account {
        #[start]
        fn new(owner: String) -> Account {
            Account {
                currency: String::new(),
                cents: 0,
                owner,
            }
        }

        fn deposit(&mut self, amount: u64) {
            self.cents += amount;
        }

        fn all(&self) -> (String, u64, String) {
            (self.currency.clone(), self.cents, self.owner.clone())
        }
    }

    let (_simulation, actors) = restored::<(Account,)>(&then::image()).expect("it is resolved");
    let account = actors.actor::<Account>("bank::Account/0");
    let account = account.expect("it was saved");
    let (currency, cents, owner) = account.all().ask_blocking().expect("it lives");
    assert_eq!((&*currency, cents, &*owner), ("EUR", 27, "Ada"));
}

/// What cannot be resolved names the actor, the type and the field.
#[test]
fn a_field_without_a_default_is_an_error() {
    #[derive(Actor)]
    #[actor(saved, id = "bank::Account")]
    struct Account {
        currency: String,
    }

    #[behaviours(id = "bank::Account")]
    impl Account {
        fn deposit(&mut self, amount: u32) {
            self.currency = amount.to_string();
        }
    }

    let error = restored::<(Account,)>(&then::image()).err();
    let error = error.expect("the file has no such field");
    let said = error.to_string();
    for part in [
        "bank::Account/0",
        "its state",
        "bank::Account.currency",
        "default",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let value = |error: &RestoreError| {
        matches!(error, RestoreError::NotRestored(NotRestored::Value { .. }))
    };
    assert!(value(&error), "{error:?}");
}

/// On threads the actors that were made end, and none has run.
#[test]
fn a_restore_that_fails_leaves_nothing() {
    #[derive(Actor)]
    #[actor(saved, id = "bank::Account")]
    struct Account {
        balance: u32,
    }

    #[behaviours(id = "bank::Account")]
    impl Account {
        fn deposit(&mut self, amount: String) {
            panic!("a deposit of {amount} to {} came", self.balance);
        }
    }

    let builder = System::builder().workers(2).saved::<(Account,)>();
    let error = builder.restore(&then::image()).err();
    let said = error.expect("the argument was a number").to_string();
    for part in [
        "bank::Account/0: the message bank::Account::deposit",
        "`u32`",
    ] {
        assert!(said.contains(part), "{said}");
    }
}

/// A behaviour that is gone cannot take its message.
#[test]
fn a_waiting_message_of_a_gone_behaviour_is_an_error() {
    #[derive(Actor)]
    #[actor(saved, id = "bank::Account")]
    struct Account {
        balance: u32,
    }

    #[behaviours(id = "bank::Account")]
    impl Account {
        fn pay_in(&mut self, amount: u32) {
            self.balance += amount;
        }
    }

    let error = restored::<(Account,)>(&then::image()).err();
    let said = error.expect("there is no `deposit`").to_string();
    for part in ["bank::Account/0", "bank::Account::deposit"] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn a_type_that_is_not_listed_is_an_error() {
    #[derive(Actor)]
    #[actor(saved)]
    struct Other;

    #[behaviours]
    impl Other {}

    let error = restored::<(Other,)>(&then::image()).err();
    let said = error.expect("there is no account").to_string();
    assert!(
        said.contains("`bank::Account`") && said.contains("saved::<"),
        "{said}"
    );
}
