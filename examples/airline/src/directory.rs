//! The directory: the actor of each flight and each customer. The loader makes it; it is immutable
//! after that.

use crate::customer::{Customer, Leg, customer_number};
use crate::data::Timetable;
use crate::desk::Refusal;
use crate::flight::Flight;
use crate::id::Id;
use crate::manager::Loaded;
use std::sync::Arc;
use vivant::Saved;
use vivant::prelude::*;

/// Addresses by name. Immutable, so that every desk can share it.
#[derive(Saved, Debug)]
pub struct Directory {
    load: u64,
    timetable: Arc<Timetable>,
    flights: Vec<Address<Flight>>,
    customers: Arc<[Address<Customer>]>,
}

impl Directory {
    /// A directory of one actor for each flight of the timetable, in its order, and of customers in
    /// theirs, which the load with the number `load` made.
    ///
    /// # Panics
    ///
    /// If a flight has no actor.
    pub fn new(
        load: u64,
        timetable: Arc<Timetable>,
        flights: Vec<Address<Flight>>,
        customers: Arc<[Address<Customer>]>,
    ) -> Directory {
        assert_eq!(timetable.flights().len(), flights.len());
        Directory {
            load,
            timetable,
            flights,
            customers,
        }
    }

    /// The number of the load that made its customers. Two directories with the same number have
    /// the same customers: one is the other with later flights.
    pub fn load(&self) -> u64 {
        self.load
    }

    /// The flights' facts.
    pub fn timetable(&self) -> &Arc<Timetable> {
        &self.timetable
    }

    /// All flights, by number.
    pub fn flights(&self) -> &[Address<Flight>] {
        &self.flights
    }

    /// All customers, by number.
    pub fn customers(&self) -> &Arc<[Address<Customer>]> {
        &self.customers
    }

    /// The numbers of its actors.
    pub fn loaded(&self) -> Loaded {
        Loaded {
            customers: self.customers.len() as u32,
            flights: self.flights.len() as u32,
        }
    }

    /// The customer with this number.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn customer(&self, number: u32) -> Result<&Address<Customer>, Refusal> {
        let unknown = || Refusal::NoSuchCustomer(crate::customer::user_name(number));
        self.customers.get(number as usize).ok_or_else(unknown)
    }

    /// The number of the customer with this name.
    pub fn number_of(&self, user: &str) -> Option<u32> {
        customer_number(user).filter(|number| (*number as usize) < self.customers.len())
    }

    /// The flight with this id.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn leg(&self, id: Id) -> Result<Leg, Refusal> {
        let number = (self.timetable.by_id(id)).ok_or(Refusal::NoSuchFlight(id))?;
        Ok(Leg {
            facts: self.timetable.flights()[number],
            flight: self.flights[number].clone(),
        })
    }
}
