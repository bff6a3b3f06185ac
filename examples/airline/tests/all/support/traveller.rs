//! Travellers: actors that log in, book, cancel and log out at times of their own, and record the
//! answers.

use airline::airline::Airline;
use airline::audit::Confirmed;
use airline::customer::{Booked, PASSWORD};
use airline::desk::{Order, Refusal};
use airline::id::Id;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use vivant::prelude::*;

/// A traveller's records.
#[derive(Clone, Debug, Default)]
pub(crate) struct Travelled {
    /// The answers.
    pub(crate) confirmed: Confirmed,
    /// How often a flight was full.
    pub(crate) sold_out: u32,
    /// Whether it finished.
    pub(crate) done: bool,
    /// Unexpected answers.
    pub(crate) surprises: Vec<String>,
}

/// What travellers know of their bookings at any time. A test reads it between two turns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Confirmed, and no cancellation was requested.
    pub(crate) standing: BTreeSet<Id>,
    /// With a confirmed cancellation.
    pub(crate) cancelled: BTreeSet<Id>,
}

/// One traveller.
#[derive(Actor)]
pub(crate) struct Traveller {
    airline: Airline,
    user: String,
    trips: Vec<(Id, Option<Id>)>,
    acts_left: u32,
    session: Option<Id>,
    mine: Vec<Id>,
    met: Travelled,
    known: Arc<Mutex<Known>>,
}

impl Traveller {
    /// A traveller that acts a number of times, each time for one of these trips.
    pub(crate) fn new(
        airline: Airline,
        user: String,
        trips: Vec<(Id, Option<Id>)>,
        acts: u32,
    ) -> Self {
        Traveller {
            airline,
            user,
            trips,
            acts_left: acts,
            session: None,
            mine: Vec::new(),
            met: Travelled::default(),
            known: Arc::default(),
        }
    }

    /// With the knowledge of all travellers that share it.
    pub(crate) fn sharing(self, known: &Arc<Mutex<Known>>) -> Self {
        Traveller {
            known: known.clone(),
            ..self
        }
    }

    fn surprised(&mut self, what: impl std::fmt::Debug) {
        self.met.surprises.push(format!("{what:?}"));
        self.met.done = true;
    }

    /// A few whole milliseconds: turns take no virtual time, so travellers compete only when they
    /// act at the same millisecond.
    fn rest(&self, t: &Turn<Self>) {
        t.after(Duration::from_millis(t.random_below(3)), t.me().act());
    }

    fn book(&self, t: &Turn<Self>, session: Id) {
        let (outbound, back) = self.trips[t.random_below(self.trips.len() as u64) as usize];
        let order = Order {
            user: self.user.clone(),
            outbound,
            back,
        };
        let desk = self.airline.desk_of(session);
        t.ask(desk.book(session, order)).then_send(t.me().booked());
    }

    fn cancel(&mut self, t: &Turn<Self>, session: Id) {
        let booking = (self.mine).swap_remove(t.random_below(self.mine.len() as u64) as usize);
        self.known.lock().unwrap().standing.remove(&booking);
        let desk = self.airline.desk_of(session);
        let cancel = t.ask(desk.cancel(session, self.user.clone(), booking));
        cancel.then_send(t.me().cancelled(booking));
    }
}

#[behaviours]
impl Traveller {
    /// Begins.
    pub(crate) fn begin(&mut self, t: &Turn<Self>) {
        let desk = self.airline.desk_for(&self.user);
        let secret = Id::drawn(|| t.random());
        let login = t.ask(desk.log_in(self.user.clone(), PASSWORD.to_owned(), secret));
        login.then_send(t.me().logged_in());
    }

    #[then]
    fn logged_in(&mut self, t: &Turn<Self>, session: Result<Result<Id, Refusal>, AskError>) {
        match session {
            Ok(Ok(session)) => {
                self.session = Some(session);
                self.rest(t);
            }
            other => self.surprised(other),
        }
    }

    fn act(&mut self, t: &Turn<Self>) {
        let Some(session) = self.session else { return };
        if self.acts_left == 0 {
            t.send(self.airline.desk_of(session).log_out(session));
            self.met.done = true;
            return;
        }
        self.acts_left -= 1;
        if !self.mine.is_empty() && t.random_below(3) == 0 {
            self.cancel(t, session);
        } else {
            self.book(t, session);
        }
    }

    #[then]
    fn booked(&mut self, t: &Turn<Self>, booked: Result<Result<Booked, Refusal>, AskError>) {
        match booked {
            Ok(Ok(booked)) => {
                for id in [Some(booked.outbound), booked.back].into_iter().flatten() {
                    self.mine.push(id);
                    self.known.lock().unwrap().standing.insert(id);
                    self.met.confirmed.booked.push(id);
                }
            }
            Ok(Err(Refusal::SoldOut(_))) => self.met.sold_out += 1,
            other => return self.surprised(other),
        }
        self.rest(t);
    }

    #[then]
    fn cancelled(
        &mut self,
        t: &Turn<Self>,
        done: Result<Result<(), Refusal>, AskError>,
        booking: Id,
    ) {
        match done {
            Ok(Ok(())) => {
                self.met.confirmed.cancelled.push(booking);
                self.known.lock().unwrap().cancelled.insert(booking);
            }
            other => return self.surprised(other),
        }
        self.rest(t);
    }

    /// The records.
    pub(crate) fn tell(&mut self) -> Travelled {
        self.met.clone()
    }
}
