//! Desks: the actors that get the requests. There are a few of them. A session's id determines its
//! desk.
//!
//! - [`Desk`]: the actor.
//! - [`Sessions`]: the customers that are logged in.
//! - [`Query`], [`Options`], [`Order`]: trips.
//! - [`Refusal`]: why a request is refused.
//!
//! A desk authenticates the request and leaves the work to a customer or to flights: the answer
//! goes from them directly to the sender of the request ([`Turn::delegate`]).

mod refusal;
mod sessions;
mod trip;

pub use refusal::Refusal;
pub use sessions::{SESSION_TIME, Sessions};
pub use trip::{Offer, Options, Order, Query};

use crate::customer::{Booked, BookingLine, Customer, Profile, ProfileUpdate};
use crate::data::{FlightFacts, Moment};
use crate::directory::Directory;
use crate::flight::Availability;
use crate::id::Id;
use crate::manager::Manager;
use std::sync::Arc;
use vivant::prelude::*;

/// One desk.
#[derive(Actor, Debug)]
#[actor(saved, id = "airline::Desk")]
pub struct Desk {
    number: u16,
    /// Shared with the manager, which saves it. After a restore the manager opens the desk again:
    /// see [`Manager::reopen`].
    #[saved(skip)]
    directory: Option<Arc<Directory>>,
    /// The number of the load of which the sessions are. 0: nothing is loaded yet.
    load: u64,
    manager: Option<Address<Manager>>,
    sessions: Sessions,
}

impl Desk {
    /// A desk without sessions.
    pub fn new(number: u16) -> Desk {
        Desk {
            number,
            directory: None,
            load: 0,
            manager: None,
            sessions: Sessions::default(),
        }
    }

    fn directory(&self) -> Result<&Arc<Directory>, Refusal> {
        self.directory.as_ref().ok_or(Refusal::NotLoaded)
    }

    /// The customer `user`, if this is his or her session.
    fn own(
        &mut self,
        t: &Turn<Self>,
        session: Id,
        user: &str,
    ) -> Result<Address<Customer>, Refusal> {
        let who = self.sessions.customer(session, t.now());
        let directory = self.directory()?;
        let who = who.ok_or(Refusal::NoSession)?;
        match directory.number_of(user) {
            Some(number) if number == who => directory.customer(number).cloned(),
            Some(_) => Err(Refusal::NotYours),
            None => Err(Refusal::NoSuchCustomer(user.to_owned())),
        }
    }
}

/// The work, or the refusal as an answer.
fn promised<T: Send + 'static>(
    work: Result<Promise<Result<T, Refusal>>, Refusal>,
) -> Promise<Result<T, Refusal>> {
    work.unwrap_or_else(|refusal| Promise::ready(Err(refusal)))
}

#[behaviours(id = "airline::Desk")]
impl Desk {
    /// Takes a new directory. Sessions of the old one end, unless it has the same customers.
    pub fn open(&mut self, directory: Arc<Directory>, manager: Address<Manager>) {
        if self.load != directory.load() {
            self.sessions.clear();
        }
        self.load = directory.load();
        self.directory = Some(directory);
        self.manager = Some(manager);
    }

    /// Begins a session. Its id is `secret` with the desk's number at the end: the caller draws it,
    /// because the random numbers of a turn are for decisions that a seed repeats, not for secrets.
    pub fn log_in(
        &mut self,
        t: &Turn<Self>,
        user: String,
        password: String,
        secret: Id,
    ) -> Promise<Result<Id, Refusal>> {
        promised((|| {
            let directory = self.directory()?;
            let number = directory.number_of(&user).ok_or(Refusal::WrongLogin)?;
            let check = t.ask(directory.customer(number)?.knows(password));
            Ok(check.then(t.me().logged_in(number, directory.load(), secret)))
        })())
    }

    #[then]
    fn logged_in(
        &mut self,
        t: &Turn<Self>,
        known: Result<bool, AskError>,
        customer: u32,
        load: u64,
        secret: Id,
    ) -> Result<Id, Refusal> {
        if !known.map_err(|error| Refusal::from(&error))? {
            return Err(Refusal::WrongLogin);
        }
        // Other data may have been loaded meanwhile, and their customers are others.
        if self.load != load {
            return Err(Refusal::Loading);
        }
        let session = secret.with_tail(self.number);
        self.sessions.open(session, customer, t.now());
        Ok(session)
    }

    /// Ends a session, if there is one.
    pub fn log_out(&mut self, session: Id) {
        self.sessions.close(session);
    }

    /// What can be flown: flights that have not left. The first query of a day makes the manager
    /// add a day to the timetable.
    pub fn query(
        &mut self,
        t: &Turn<Self>,
        session: Id,
        query: Query,
    ) -> Promise<Result<Options, Refusal>> {
        promised((|| {
            let who = self.sessions.customer(session, t.now());
            let directory = self.directory()?;
            who.ok_or(Refusal::NoSession)?;
            let timetable = directory.timetable();
            let now = Moment::of(t.wall());
            if let Some(manager) = &self.manager
                && now.day() > timetable.first_day()
            {
                t.send(manager.roll());
            }
            let leg = |from: &str, to: &str, day| {
                let number = timetable.on(from, to, day)?;
                (timetable.flights()[number].departure > now).then_some(number)
            };
            let mut legs = vec![leg(&query.from, &query.to, query.day)];
            if let Some(day) = query.back {
                legs.push(leg(&query.to, &query.from, day));
            }
            let flights = legs.iter().flatten();
            let seats = flights.map(|number| t.ask(directory.flights()[*number].availability()));
            let seats = t.all(seats);
            let facts = |number: Option<usize>| number.map(|it| timetable.flights()[it]);
            let legs = legs.into_iter().map(facts).collect();
            Ok(seats.then(t.me().counted(legs)))
        })())
    }

    #[then]
    fn counted(
        &mut self,
        seats: Result<Vec<Availability>, AskError>,
        legs: Vec<Option<FlightFacts>>,
    ) -> Result<Options, Refusal> {
        let mut seats = seats.map_err(|error| Refusal::from(&error))?.into_iter();
        let offers = |flight: Option<FlightFacts>| {
            let offer = flight.and_then(|flight| seats.next().map(|seats| Offer { flight, seats }));
            offer.into_iter().collect()
        };
        Ok(Options {
            legs: legs.into_iter().map(offers).collect(),
        })
    }

    /// Books a trip.
    pub fn book(
        &mut self,
        t: &Turn<Self>,
        session: Id,
        order: Order,
    ) -> Promise<Result<Booked, Refusal>> {
        promised((|| {
            let customer = self.own(t, session, &order.user)?;
            let directory = self.directory()?;
            let outbound = directory.leg(order.outbound)?;
            let back = order.back.map(|id| directory.leg(id)).transpose()?;
            Ok(t.delegate(customer.book(outbound, back)))
        })())
    }

    /// Cancels a booking.
    pub fn cancel(
        &mut self,
        t: &Turn<Self>,
        session: Id,
        user: String,
        booking: Id,
    ) -> Promise<Result<(), Refusal>> {
        let customer = self.own(t, session, &user);
        promised(customer.map(|customer| t.delegate(customer.cancel(booking))))
    }

    /// A customer's bookings.
    pub fn bookings(
        &mut self,
        t: &Turn<Self>,
        session: Id,
        user: String,
    ) -> Promise<Result<Vec<BookingLine>, Refusal>> {
        let customer = self.own(t, session, &user);
        promised(customer.map(|customer| t.delegate(customer.bookings())))
    }

    /// A customer's data.
    pub fn profile(
        &mut self,
        t: &Turn<Self>,
        session: Id,
        user: String,
    ) -> Promise<Result<Profile, Refusal>> {
        let customer = self.own(t, session, &user);
        promised(customer.map(|customer| t.delegate(customer.profile())))
    }

    /// Changes a customer's data.
    pub fn update(
        &mut self,
        t: &Turn<Self>,
        session: Id,
        user: String,
        update: ProfileUpdate,
    ) -> Promise<Result<Profile, Refusal>> {
        let customer = self.own(t, session, &user);
        promised(customer.map(|customer| t.delegate(customer.update(update))))
    }

    /// The number of its sessions.
    pub fn sessions(&mut self, t: &Turn<Self>) -> u64 {
        self.sessions.count(t.now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manager::Settings;
    use std::time::Duration;
    use vivant::codec::{from_bytes, to_bytes};
    use vivant::simulation::Simulation;

    #[test]
    fn a_saved_desk_keeps_its_sessions_for_the_customers_of_their_load() {
        let simulation = Simulation::new(1);
        let system = simulation.system();
        let session = Id::drawn(|| 7).with_tail(0);
        let mut before = Desk::new(0);
        before.load = 1;
        before.sessions.open(session, 0, Duration::ZERO);

        let after: Desk = from_bytes(&to_bytes(&before).unwrap()).unwrap();
        assert_eq!((after.number, after.load), (0, 1));
        assert_eq!(after.sessions, before.sessions);

        let desk = system.spawn_state(after);
        let bookings = || {
            let bookings = desk.bookings(session, crate::customer::user_name(0));
            bookings.ask_blocking().unwrap()
        };
        assert_eq!(bookings(), Err(Refusal::NotLoaded));
        let manager = system.spawn_state(Manager::new(Settings::default(), vec![desk.clone()]));
        assert!(manager.load(1).ask_blocking().unwrap().is_ok());
        assert_eq!(bookings(), Ok(Vec::new()));
        assert!(manager.load(1).ask_blocking().unwrap().is_ok());
        assert_eq!(bookings(), Err(Refusal::NoSession));
    }
}
