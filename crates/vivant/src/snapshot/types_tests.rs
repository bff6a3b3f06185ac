//! Types with parameters, and interfaces.

use super::memory_store::MemoryStore;
use crate::Saved;
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};

#[derive(Actor)]
#[actor(saved, id = "office::Shelf")]
struct Shelf<T: Send + 'static + for<'any> Saved<'any>>(T);

#[behaviours(id = "office::Shelf")]
impl<T: Send + 'static + for<'any> Saved<'any>> Shelf<T> {
    fn has(&self) -> bool {
        let _ = &self.0;
        true
    }
}

/// A generic type has one name for all its parameters.
#[test]
fn a_type_with_other_parameters_is_not_listed() {
    let journal = MemoryStore::default().journal();
    let builder = System::builder().saved::<(Shelf<u8>,)>();
    let simulation = Simulation::with(1, Faults::none(), builder);
    let (bytes, words) = (Shelf(7_u8), Shelf(8_u16));
    let bytes = simulation.system().spawn(bytes);
    assert!(simulation.system().snapshot(&journal).is_ok());
    let words = simulation.system().spawn(words);
    let error = simulation.system().snapshot(&journal);
    let said = error.expect_err("it is not listed").to_string();
    assert!(said.contains("Shelf<u16>"), "{said}");
    assert_eq!(bytes.has().ask_blocking(), Ok(true));
    assert_eq!(words.has().ask_blocking(), Ok(true));
}

/// An interface of a saved actor, and of an actor that is not saved.
#[interface(id = "office::Speaks")]
trait Speaks {
    fn word(&self) -> String;
}

#[derive(Actor)]
#[actor(saved, id = "office::Guest", blocks(dyn Speaks))]
struct Guest {
    known: Vec<Address<dyn Speaks>>,
}

#[behaviours(id = "office::Guest")]
impl Guest {
    #[start]
    fn new() -> Guest {
        let known = Vec::new();
        Guest { known }
    }

    fn knows(&mut self, other: Address<dyn Speaks>) {
        self.known.push(other);
    }

    fn known(&self) -> Vec<Address<dyn Speaks>> {
        self.known.clone()
    }
}

#[behaviours(id = "office::Guest::speaks")]
impl Speaks for Guest {
    fn word(&self) -> String {
        "hello".to_owned()
    }
}

#[derive(Actor)]
#[actor(id = "office::Radio")]
struct Radio;

#[behaviours(id = "office::Radio::speaks")]
impl Speaks for Radio {
    fn word(&self) -> String {
        "news".to_owned()
    }
}

#[test]
fn interfaces_lead_to_what_is_restored_and_what_is_not() {
    let journal = MemoryStore::default().journal();
    let builder = || System::builder().saved::<(Guest,)>();
    let simulation = Simulation::with(1, Faults::none(), builder());
    let guest = Guest::spawn(simulation.system());
    let radio = simulation.system().spawn(Radio);
    guest.knows(Address::upcast(&guest)).send();
    guest.knows(Address::upcast(&radio)).send();
    simulation.run();
    let report = simulation
        .system()
        .snapshot(&journal)
        .expect("all is saved");
    drop((guest, radio, simulation));
    let image = journal.catalog().image(report.number).expect("it exists");
    let restored = Simulation::restore(2, Faults::none(), builder(), &image);
    let (_simulation, actors, _) = restored.expect("the program is the same");
    assert_eq!(actors.actors::<dyn Speaks>().count(), 1);
    let guest = actors.actors::<Guest>().next().expect("it is saved");
    let known = guest.known().ask_blocking().expect("it lives");
    assert_eq!(known[0].word().ask_blocking().as_deref(), Ok("hello"));
    assert!(
        known[1].word().ask_blocking().is_err(),
        "the radio is not saved"
    );
}
