//! The auditor: requests the records of every flight and every customer.

use super::{Audit, Finding, Ledgers, Told};
use crate::customer::CustomerLedger;
use crate::directory::Directory;
use crate::flight::FlightLedger;
use std::sync::Arc;
use vivant::prelude::*;

/// Limit of the requests at once: their answers fill the auditor's mailbox.
const ASKED_AT_ONCE_MAX: usize = 1000;

/// An auditor. It stops after its audit.
#[derive(Actor, Debug)]
pub struct Auditor {
    directory: Arc<Directory>,
    ledgers: Ledgers,
}

impl Auditor {
    /// An auditor of all flights and customers in the directory.
    pub fn new(directory: Arc<Directory>) -> Auditor {
        Auditor {
            directory,
            ledgers: Ledgers::default(),
        }
    }

    /// Sends requests to the next flights, then to the next customers; when all have answered,
    /// compares.
    fn go_on(&mut self, t: &Turn<Self>, told: Option<Told>) -> Promise<Audit> {
        let asked = self.ledgers.flights.len();
        let flights = self.directory.flights()[asked..].iter();
        if flights.len() > 0 {
            let flights = flights.take(ASKED_AT_ONCE_MAX);
            return t
                .all(flights.map(|flight| t.ask(flight.ledger())))
                .then(t.me().flights_told(told));
        }
        let asked = self.ledgers.customers.len();
        let customers = self.directory.customers()[asked..].iter();
        if customers.len() > 0 {
            let customers = customers.take(ASKED_AT_ONCE_MAX);
            return t
                .all(customers.map(|customer| t.ask(customer.ledger())))
                .then(t.me().customers_told(told));
        }
        t.stop();
        Promise::ready(self.ledgers.audit(told.as_ref()))
    }
}

/// An audit that could not be made.
fn silent(t: &Turn<Auditor>, error: &AskError) -> Promise<Audit> {
    t.stop();
    let error = error.to_string();
    Promise::ready(Audit {
        findings: vec![Finding::Silent { error }],
        ..Audit::default()
    })
}

#[behaviours]
impl Auditor {
    /// Audits all flights and customers. No booking should be in progress: it may be found as a
    /// seat without a booking.
    pub fn audit(&mut self, t: &Turn<Self>, told: Option<Told>) -> Promise<Audit> {
        self.go_on(t, told)
    }

    #[then]
    fn flights_told(
        &mut self,
        t: &Turn<Self>,
        ledgers: Result<Vec<FlightLedger>, AskError>,
        told: Option<Told>,
    ) -> Promise<Audit> {
        match ledgers {
            Ok(ledgers) => self.ledgers.flights.extend(ledgers),
            Err(error) => return silent(t, &error),
        }
        self.go_on(t, told)
    }

    #[then]
    fn customers_told(
        &mut self,
        t: &Turn<Self>,
        ledgers: Result<Vec<CustomerLedger>, AskError>,
        told: Option<Told>,
    ) -> Promise<Audit> {
        match ledgers {
            Ok(ledgers) => self.ledgers.customers.extend(ledgers),
            Err(error) => return silent(t, &error),
        }
        self.go_on(t, told)
    }
}
