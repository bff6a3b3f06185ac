//! What a snapshot of the airline has.

use airline::airline::Airline;
use airline::customer::Customer;
use airline::desk::Desk;
use airline::directory::Directory;
use airline::flight::Flight;
use airline::manager::{Manager, Settings};
use vivant::codec::{Shapes, show, to_bytes};
use vivant::simulation::Simulation;
use vivant::{Saved, SavedKinds};

#[test]
fn all_actors_and_all_of_their_messages_are_saved() {
    let kinds = SavedKinds::of::<(Manager, Desk, Flight, Customer)>().unwrap();
    let actors: Vec<_> = kinds.actors().collect();
    assert_eq!(
        actors,
        [
            "airline::Customer",
            "airline::Desk",
            "airline::Flight",
            "airline::Manager",
        ]
    );
    let kinds: Vec<String> = kinds.kinds().map(|kind| kind.to_string()).collect();
    assert_eq!(
        kinds,
        [
            "message airline::Customer::book",
            "message airline::Customer::bookings",
            "message airline::Customer::cancel",
            "message airline::Customer::knows",
            "message airline::Customer::ledger",
            "message airline::Customer::profile",
            "message airline::Customer::released",
            "continuation airline::Customer::released",
            "message airline::Customer::reserved",
            "continuation airline::Customer::reserved",
            "message airline::Customer::update",
            "message airline::Desk::book",
            "message airline::Desk::bookings",
            "message airline::Desk::cancel",
            "message airline::Desk::counted",
            "continuation airline::Desk::counted",
            "message airline::Desk::log_in",
            "message airline::Desk::log_out",
            "message airline::Desk::logged_in",
            "continuation airline::Desk::logged_in",
            "message airline::Desk::open",
            "message airline::Desk::profile",
            "message airline::Desk::query",
            "message airline::Desk::sessions",
            "message airline::Desk::update",
            "message airline::Flight::availability",
            "message airline::Flight::ledger",
            "message airline::Flight::release",
            "message airline::Flight::reserve",
            "message airline::Flight::sold",
            "message airline::Manager::count_bookings",
            "message airline::Manager::count_sessions",
            "message airline::Manager::directory",
            "message airline::Manager::go_on_making",
            "message airline::Manager::load",
            "message airline::Manager::load_once",
            "message airline::Manager::opened",
            "continuation airline::Manager::opened",
            "message airline::Manager::reopen",
            "message airline::Manager::reopened",
            "continuation airline::Manager::reopened",
            "message airline::Manager::roll",
            "message airline::Manager::rolled",
            "continuation airline::Manager::rolled",
            "message airline::Manager::summed",
            "continuation airline::Manager::summed",
        ]
    );
}

/// Only a restore finds the actors of addresses, so the bytes are shown.
#[test]
fn a_saved_directory_has_every_address_and_a_few_bytes_for_each() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let airline = Airline::open(system, Settings::default());
    assert!(
        airline
            .manager()
            .load(1_000)
            .ask_blocking()
            .unwrap()
            .is_ok()
    );
    let directory = airline.manager().directory().ask_blocking();
    let directory = directory.unwrap().unwrap();

    let bytes = to_bytes(&*directory).unwrap();
    let mut shapes = Shapes::default();
    let shape = shapes.add(Directory::SHAPE).unwrap();
    let mut text = String::new();
    show(&shapes, shape, &bytes, 1 << 20, &mut text).unwrap();
    assert_eq!(text.matches("→ airline::Flight").count(), 1_970);
    assert_eq!(text.matches("→ airline::Customer").count(), 1_000);
    // 30 bytes of a flight's facts, and at most 3 of an address.
    assert!(
        bytes.len() <= 1_970 * 33 + 1_000 * 3 + 20,
        "{}",
        bytes.len()
    );
}
