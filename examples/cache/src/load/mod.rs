//! The load generator: requests for pages are due at a constant rate, whatever became of those before.
//!
//! - [`Plan`]: how much, how long, from which seed; [`run`] carries it out.
//! - [`Schedule`]: when requests are due.
//! - [`User`]: asks for pages on a connection of its own, and looks at each that it gets; [`Client`]: that connection.
//! - [`Tally`]: what was met.

mod client;
mod schedule;
mod tally;
mod user;

pub use client::{Answer, Client, NoAnswer};
pub use schedule::Schedule;
pub use tally::{Tally, Unexpected};
pub use user::User;

use crate::page::Pages;
use crate::popularity::Popularity;
use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;
use tokio::task::{JoinSet, LocalSet};

/// How often whoever watches is told how far it is.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// How long requests are due that nobody measures: connections are new, and their code was not run yet.
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

/// Carries a plan out against a server, and calls `progress` with the number of answers now and then.
///
/// # Errors
///
/// A connection cannot be made. What goes wrong later is in the tally.
pub async fn run(
    plan: &Plan,
    popularity: &Rc<Popularity>,
    server: SocketAddr,
    progress: impl Fn(u64) + 'static,
) -> Result<Tally, NoAnswer> {
    let mut clients = Vec::new();
    for _ in 0..plan.connections {
        let mut client = Client::new(server);
        client.connect().await?;
        clients.push(client);
    }
    let tally = Rc::new(RefCell::new(Tally::default()));
    let schedule = Rc::new(Schedule::begin(plan.rate, plan.requests()));
    let users = async {
        let watched = tally.clone();
        let watcher = tokio::task::spawn_local(async move {
            loop {
                tokio::time::sleep(PROGRESS_EVERY).await;
                progress(watched.borrow().answers());
            }
        });
        let mut users = JoinSet::new();
        for (number, client) in (0..).zip(clients) {
            let user = User {
                client,
                schedule: schedule.clone(),
                popularity: popularity.clone(),
                tally: tally.clone(),
                chance: fastrand::Rng::with_seed(plan.seed.wrapping_add(number << 32)),
                pages: plan.pages,
                measured_from: schedule.start() + plan.warm,
            };
            users.spawn_local(user.run());
        }
        users.join_all().await;
        watcher.abort();
        let _ended = watcher.await;
    };
    LocalSet::new().run_until(users).await;
    let mut tally = tally.take();
    tally.took = schedule.start().elapsed().saturating_sub(plan.warm);
    tally.unsent = schedule.unsent();
    Ok(tally)
}
