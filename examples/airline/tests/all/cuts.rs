//! A snapshot at every few turns of a simulation with travellers: a simulation that is restored
//! from it has every booking that was confirmed before it, and its audit holds.

use crate::support::scratch::Scratch;
use crate::support::traveller::{Known, Traveller};
use airline::airline::{Airline, SavedTypes};
use airline::audit::Audit;
use airline::customer::user_name;
use airline::flight::Cabin;
use airline::id::Id;
use airline::manager::Settings;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use vivant::SystemBuilder;
use vivant::journal::{DirectoryStore, Image, Journal, Settings as JournalSettings};
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};

const TRAVELLERS: u32 = 6;
const ACTS: u32 = 5;
const SEEDS: u64 = 3;
/// Number of turns from one snapshot to the next. A booking takes about ten.
const TURNS: u64 = 7;

fn builder() -> SystemBuilder {
    System::builder().saved::<SavedTypes>()
}

/// An airline with travellers that compete for four seats of two flights.
fn airline(simulation: &Simulation, known: &Arc<Mutex<Known>>) -> Vec<Address<Traveller>> {
    let settings = Settings {
        days: 1,
        cabin: Cabin {
            first: 1,
            economy: 3,
        },
        desks: 3,
    };
    let airline = Airline::open(simulation.system(), settings);
    let loaded = airline.manager().load(TRAVELLERS).ask_blocking();
    assert!(loaded.unwrap().is_ok());
    let directory = airline.manager().directory().ask_blocking();
    let directory = directory.unwrap().unwrap();
    let timetable = directory.timetable();
    let flight = |from, to| {
        let number = timetable.on(from, to, timetable.first_day()).unwrap();
        timetable.flights()[number].id
    };
    let (out, back) = (flight("JFK", "LHR"), flight("LHR", "JFK"));
    let trips = vec![(out, None), (out, Some(back)), (back, Some(out))];
    let traveller = |number| {
        let user = user_name(number);
        let traveller = Traveller::new(airline.clone(), user, trips.clone(), ACTS);
        simulation.system().spawn(traveller.sharing(known))
    };
    let travellers: Vec<_> = (0..TRAVELLERS).map(traveller).collect();
    travellers.iter().for_each(|it| it.begin().send());
    travellers
}

/// What a simulation that goes on from the image has when it has nothing left to do.
fn restored(image: &Image, seed: u64) -> (Audit, BTreeSet<Id>) {
    let (simulation, actors, _) =
        Simulation::restore(seed, Faults::none(), builder(), image).expect("the image is whole");
    let airline = Airline::restored(&actors).expect("the airline is in it");
    assert_eq!(airline.manager().reopen().ask_blocking(), Ok(Ok(())));
    simulation.run();
    let audit = simulation.system().block_on(airline.audit(None));
    let settled = simulation.system().block_on(airline.settled()).unwrap();
    (audit, settled.booked.into_iter().collect())
}

/// What is wrong with an airline that goes on from the image, if these bookings stood when the
/// snapshot was requested and when it existed, and these were cancelled when it was requested.
fn wrong(image: &Image, seed: u64, before: &Known, after: &Known) -> Vec<String> {
    let (audit, found) = restored(image, seed);
    let stood = before.standing.intersection(&after.standing);
    let lost = stood.filter(|booking| !found.contains(booking));
    let risen = before.cancelled.intersection(&found);
    let mut wrong = audit.complaints();
    wrong.extend(lost.map(|booking| format!("{booking} is lost")));
    wrong.extend(risen.map(|booking| format!("{booking} was cancelled and is there")));
    wrong
}

/// Takes a snapshot at every few turns, and looks what is wrong with the image that is `older`
/// images older than it. Returns the number of snapshots, and all that is wrong.
fn cuts(name: &str, older: u64) -> (u64, Vec<String>) {
    let (mut cuts, mut all_wrong) = (0, Vec::new());
    for seed in 0..SEEDS {
        let folder = Scratch::new(&format!("{name}-{seed}"));
        let store = DirectoryStore::new(folder.path());
        let journal = Journal::open(store, JournalSettings::default()).unwrap();
        let simulation = Simulation::with(seed, Faults::none(), builder());
        let known = Arc::default();
        let travellers = airline(&simulation, &known);
        let mut turns = simulation.turns();
        while simulation.run_until(|| simulation.turns() >= turns) {
            turns = simulation.turns() + TURNS;
            let before = known.lock().unwrap().clone();
            let taken = simulation
                .system()
                .snapshot(&journal)
                .expect("all is saved");
            let after = known.lock().unwrap().clone();
            cuts += 1;
            if taken.number > older {
                let image = journal.catalog().image(taken.number - older).unwrap();
                all_wrong.extend(wrong(&image, seed, &before, &after));
            }
        }
        for traveller in &travellers {
            let met = traveller.tell().ask_blocking().unwrap();
            assert!(met.done && met.surprises.is_empty(), "{:?}", met.surprises);
        }
        assert!(!known.lock().unwrap().cancelled.is_empty(), "seed {seed}");
    }
    (cuts, all_wrong)
}

#[test]
fn no_confirmed_booking_is_lost_at_any_cut() {
    let (cuts, wrong) = cuts("cuts", 0);
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(cuts > 10 * SEEDS, "{cuts} snapshots are too few");
}

#[test]
fn canary_an_older_image_has_lost_bookings() {
    let (_, wrong) = cuts("cuts-older", 1);
    assert!(wrong.iter().any(|it| it.ends_with("is lost")), "{wrong:#?}");
}
