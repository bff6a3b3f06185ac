//! Desks and the manager, without HTTP and under seeds: sessions end, data are replaced, answers
//! are refused.

use airline::airline::Airline;
use airline::customer::{PASSWORD, ProfileUpdate, user_name};
use airline::data::Day;
use airline::desk::{Order, Query, Refusal, SESSION_TIME};
use airline::id::Id;
use airline::manager::{Loaded, Settings};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;

const SMALL: Settings = Settings {
    days: 2,
    cabin: airline::flight::Cabin::B747,
    desks: 4,
};

fn loaded(system: &System, customers: u32) -> Airline {
    let airline = Airline::open(system, SMALL);
    let loaded = airline.manager().load(customers).ask_blocking();
    let flights = 2 * 394;
    assert_eq!(loaded, Ok(Ok(Loaded { customers, flights })));
    airline
}

fn log_in(airline: &Airline, user: &str) -> Result<Id, Refusal> {
    let secret = Id::secret().unwrap();
    let login = (airline.desk_for(user)).log_in(user.to_owned(), PASSWORD.to_owned(), secret);
    login.ask_blocking().unwrap()
}

fn bookings(airline: &Airline, session: Id, user: &str) -> Result<usize, Refusal> {
    let bookings = (airline.desk_of(session)).bookings(session, user.to_owned());
    Ok(bookings.ask_blocking().unwrap()?.len())
}

#[vivant::test(seeds = 20)]
fn seeded_a_session_ends_after_a_day(simulation: &Simulation) {
    let airline = loaded(simulation.system(), 3);
    let session = log_in(&airline, "uid2@email.com").unwrap();
    simulation.run_for(SESSION_TIME - Duration::from_secs(1));
    assert_eq!(bookings(&airline, session, "uid2@email.com"), Ok(0));
    assert_eq!(airline.manager().count_sessions().ask_blocking(), Ok(Ok(1)));
    simulation.run_for(Duration::from_secs(1));
    assert_eq!(
        bookings(&airline, session, "uid2@email.com"),
        Err(Refusal::NoSession)
    );
    assert_eq!(airline.manager().count_sessions().ask_blocking(), Ok(Ok(0)));
}

/// A session id is what the edge drew, but for its tail: no number of a turn, which could be
/// computed from other ids, is in it.
#[vivant::test(seeds = 5)]
fn seeded_the_session_is_the_secret_of_the_caller(system: &System) {
    let airline = loaded(system, 1);
    let user = user_name(0);
    let secret = Id::secret().unwrap();
    let desk = airline.desk_for(&user);
    let login = desk.log_in(user.clone(), PASSWORD.to_owned(), secret);
    let session = login.ask_blocking().unwrap().unwrap();
    assert_eq!(session.with_tail(0), secret.with_tail(0));
    assert_eq!(bookings(&airline, session, &user), Ok(0));
}

#[vivant::test(seeds = 20)]
fn seeded_sessions_are_found_at_the_desk_that_their_ids_name(system: &System) {
    let airline = loaded(system, 20);
    let sessions: Vec<_> = (0..20)
        .map(|number| log_in(&airline, &user_name(number)).unwrap())
        .collect();
    for (number, session) in (0..).zip(&sessions) {
        assert_eq!(bookings(&airline, *session, &user_name(number)), Ok(0));
        let other = user_name((number + 1) % 20);
        assert_eq!(bookings(&airline, *session, &other), Err(Refusal::NotYours));
        let nobody = "uid20@email.com";
        assert_eq!(
            bookings(&airline, *session, nobody),
            Err(Refusal::NoSuchCustomer(nobody.to_owned()))
        );
        airline
            .desk_of(*session)
            .log_out(*session)
            .ask_blocking()
            .unwrap();
        assert_eq!(
            bookings(&airline, *session, &user_name(number)),
            Err(Refusal::NoSession)
        );
    }
}

#[vivant::test(seeds = 20)]
fn seeded_new_data_replace_the_old(simulation: &Simulation) {
    let system = simulation.system();
    let airline = loaded(system, 50);
    let session = log_in(&airline, "uid40@email.com").unwrap();
    // A second load while the first is in progress is refused.
    let first = airline.manager().load(5).ask();
    let second = airline.manager().load(6).ask();
    assert_eq!(system.block_on(second), Ok(Err(Refusal::Loading)));
    assert_eq!(system.block_on(first).unwrap().unwrap().customers, 5);
    assert_eq!(
        bookings(&airline, session, "uid4@email.com"),
        Err(Refusal::NoSession)
    );
    assert_eq!(
        log_in(&airline, "uid40@email.com"),
        Err(Refusal::WrongLogin)
    );
    assert!(log_in(&airline, "uid4@email.com").is_ok());
    // The last addresses of the old actors are dropped, so they end.
    simulation.run();
    let alive = system.inspect().actors.len();
    assert_eq!(alive, 1 + 4 + 2 * 394 + 5);
}

#[vivant::test(seeds = 20)]
fn seeded_a_login_during_a_load_is_refused_or_good(simulation: &Simulation) {
    let system = simulation.system();
    let airline = loaded(system, 5);
    let user = "uid1@email.com";
    let load = airline.manager().load(5).ask();
    let secret = Id::secret().unwrap();
    let login = (airline.desk_for(user)).log_in(user.to_owned(), PASSWORD.to_owned(), secret);
    let session = system.block_on(login.ask()).unwrap();
    system.block_on(load).unwrap().unwrap();
    match session {
        Ok(session) => {
            let after = bookings(&airline, session, user);
            assert!(
                matches!(after, Ok(0) | Err(Refusal::NoSession)),
                "{after:?}"
            );
        }
        Err(refusal) => assert_eq!(refusal, Refusal::Loading),
    }
    assert!(log_in(&airline, user).is_ok());
}

#[vivant::test(seeds = 5)]
fn seeded_without_data_everything_is_refused(system: &System) {
    let airline = Airline::open(system, SMALL);
    assert_eq!(log_in(&airline, "uid0@email.com"), Err(Refusal::NotLoaded));
    let session = Id::drawn(|| 1);
    assert_eq!(
        bookings(&airline, session, "uid0@email.com"),
        Err(Refusal::NotLoaded)
    );
    assert_eq!(airline.manager().count_bookings().ask_blocking(), Ok(Ok(0)));
    let audit = system.block_on(airline.audit(None));
    assert!(audit.holds() && audit.flights == 0);
}

#[vivant::test(seeds = 5)]
fn seeded_a_password_is_asked_for(system: &System) {
    let airline = loaded(system, 2);
    let user = "uid1@email.com".to_owned();
    let desk = airline.desk_for(&user);
    let wrong = desk
        .log_in(user.clone(), "secret".to_owned(), Id::secret().unwrap())
        .ask_blocking();
    assert_eq!(wrong, Ok(Err(Refusal::WrongLogin)));
    let session = log_in(&airline, &user).unwrap();
    let profile = (airline.desk_of(session))
        .profile(session, user.clone())
        .ask_blocking();
    let profile = profile.unwrap().unwrap();
    let update = |password: &str| {
        let update = ProfileUpdate {
            password: password.to_owned(),
            address: profile.address.clone(),
            phone_number: "1".to_owned(),
            phone_number_type: "HOME".to_owned(),
        };
        let desk = airline.desk_of(session);
        desk.update(session, user.clone(), update)
            .ask_blocking()
            .unwrap()
    };
    assert_eq!(update("secret"), Err(Refusal::WrongPassword));
    assert_eq!(update(PASSWORD).unwrap().phone_number, "1");
}

/// The ids of the flights from New York to London that are offered on a day.
fn offered(airline: &Airline, session: Id, day: Day) -> Vec<Id> {
    let query = Query {
        from: "JFK".to_owned(),
        to: "LHR".to_owned(),
        day,
        back: None,
    };
    let desk = airline.desk_of(session);
    let options = desk.query(session, query).ask_blocking().unwrap().unwrap();
    let offers = options.legs[0].iter();
    offers.map(|offer| offer.flight.id).collect()
}

fn book(airline: &Airline, session: Id, user: &str, outbound: Id) -> Result<(), Refusal> {
    let order = Order {
        user: user.to_owned(),
        outbound,
        back: None,
    };
    let booked = airline.desk_of(session).book(session, order).ask_blocking();
    booked.unwrap().map(|_| ())
}

/// The simulation begins at midnight of 2000-01-01.
#[vivant::test(seeds = 20)]
fn seeded_a_flight_that_has_left_is_neither_offered_nor_sold(simulation: &Simulation) {
    let airline = loaded(simulation.system(), 2);
    let directory = airline.manager().directory().ask_blocking();
    let directory = directory.unwrap().unwrap();
    let today = directory.timetable().first_day();
    let user = user_name(1);
    let session = log_in(&airline, &user).unwrap();
    let flight = offered(&airline, session, today)[0];
    assert_eq!(book(&airline, session, &user, flight), Ok(()));
    let number = directory.timetable().by_id(flight).unwrap();
    let departure = directory.timetable().flights()[number].departure;
    let minutes = (departure.0 - today.at_minute(0).0) / 60_000;
    simulation.run_for(Duration::from_secs(60 * minutes as u64 - 1));
    assert_eq!(offered(&airline, session, today), [flight]);
    simulation.run_for(Duration::from_secs(1));
    assert_eq!(offered(&airline, session, today), []);
    let refused = book(&airline, session, &user, flight);
    assert_eq!(refused, Err(Refusal::Departed(flight)));
    assert_eq!(bookings(&airline, session, &user), Ok(1));
}

#[vivant::test(seeds = 20)]
fn seeded_the_timetable_goes_on_day_by_day(simulation: &Simulation) {
    let system = simulation.system();
    let airline = loaded(system, 2);
    let timetable = || {
        let directory = airline.manager().directory().ask_blocking();
        directory.unwrap().unwrap().timetable().clone()
    };
    let first = timetable().first_day();
    let day = |number: i32| Day(first.0 + number);
    let user = user_name(1);
    let session = log_in(&airline, &user).unwrap();
    let carried = offered(&airline, session, first)[0];
    let next = offered(&airline, session, day(1))[0];
    for flight in [carried, next] {
        assert_eq!(book(&airline, session, &user, flight), Ok(()));
    }
    assert_eq!(offered(&airline, session, day(2)), []);
    simulation.run_for(Duration::from_secs(24 * 60 * 60 - 1));
    assert_eq!(timetable().first_day(), first);

    // The session of the day before has ended; the first query adds a day.
    simulation.run_for(Duration::from_secs(1));
    let session = log_in(&airline, &user).unwrap();
    let login = airline.desk_for(&user_name(0));
    let during = login.log_in(user_name(0), PASSWORD.to_owned(), Id::secret().unwrap());
    assert_eq!(offered(&airline, session, day(1)), [next]);
    let during = during.ask();
    simulation.run();
    assert!(system.block_on(during).unwrap().is_ok());
    assert_eq!(timetable().first_day(), day(1));
    assert_eq!(offered(&airline, session, day(1)), [next]);
    assert_eq!(offered(&airline, session, day(2)).len(), 1);
    assert_eq!(offered(&airline, session, day(3)), []);

    // Of the first day, only the flight with a passenger is left.
    assert_eq!(timetable().flights().len(), 2 * 394 + 1);
    assert_eq!(bookings(&airline, session, &user), Ok(2));
    let audit = system.block_on(airline.audit(None));
    assert!(audit.holds(), "{:?}", audit.findings);
    assert_eq!((audit.flights, audit.seats_taken), (2 * 394 + 1, 2));
    assert_eq!(system.inspect().actors.len(), 1 + 4 + 2 * 394 + 1 + 2);
}

#[vivant::test(seeds = 5)]
fn seeded_queries_find_one_flight_a_day(system: &System) {
    let airline = loaded(system, 1);
    let session = log_in(&airline, "uid0@email.com").unwrap();
    let directory = airline
        .manager()
        .directory()
        .ask_blocking()
        .unwrap()
        .unwrap();
    let today = directory.timetable().first_day();
    let legs = |from: &str, to: &str, back| {
        let query = Query {
            from: from.to_owned(),
            to: to.to_owned(),
            day: today,
            back,
        };
        let options = airline
            .desk_of(session)
            .query(session, query)
            .ask_blocking();
        let legs = options.unwrap().unwrap().legs;
        legs.iter().map(Vec::len).collect::<Vec<_>>()
    };
    let day = |number: i32| Some(airline::data::Day(today.0 + number));
    assert_eq!(legs("JFK", "LHR", None), [1]);
    assert_eq!(legs("JFK", "LHR", day(1)), [1, 1]);
    assert_eq!(legs("JFK", "LHR", day(2)), [1, 0]);
    assert_eq!(legs("AMS", "LHR", day(1)), [1, 0]);
    assert_eq!(legs("BOM", "LHR", day(1)), [0, 1]);
    assert_eq!(legs("JFK", "JFK", day(1)), [0, 0]);
}
