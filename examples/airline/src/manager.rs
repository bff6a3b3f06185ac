//! The manager: loads data, some actors in each turn, and answers requests about the whole.

use crate::customer::Customer;
use crate::data::{Day, Moment, Timetable};
use crate::desk::{Desk, Refusal};
use crate::directory::Directory;
use crate::flight::{Cabin, Flight};
use std::collections::BTreeSet;
use std::mem;
use std::sync::Arc;
use vivant::Saved;
use vivant::prelude::*;

/// Default number of customers that the loader makes.
pub const CUSTOMERS_DEFAULT: u32 = 10_000;
/// Limit of the customers: each is an actor of about a kilobyte.
pub const CUSTOMERS_MAX: u32 = 500_000;
/// Default number of days of the timetable. The loader for Node.js makes five, including today.
pub const DAYS_DEFAULT: usize = 5;
/// Limit of the actors that the loader makes in a turn. These take less than a millisecond, which
/// bounds the wait of other actors for the worker.
const BIRTHS_PER_TURN_MAX: usize = 500;

/// The options of an airline.
#[derive(Saved, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Number of days of the timetable, from today.
    pub days: usize,
    /// The aeroplanes' seats.
    pub cabin: Cabin,
    /// Number of desks that share the sessions.
    pub desks: u16,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            days: DAYS_DEFAULT,
            cabin: Cabin::B747,
            desks: 8,
        }
    }
}

/// The numbers of loaded actors.
#[derive(Saved, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Customers.
    pub customers: u32,
    /// Flights.
    pub flights: u32,
}

/// The manager.
#[derive(Actor, Debug)]
#[actor(saved, id = "airline::Manager")]
pub struct Manager {
    settings: Settings,
    desks: Vec<Address<Desk>>,
    directory: Option<Arc<Directory>>,
    /// The number of loads that have begun.
    loads: u64,
    work: Work,
}

/// What the manager does besides answering.
#[derive(Saved, Debug)]
enum Work {
    /// Nothing.
    Idle,
    /// It has asked the flights of the past for their passengers.
    Rolling,
    /// It makes actors.
    Making(Making),
}

/// A directory in the making.
#[derive(Saved, Debug)]
struct Making {
    timetable: Arc<Timetable>,
    flights: Vec<Address<Flight>>,
    customers: Customers,
    /// The answer to a load; a roll has none.
    resolver: Option<Resolver<Result<Loaded, Refusal>>>,
}

#[derive(Saved, Debug)]
enum Customers {
    /// New ones, up to this number.
    New(Vec<Address<Customer>>, u32),
    /// Those of the directory before.
    Same(Arc<[Address<Customer>]>),
}

impl Manager {
    /// The manager of these desks.
    pub fn new(settings: Settings, desks: Vec<Address<Desk>>) -> Manager {
        Manager {
            settings,
            desks,
            directory: None,
            loads: 0,
            work: Work::Idle,
        }
    }

    /// Makes actors, up to the limit of a turn. Returns true if all are made.
    fn make_some(&self, t: &Turn<Self>, making: &mut Making) -> bool {
        for _ in 0..BIRTHS_PER_TURN_MAX {
            let facts = making.timetable.flights().get(making.flights.len());
            match (facts, &mut making.customers) {
                (Some(facts), _) => {
                    let flight = Flight::new(facts.id, facts.departure, self.settings.cabin);
                    making.flights.push(t.spawn_actor(flight));
                }
                (None, Customers::New(made, wanted)) if made.len() < *wanted as usize => {
                    let customer = Customer::new(made.len() as u32);
                    made.push(t.spawn_actor(customer));
                }
                (None, _) => return true,
            }
        }
        false
    }

    /// Shares the directory with the desks. The promise is kept when all have taken it.
    fn open_desks(&mut self, t: &Turn<Self>, directory: Arc<Directory>) -> Promise<Vec<()>> {
        self.directory = Some(directory.clone());
        let me = t.me();
        let open = |desk: &Address<Desk>| t.ask(desk.open(directory.clone(), me.clone()));
        t.all(self.desks.iter().map(open))
    }

    fn make(&mut self, t: &Turn<Self>, making: Making) {
        self.work = Work::Making(making);
        t.send(t.me().go_on_making());
    }
}

#[behaviours(id = "airline::Manager")]
impl Manager {
    /// Replaces the data with new ones: flights from today on, and customers. Sessions and bookings
    /// of the old data end with them; their actors end when their last addresses are dropped.
    pub fn load(&mut self, t: &Turn<Self>, customers: u32) -> Promise<Result<Loaded, Refusal>> {
        if !matches!(self.work, Work::Idle) {
            return Promise::ready(Err(Refusal::Loading));
        }
        let today = Moment::of(t.wall()).day();
        self.loads += 1;
        let (promise, resolver) = t.promise();
        let making = Making {
            timetable: Arc::new(Timetable::new(today, self.settings.days, || t.random())),
            flights: Vec::new(),
            customers: Customers::New(Vec::new(), customers.min(CUSTOMERS_MAX)),
            resolver: Some(resolver),
        };
        self.make(t, making);
        promise
    }

    /// As [`Manager::load`], if nothing is loaded yet.
    pub fn load_once(
        &mut self,
        t: &Turn<Self>,
        customers: u32,
    ) -> Promise<Result<Loaded, Refusal>> {
        match self.directory {
            Some(_) => Promise::ready(Err(Refusal::AlreadyLoaded)),
            None => self.load(t, customers),
        }
    }

    /// Lets the timetable begin today: flights of new days are added, and those of past days
    /// without passengers are removed. A flight that has carried passengers stays as long as its
    /// bookings do. Nothing happens when the timetable begins today already.
    pub fn roll(&mut self, t: &Turn<Self>) {
        let today = Moment::of(t.wall()).day();
        let (Work::Idle, Some(directory)) = (&self.work, &self.directory) else {
            return;
        };
        let timetable = directory.timetable();
        if timetable.first_day() >= today {
            return;
        }
        let is_past = |number: &usize| timetable.flights()[*number].departure.day() < today;
        let past: Vec<usize> = (0..timetable.flights().len()).filter(is_past).collect();
        let flights = past.iter().map(|number| &directory.flights()[*number]);
        // No seat of these is sold meanwhile: they have left.
        let sold = t.all(flights.map(|flight| t.ask(flight.sold())));
        sold.then_send(t.me().rolled(past, today));
        self.work = Work::Rolling;
    }

    #[then]
    fn rolled(
        &mut self,
        t: &Turn<Self>,
        sold: Result<Vec<u64>, AskError>,
        past: Vec<usize>,
        today: Day,
    ) {
        let Some(directory) = &self.directory else {
            return;
        };
        // Without an answer, each may have passengers.
        let empty: BTreeSet<usize> = match sold {
            Ok(sold) => (past.into_iter().zip(sold))
                .filter_map(|(number, sold)| (sold == 0).then_some(number))
                .collect(),
            Err(_) => BTreeSet::new(),
        };
        let kept: Vec<usize> = (0..directory.flights().len())
            .filter(|number| !empty.contains(number))
            .collect();
        let timetable = directory.timetable().rolled(today, &kept, || t.random());
        let flights = kept
            .iter()
            .map(|number| directory.flights()[*number].clone());
        let making = Making {
            timetable: Arc::new(timetable),
            flights: flights.collect(),
            customers: Customers::Same(directory.customers().clone()),
            resolver: None,
        };
        self.make(t, making);
    }

    fn go_on_making(&mut self, t: &Turn<Self>) {
        let Work::Making(mut making) = mem::replace(&mut self.work, Work::Idle) else {
            return;
        };
        if !self.make_some(t, &mut making) {
            return self.make(t, making);
        }
        let customers = match making.customers {
            Customers::New(made, _) => made.into(),
            Customers::Same(same) => same,
        };
        let directory = Directory::new(self.loads, making.timetable, making.flights, customers);
        let loaded = directory.loaded();
        let opened = self.open_desks(t, Arc::new(directory));
        if let Some(resolver) = making.resolver {
            opened.then_send(t.me().opened(loaded, resolver));
        }
    }

    #[then]
    fn opened(
        &mut self,
        answers: Result<Vec<()>, AskError>,
        loaded: Loaded,
        resolver: Resolver<Result<Loaded, Refusal>>,
    ) {
        resolver.resolve(match answers {
            Ok(_) => Ok(loaded),
            Err(error) => Err(Refusal::from(&error)),
        });
    }

    /// Opens the desks of a restored airline. The directory is saved once, with the manager; until
    /// the desks have it again, they refuse requests as [`Refusal::NotLoaded`]. Sessions go on.
    pub fn reopen(&mut self, t: &Turn<Self>) -> Promise<Result<(), Refusal>> {
        match self.directory.clone() {
            Some(directory) => self.open_desks(t, directory).then(t.me().reopened()),
            None => Promise::ready(Ok(())),
        }
    }

    #[then]
    fn reopened(&mut self, answers: Result<Vec<()>, AskError>) -> Result<(), Refusal> {
        answers.map(|_| ()).map_err(|error| Refusal::from(&error))
    }

    /// The directory.
    pub fn directory(&mut self) -> Option<Arc<Directory>> {
        self.directory.clone()
    }

    /// The number of bookings: it is the number of taken seats.
    pub fn count_bookings(&mut self, t: &Turn<Self>) -> Promise<Result<u64, Refusal>> {
        let directory = self.directory.iter();
        let flights = directory.flat_map(|directory| directory.flights());
        t.all(flights.map(|flight| t.ask(flight.sold())))
            .then(t.me().summed())
    }

    /// The number of sessions.
    pub fn count_sessions(&mut self, t: &Turn<Self>) -> Promise<Result<u64, Refusal>> {
        t.all(self.desks.iter().map(|desk| t.ask(desk.sessions())))
            .then(t.me().summed())
    }

    #[then]
    fn summed(&mut self, counts: Result<Vec<u64>, AskError>) -> Result<u64, Refusal> {
        match counts {
            Ok(counts) => Ok(counts.iter().sum()),
            Err(error) => Err(Refusal::from(&error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::airline::Airline;
    use crate::customer::{PASSWORD, user_name};
    use crate::id::Id;
    use vivant::simulation::Simulation;

    /// The manager as a restore makes it: it has the directory, and its desks have none.
    #[test]
    fn a_restored_airline_serves_when_its_desks_are_open_again() {
        let simulation = Simulation::new(1);
        let system = simulation.system();
        let before = system.spawn_state(Manager::new(Settings::default(), Vec::new()));
        assert!(before.load(3).ask_blocking().unwrap().is_ok());
        let directory = before.directory().ask_blocking().unwrap();
        let desks: Vec<_> = (0..2)
            .map(|number| system.spawn_state(Desk::new(number)))
            .collect();
        let manager = system.spawn_state(Manager {
            directory,
            loads: 1,
            ..Manager::new(Settings::default(), desks.clone())
        });

        let airline = Airline::of(manager, desks);
        let log_in = |number| {
            let desk = airline.desk_for(&user_name(number));
            let secret = Id::drawn(|| number.into());
            let login = desk.log_in(user_name(number), PASSWORD.to_owned(), secret);
            login.ask_blocking().unwrap()
        };
        assert_eq!(log_in(0), Err(Refusal::NotLoaded));
        assert_eq!(airline.manager().reopen().ask_blocking(), Ok(Ok(())));
        for number in 0..3 {
            let session = log_in(number).unwrap();
            let bookings = (airline.desk_of(session)).bookings(session, user_name(number));
            assert_eq!(bookings.ask_blocking(), Ok(Ok(Vec::new())));
        }
        let audit = system.block_on(airline.audit(None));
        assert!(audit.holds() && audit.customers == 3);
    }

    #[test]
    fn without_data_there_is_nothing_to_open() {
        let simulation = Simulation::new(1);
        let manager = Manager::new(Settings::default(), Vec::new());
        let manager = simulation.system().spawn_state(manager);
        assert_eq!(manager.reopen().ask_blocking(), Ok(Ok(())));
    }
}
