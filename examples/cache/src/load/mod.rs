//! The load generator: requests for pages are due at a constant rate, independent of earlier
//! requests.
//!
//! - [`Plan`]: rate, duration, seed; [`run`] runs it.
//! - [`User`]: requests pages on a connection of its own, and checks each page.
//! - [`Tally`]: the results.

mod tally;
mod user;

pub use tally::{Tally, Unexpected};
pub use user::{User, found};

use crate::page::Pages;
use crate::popularity::Popularity;
use example_load::Load;
use std::error::Error;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Duration of requests before the measured ones: connections are new, and their code has not
    /// run yet.
    pub warm: Duration,
    /// Duration of the measured requests.
    pub duration: Duration,
    /// Requests that are due in a second.
    pub rate: f64,
    /// Number of users; each has a connection.
    pub connections: u32,
    /// The seed of the requested titles. It does not determine when answers come.
    pub seed: u64,
    /// The pages.
    pub pages: Pages,
}

impl Plan {
    /// The number of requests that will be due.
    #[must_use]
    pub fn requests(&self) -> u64 {
        (self.rate * (self.warm + self.duration).as_secs_f64()).round() as u64
    }
}

/// Runs a plan against a server, on this thread; `title` is the label of the progress bar.
///
/// # Errors
///
/// A connection cannot be made. Later errors are in the tally.
pub fn run(
    plan: &Plan,
    popularity: &Rc<Popularity>,
    server: SocketAddr,
    title: &str,
) -> Result<Tally, Box<dyn Error>> {
    let load = Load {
        rate: plan.rate,
        requests: plan.requests(),
        connections: plan.connections,
        seed: plan.seed,
    };
    let (mut tally, sent) = load.run(server, title, Tally::answers, |it, tally| {
        let user = User {
            popularity: popularity.clone(),
            tally,
            pages: plan.pages,
            measured_from: it.schedule.start() + plan.warm,
            it,
        };
        user.run()
    })?;
    tally.took = sent.took.saturating_sub(plan.warm);
    tally.unsent = sent.unsent;
    Ok(tally)
}
