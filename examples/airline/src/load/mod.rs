//! The load generator: virtual users send Acme Air's mix of requests at a constant rate.
//!
//! - [`Plan`]: rate, duration, seed; [`run`] runs it.
//! - [`User`]: one user's loop; [`Mix`]: users' choices; [`Kind`]: the kinds of requests.
//! - [`Tally`]: the results.
//!
//! The loop is that of the original's JMeter plan: log in; in a quarter of the loops read the
//! profile and write it back changed; query flights five times; book if the last query found a
//! flight out; list bookings; in a quarter of the loops, drawn by itself, cancel all but two; log
//! out.

mod kind;
mod mix;
mod tally;
mod user;

pub use kind::Kind;
pub use mix::{Mix, Question, Visit};
pub use tally::{SLOW_MS, Tally};
pub use user::User;

use crate::data::Day;
use example_load::Load;
use std::error::Error;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Duration of the load.
    pub duration: Duration,
    /// Rate, per second.
    pub rate: f64,
    /// The number of users; each has a connection.
    pub connections: u32,
    /// The seed of the users' choices. It does not determine when answers come.
    pub seed: u64,
    /// The number of the airline's customers.
    pub customers: u32,
    /// The first day of its timetable.
    pub today: Day,
}

impl Plan {
    /// The number of requests that will be due.
    pub fn requests(&self) -> u64 {
        (self.rate * self.duration.as_secs_f64()).round() as u64
    }
}

/// Carries a plan out against a server, on this thread.
///
/// # Errors
///
/// A connection cannot be made. What goes wrong later is in the tally.
pub fn run(plan: &Plan, server: SocketAddr) -> Result<Tally, Box<dyn Error>> {
    let load = Load {
        rate: plan.rate,
        requests: plan.requests(),
        connections: plan.connections,
        seed: plan.seed,
    };
    let mix = Rc::new(Mix::new(plan.today));
    let (mut tally, sent) = load.run(server, "", Tally::count, |it, tally| {
        let user = User {
            it,
            mix: mix.clone(),
            tally,
            users: plan.connections,
            customers: plan.customers,
        };
        user.run()
    })?;
    (tally.took, tally.unsent) = (sent.took, sent.unsent);
    Ok(tally)
}
