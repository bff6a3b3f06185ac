//! The manager: loads data, some actors in each turn, and answers requests about the whole.

use crate::customer::Customer;
use crate::data::{Moment, Timetable};
use crate::desk::{Desk, Refusal};
use crate::directory::Directory;
use crate::flight::{Cabin, Flight};
use std::sync::Arc;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Customers.
    pub customers: u32,
    /// Flights.
    pub flights: u32,
}

/// The manager.
#[derive(Actor, Debug)]
pub struct Manager {
    settings: Settings,
    desks: Vec<Address<Desk>>,
    directory: Option<Arc<Directory>>,
    loading: Option<Loading>,
}

/// Data that are being loaded.
#[derive(Debug)]
struct Loading {
    timetable: Arc<Timetable>,
    flights: Vec<Address<Flight>>,
    customers: Vec<Address<Customer>>,
    customers_wanted: u32,
    resolver: Resolver<Result<Loaded, Refusal>>,
}

impl Manager {
    /// The manager of these desks.
    pub fn new(settings: Settings, desks: Vec<Address<Desk>>) -> Manager {
        Manager {
            settings,
            desks,
            directory: None,
            loading: None,
        }
    }

    /// Makes actors, up to the limit of a turn. Returns the loaded data when all are made.
    fn make_some(&mut self, t: &Turn<Self>) -> Option<Loading> {
        let mut loading = self.loading.take()?;
        for _ in 0..BIRTHS_PER_TURN_MAX {
            let flights = loading.timetable.flights();
            if let Some(facts) = flights.get(loading.flights.len()) {
                let flight = Flight::new(facts.id, self.settings.cabin);
                loading.flights.push(t.spawn_actor(flight));
            } else if loading.customers.len() < loading.customers_wanted as usize {
                let customer = Customer::new(loading.customers.len() as u32);
                loading.customers.push(t.spawn_actor(customer));
            } else {
                return Some(loading);
            }
        }
        self.loading = Some(loading);
        None
    }
}

#[behaviours]
impl Manager {
    /// Replaces the data with new ones: flights from today on, and customers. Sessions and bookings
    /// of the old data end with them; their actors end when their last addresses are dropped.
    pub fn load(&mut self, t: &Turn<Self>, customers: u32) -> Promise<Result<Loaded, Refusal>> {
        if self.loading.is_some() {
            return Promise::ready(Err(Refusal::Loading));
        }
        let today = Moment::of(t.wall()).day();
        let (promise, resolver) = t.promise();
        self.loading = Some(Loading {
            timetable: Arc::new(Timetable::new(today, self.settings.days, || t.random())),
            flights: Vec::new(),
            customers: Vec::new(),
            customers_wanted: customers.min(CUSTOMERS_MAX),
            resolver,
        });
        t.send(t.me().go_on_loading());
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

    fn go_on_loading(&mut self, t: &Turn<Self>) {
        let Some(loading) = self.make_some(t) else {
            t.send(t.me().go_on_loading());
            return;
        };
        let Loading {
            timetable,
            flights,
            customers,
            resolver,
            ..
        } = loading;
        let loaded = Loaded {
            customers: customers.len() as u32,
            flights: flights.len() as u32,
        };
        let directory = Arc::new(Directory::new(timetable, flights, customers));
        self.directory = Some(directory.clone());
        let asked = self
            .desks
            .iter()
            .map(|desk| t.ask(desk.open(directory.clone())));
        let me = t.me();
        let opened = me.opened(loaded, resolver);
        t.all(asked).then_send(opened);
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
