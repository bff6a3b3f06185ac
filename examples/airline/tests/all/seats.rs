//! Many customers compete for the last seats, under seeds: no seat is sold twice, and every answer
//! to a customer is true.

use crate::support::traveller::{Travelled, Traveller};
use airline::airline::Airline;
use airline::audit::{Audit, Confirmed};
use airline::customer::user_name;
use airline::flight::Cabin;
use airline::id::Id;
use airline::manager::Settings;
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};

const TRAVELLERS: u32 = 8;
const ACTS: u32 = 6;

/// An airline with four seats in each aeroplane, and the flights between New York and London on its
/// only day. `None` when a fault of the simulation kept it from loading.
async fn small_airline(system: &System) -> Option<(Airline, Id, Id)> {
    let settings = Settings {
        days: 1,
        cabin: Cabin {
            first: 1,
            economy: 3,
        },
        desks: 3,
    };
    let airline = Airline::open(system, settings);
    let loaded = airline.manager().load(TRAVELLERS).ask().await.ok()?;
    assert_eq!(loaded.ok()?.flights, 394);
    let directory = airline.manager().directory().ask().await.ok()??;
    let timetable = directory.timetable();
    let flight = |from, to| {
        let number = timetable.on(from, to, timetable.first_day())?;
        Some(timetable.flights()[number].id)
    };
    Some((airline, flight("JFK", "LHR")?, flight("LHR", "JFK")?))
}

/// Starts travellers, and waits until the system is idle.
fn send_out(
    simulation: &Simulation,
    airline: &Airline,
    trips: &[(Id, Option<Id>)],
) -> Vec<Result<Travelled, AskError>> {
    let travellers: Vec<_> = (0..TRAVELLERS)
        .map(|number| {
            let traveller =
                Traveller::new(airline.clone(), user_name(number), trips.to_vec(), ACTS);
            simulation.system().spawn(traveller)
        })
        .collect();
    for traveller in &travellers {
        traveller.begin().send();
    }
    simulation.run();
    (travellers.iter().map(|it| it.tell().ask_blocking())).collect()
}

/// Starts travellers on trips that compete for two flights, and audits.
fn travel(simulation: &Simulation) -> (Vec<Result<Travelled, AskError>>, Audit) {
    let system = simulation.system();
    let (airline, out, back) = system.block_on(small_airline(system)).unwrap();
    let trips = [
        (out, None),
        (back, None),
        (out, Some(back)),
        (back, Some(out)),
    ];
    let met = send_out(simulation, &airline, &trips);
    let confirmed = Confirmed {
        booked: gathered(&met, |it| &it.confirmed.booked),
        cancelled: gathered(&met, |it| &it.confirmed.cancelled),
    };
    let audit = system.block_on(airline.audit(Some(confirmed)));
    (met, audit)
}

fn gathered(met: &[Result<Travelled, AskError>], of: impl Fn(&Travelled) -> &Vec<Id>) -> Vec<Id> {
    met.iter().flatten().flat_map(of).copied().collect()
}

fn holds(simulation: &Simulation) {
    let (met, audit) = travel(simulation);
    for it in &met {
        let it = it.as_ref().unwrap();
        assert!(it.done, "a traveller waits for ever");
        assert!(it.surprises.is_empty(), "{:?}", it.surprises);
    }
    assert!(audit.holds(), "{:?}", audit.findings);
    assert_eq!((audit.flights, audit.customers), (394, TRAVELLERS as usize));
    // There was competition: some flight was full for a traveller.
    assert!(met.iter().flatten().any(|it| it.sold_out > 0));
    assert!(audit.seats_taken <= 8);
}

#[vivant::test(seeds = 100)]
fn seeded_no_seat_is_sold_twice(simulation: &Simulation) {
    holds(simulation);
}

#[vivant::test(seeds = 100, faults = Faults::none()
    .delays(100_000, Duration::from_millis(50))
    .slow_turns(100_000, Duration::from_millis(20)))]
fn seeded_no_seat_is_sold_twice_by_slow_actors(simulation: &Simulation) {
    holds(simulation);
}

#[vivant::test(seeds = 100, faults = Faults::none().full_mailboxes())]
fn seeded_no_seat_is_sold_twice_when_mailboxes_are_full(simulation: &Simulation) {
    holds(simulation);
}

/// When actors panic, customers get errors and seats may stay taken. But every live traveller gets
/// an answer, and no live flight is oversold.
#[vivant::test(seeds = 100, faults = Faults::all().panics(2_000))]
fn seeded_nobody_waits_for_ever_when_actors_panic(simulation: &Simulation) {
    let system = simulation.system();
    let Some((airline, out, back)) = system.block_on(small_airline(system)) else {
        return;
    };
    let Ok(Some(directory)) = airline.manager().directory().ask_blocking() else {
        return;
    };
    let met = send_out(simulation, &airline, &[(out, Some(back)), (back, None)]);
    assert!(
        met.iter().flatten().all(|it| it.done),
        "a traveller waits for ever"
    );
    for flight in directory.flights() {
        if let Ok(ledger) = flight.ledger().ask_blocking() {
            assert!(ledger.taken.len() <= ledger.seats as usize);
        }
    }
}

#[test]
fn one_seed_gives_one_run() {
    let signature = |seed| {
        let simulation = Simulation::new(seed);
        let (met, _) = travel(&simulation);
        let booked = gathered(&met, |it| &it.confirmed.booked);
        (simulation.signature(), simulation.now(), booked)
    };
    assert_eq!(signature(7), signature(7));
    assert_ne!(signature(7).0, signature(8).0);
}
