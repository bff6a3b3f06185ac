//! The load generator: requests for pages are due at a constant rate, whatever became of those
//! before.
//!
//! - [`Plan`]: how much, how long, from which seed; [`run`] carries it out.
//! - [`User`]: asks for pages on a connection of its own, and looks at each that it gets.
//! - [`Tally`]: what was met.

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

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// How long requests are due that nobody measures: connections are new, and their code was not
    /// run yet.
    pub warm: Duration,
    /// How long requests are due after that.
    pub duration: Duration,
    /// How many are due in a second.
    pub rate: f64,
    /// How many users there are; each has a connection.
    pub connections: u32,
    /// The seed of what users ask for. When answers come it does not say.
    pub seed: u64,
    /// What pages look like.
    pub pages: Pages,
}

impl Plan {
    /// How many requests will be due.
    #[must_use]
    pub fn requests(&self) -> u64 {
        (self.rate * (self.warm + self.duration).as_secs_f64()).round() as u64
    }
}

/// Carries a plan out against a server, on this thread; `title` stands before the progress bar.
///
/// # Errors
///
/// A connection cannot be made. What goes wrong later is in the tally.
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
