//! Names: which actor has one, what a lookup finds, and when a name is free again.

use crate::waits::wait_while;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{LookupError, NameFacts, RegisterError};

#[interface]
trait Till {
    fn pay(&mut self, amount: u64) -> u64;
}

#[derive(Actor)]
struct Cashier {
    till: u64,
}

#[behaviours]
impl Cashier {
    fn take_name(&mut self, t: &Turn<Self>, name: String) -> Result<(), RegisterError> {
        t.register(&name, &t.me())
    }

    fn add_to(&mut self, t: &Turn<Self>, name: String) -> Promise<u64> {
        let till = t.lookup::<dyn Till>(&name).unwrap();
        t.ask(till.pay(self.till))
    }

    fn lose_name(&mut self, t: &Turn<Self>, name: String) -> bool {
        t.unregister(&name)
    }

    fn finish(&mut self, t: &Turn<Self>) {
        t.stop();
    }
}

#[behaviours(module = cashier_till)]
impl Till for Cashier {
    fn pay(&mut self, amount: u64) -> u64 {
        self.till += amount;
        self.till
    }
}

fn cashier(simulation: &Simulation, till: u64) -> Address<Cashier> {
    simulation.system().spawn(Cashier { till })
}

#[test]
fn a_lookup_returns_the_registered_type() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let ada = cashier(&simulation, 5);
    system.register("cashier", &ada).unwrap();
    system
        .register::<dyn Till>("till", &Address::upcast(&ada))
        .unwrap();
    assert_eq!(system.lookup::<Cashier>("cashier"), Ok(ada.clone()));
    let till = system.lookup::<dyn Till>("till").unwrap();
    assert_eq!(till.pay(2).ask_blocking(), Ok(7));
    let names: Vec<NameFacts> = system.inspect().names;
    let shown: Vec<_> = names.iter().map(|it| (&*it.name, &*it.actor)).collect();
    let path = Address::path(&ada);
    assert_eq!(shown, [("cashier", &*path), ("till", &*path)]);
    let types: Vec<_> = names.iter().map(|it| it.registered_as).collect();
    assert_eq!(types, ["all::names::Cashier", "all::names::Till"]);
    assert_eq!(types, [Cashier::NAME, <dyn Till>::NAME]);
}

#[derive(Actor)]
struct Shelf<T: Send + 'static>(T);

#[behaviours]
impl<T: Send + 'static> Shelf<T> {
    fn put(&mut self, value: T) {
        self.0 = value;
    }
}

#[test]
fn types_of_one_name_are_kept_apart() {
    let simulation = Simulation::new(3);
    let system = simulation.system();
    assert_eq!(Shelf::<u8>::NAME, Shelf::<u16>::NAME);
    let shelf = system.spawn(Shelf(1_u8));
    shelf.put(2).send();
    system.register("shelf", &shelf).unwrap();
    assert_eq!(system.lookup::<Shelf<u8>>("shelf"), Ok(shelf.clone()));
    let other = system.lookup::<Shelf<u16>>("shelf").unwrap_err();
    assert_eq!(
        other.to_string(),
        "\"shelf\" was asked for as `all::names::Shelf`, and was registered with other type parameters"
    );
    assert!(system.group("shelves").unwrap().join(&shelf));
    let other = system.group::<Shelf<u16>>("shelves").unwrap_err();
    assert!(matches!(other, LookupError::OtherType { .. }), "{other}");
}

#[test]
fn registry_errors_name_the_cause() {
    let simulation = Simulation::new(2);
    let system = simulation.system();
    let (ada, bob) = (cashier(&simulation, 0), cashier(&simulation, 0));
    system.register("cashier", &ada).unwrap();
    assert_eq!(
        system.register("cashier", &bob),
        Err(RegisterError::Taken {
            name: "cashier".to_owned(),
            by: Address::path(&ada)
        })
    );
    let other = system.lookup::<dyn Till>("cashier").unwrap_err();
    let shown = other.to_string();
    assert!(
        shown.contains("`all::names::Till`") && shown.contains("`all::names::Cashier`"),
        "{shown}"
    );
    let unknown = LookupError::Unknown {
        name: "chef".to_owned(),
    };
    assert_eq!(system.lookup::<Cashier>("chef"), Err(unknown));
    Address::stop(&bob);
    simulation.run();
    let ended = system.register("late", &bob).unwrap_err();
    assert!(matches!(ended, RegisterError::Ended { .. }), "{ended}");
    assert_eq!(system.inspect().names.len(), 1);
}

#[test]
#[should_panic(expected = "belongs to another system")]
fn an_actor_of_another_system_is_refused() {
    let (here, there) = (Simulation::new(1), Simulation::new(2));
    let _refused = here.system().register("guest", &cashier(&there, 0));
}

#[test]
fn a_name_is_registered_again_for_the_same_actor() {
    let simulation = Simulation::new(3);
    let system = simulation.system();
    let ada = cashier(&simulation, 0);
    system.register("a", &ada).unwrap();
    // As an actor does when its start function runs again.
    assert_eq!(ada.take_name("a".to_owned()).ask_blocking(), Ok(Ok(())));
    system
        .register::<dyn Till>("a", &Address::upcast(&ada))
        .unwrap();
    assert!(system.lookup::<Cashier>("a").is_err());
    assert_eq!(system.inspect().names.len(), 1);
}

#[test]
fn a_name_is_free_when_its_actor_has_ended() {
    let simulation = Simulation::new(4);
    let system = simulation.system();
    let ada = cashier(&simulation, 0);
    ada.take_name("boss".to_owned())
        .ask_blocking()
        .unwrap()
        .unwrap();
    ada.finish().send();
    simulation.run();
    assert!(system.lookup::<Cashier>("boss").is_err());
    assert_eq!(system.inspect().names, []);
    let bob = cashier(&simulation, 0);
    system.register("boss", &bob).unwrap();
    // The end of the first holder takes nothing from the second.
    drop(ada);
    simulation.run();
    assert_eq!(system.lookup::<Cashier>("boss"), Ok(bob));
}

#[test]
fn a_name_does_not_keep_its_actor_alive_but_keep_does() {
    let simulation = Simulation::new(5);
    let system = simulation.system();
    system.register("weak", &cashier(&simulation, 0)).unwrap();
    let pinned = cashier(&simulation, 0);
    system.register("pinned", &pinned).unwrap();
    system.keep(&pinned);
    drop(pinned);
    simulation.run();
    assert!(system.lookup::<Cashier>("weak").is_err());
    assert!(system.lookup::<Cashier>("pinned").is_ok());
    assert_eq!(system.inspect().actors.len(), 1);
}

#[test]
fn names_are_used_within_turns() {
    let simulation = Simulation::new(6);
    let system = simulation.system();
    let (ada, bob) = (cashier(&simulation, 3), cashier(&simulation, 4));
    system
        .register::<dyn Till>("till", &Address::upcast(&bob))
        .unwrap();
    assert_eq!(ada.add_to("till".to_owned()).ask_blocking(), Ok(7));
    assert_eq!(ada.lose_name("till".to_owned()).ask_blocking(), Ok(true));
    assert_eq!(ada.lose_name("till".to_owned()).ask_blocking(), Ok(false));
    assert!(system.lookup::<dyn Till>("till").is_err());
}

#[test]
fn systems_have_names_of_their_own() {
    let (one, two) = (Simulation::new(1), Simulation::new(1));
    let (ada, bob) = (cashier(&one, 0), cashier(&two, 0));
    one.system().register("cashier", &ada).unwrap();
    two.system().register("cashier", &bob).unwrap();
    assert_eq!(one.system().lookup::<Cashier>("cashier"), Ok(ada));
    assert_eq!(two.system().lookup::<Cashier>("cashier"), Ok(bob));
}

/// Actors that contend for one name, and end at random while they have it.
#[derive(Actor)]
struct Contender {
    tally: Arc<Tally>,
}

#[derive(Default)]
struct Tally {
    reigns: AtomicU64,
    /// Contenders that have the name and have not ended.
    reigning: AtomicU64,
}

#[behaviours]
impl Contender {
    fn contend(&mut self, t: &Turn<Self>, left: u64) {
        match t.register("king", &t.me()) {
            Ok(()) => {
                self.tally.reigns.fetch_add(1, Ordering::Relaxed);
                let reigning = self.tally.reigning.fetch_add(1, Ordering::Relaxed);
                assert_eq!(reigning, 0, "two actors have one name");
                t.stop();
            }
            Err(RegisterError::Taken { .. }) if left > 0 => {
                let rest = Duration::from_micros(t.random_below(50));
                t.after(rest, t.me().contend(left - 1));
            }
            Err(_) => {}
        }
    }

    #[stop]
    fn abdicate(&mut self, t: &Turn<Self>) {
        if t.lookup::<Contender>("king") == Ok(t.me()) {
            self.tally.reigning.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[vivant::test(seeds = 300, faults = Faults::none().delays(100_000, Duration::from_millis(1)))]
fn seeded_a_name_has_one_actor_at_a_time(simulation: &Simulation) {
    let tally = Arc::new(Tally::default());
    let system = simulation.system();
    for _ in 0..10 {
        let tally = tally.clone();
        system.spawn(Contender { tally }).contend(1_000).send();
    }
    simulation.run();
    assert_eq!(tally.reigns.load(Ordering::Relaxed), 10);
    assert_eq!(system.inspect().names, []);
    system.shutdown();
    assert_eq!(system.inspect().bytes, 0);
    assert_eq!(system.inspect().panics, 0);
}

/// The checker must notice that a name has two actors: here a name is taken away from a live actor.
#[test]
fn canary_two_holders_of_a_name_are_noticed() {
    let simulation = Simulation::new(7);
    let tally = Arc::new(Tally::default());
    tally.reigning.fetch_add(1, Ordering::Relaxed);
    let contender = simulation.system().spawn(Contender { tally });
    contender.contend(0).send();
    simulation.run();
    assert_eq!(simulation.system().inspect().panics, 1);
}

#[test]
fn names_are_free_after_the_race_of_registering_and_ending() {
    let system = System::builder().workers(3).build();
    for round in 0..300_u64 {
        let ada = system.spawn(Cashier { till: round });
        ada.finish().send();
        // It ends meanwhile, or has ended, or will.
        let given = system.register("cashier", &ada);
        assert!(
            matches!(given, Ok(()) | Err(RegisterError::Ended { .. })),
            "{given:?}"
        );
        wait_while(|| Address::is_alive(&ada));
        assert!(system.lookup::<Cashier>("cashier").is_err());
    }
    let report = system.shutdown();
    assert!(report.is_complete(), "{report}");
    assert_eq!(
        system.inspect().bytes,
        0,
        "no table keeps an actor that is gone"
    );
}
