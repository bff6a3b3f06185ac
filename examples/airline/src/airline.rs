//! The airline as seen from outside: the addresses that a server or a test needs.

use crate::audit::{Audit, Confirmed, Finding, Ledgers};
use crate::customer::Customer;
use crate::desk::Desk;
use crate::flight::Flight;
use crate::id::Id;
use crate::manager::{Manager, Settings};
use std::sync::Arc;
use std::time::Duration;
use vivant::RestoredActors;
use vivant::prelude::*;

/// Limit of the flights or customers that an audit asks at once.
const ASKED_AT_ONCE_MAX: usize = 1000;
/// Limit of the time in which each of them must answer.
const AUDIT_LIMIT: Duration = Duration::from_secs(10);

/// All actors of an airline, for [`SystemBuilder::saved`](vivant::SystemBuilder::saved).
pub type SavedTypes = (Manager, Desk, Flight, Customer);

/// An airline: its manager and its desks. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Airline {
    manager: Address<Manager>,
    desks: Arc<[Address<Desk>]>,
}

impl Airline {
    /// Opens an airline without data; [`Manager::load`] brings them.
    ///
    /// # Panics
    ///
    /// If it is to have no desk.
    pub fn open(place: &impl Spawner, settings: Settings) -> Airline {
        let desks: Vec<_> = (0..settings.desks)
            .map(|number| place.spawn_state(Desk::new(number)))
            .collect();
        let manager = place.spawn_state(Manager::new(settings, desks.clone()));
        Airline::of(manager, desks)
    }

    /// The airline of this manager and its desks, by number: those of a restored system. There
    /// [`Manager::reopen`] comes before the first request.
    ///
    /// # Panics
    ///
    /// If there is no desk.
    pub fn of(manager: Address<Manager>, desks: Vec<Address<Desk>>) -> Airline {
        assert!(!desks.is_empty(), "an airline has a desk");
        Airline {
            manager,
            desks: desks.into(),
        }
    }

    /// The airline of a restored system. [`Manager::reopen`] comes before the first request.
    /// `None`: the image had no manager or no desk.
    pub fn restored(actors: &RestoredActors) -> Option<Airline> {
        let manager = actors.actors().next()?;
        // In the order in which they were made, which is that of their numbers.
        let desks: Vec<_> = actors.actors().collect();
        (!desks.is_empty()).then(|| Airline::of(manager, desks))
    }

    /// The manager.
    pub fn manager(&self) -> &Address<Manager> {
        &self.manager
    }

    /// The desk that keeps this session.
    pub fn desk_of(&self, session: Id) -> &Address<Desk> {
        &self.desks[usize::from(session.tail()) % self.desks.len()]
    }

    /// The desk at which this customer logs in.
    pub fn desk_for(&self, user: &str) -> &Address<Desk> {
        // FNV-1a: the same desk in every run.
        let hash = user.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        &self.desks[(hash % self.desks.len() as u64) as usize]
    }

    /// Audits all flights and customers.
    pub async fn audit(&self, confirmed: Option<Confirmed>) -> Audit {
        match self.ledgers().await {
            Ok(ledgers) => ledgers.audit(confirmed.as_ref()),
            Err(error) => Audit {
                findings: vec![Finding::Silent {
                    error: error.to_string(),
                }],
                ..Audit::default()
            },
        }
    }

    /// All bookings of an airline that gets no requests, as if all had been confirmed: what
    /// customers know of a restored airline, and what they find in it.
    ///
    /// Trips that were in progress are over then. A first look at all actors lets each of them
    /// process what waits for it, so all requests to flights are on their way; a second look finds
    /// their answers processed.
    ///
    /// # Errors
    ///
    /// An actor did not answer.
    pub async fn settled(&self) -> Result<Confirmed, AskError> {
        self.ledgers().await?;
        let customers = self.ledgers().await?.customers;
        let bookings = customers.iter().flat_map(|it| &it.bookings);
        Ok(Confirmed {
            booked: bookings.map(|(booking, _)| *booking).collect(),
            cancelled: Vec::new(),
        })
    }

    /// Requests the records of all flights and customers.
    async fn ledgers(&self) -> Result<Ledgers, AskError> {
        let mut ledgers = Ledgers::default();
        let Some(directory) = self.manager.directory().ask().within(AUDIT_LIMIT).await? else {
            return Ok(ledgers);
        };
        for flights in directory.flights().chunks(ASKED_AT_ONCE_MAX) {
            let asked: Vec<_> = flights
                .iter()
                .map(|it| it.ledger().ask().within(AUDIT_LIMIT))
                .collect();
            for ledger in asked {
                ledgers.flights.push(ledger.await?);
            }
        }
        for customers in directory.customers().chunks(ASKED_AT_ONCE_MAX) {
            let asked: Vec<_> = customers
                .iter()
                .map(|it| it.ledger().ask().within(AUDIT_LIMIT))
                .collect();
            for ledger in asked {
                ledgers.customers.push(ledger.await?);
            }
        }
        Ok(ledgers)
    }
}
