//! The load generator: virtual users who send Acme Air's mix of requests at a constant rate.
//!
//! - [`Plan`]: how much, how long, from which seed; [`run`] carries it out.
//! - [`Schedule`]: when requests are due.
//! - [`User`]: one user's loop; [`Mix`]: what users look for; [`Kind`]: the requests there are.
//! - [`Client`]: a connection.
//! - [`Tally`]: what was met.
//!
//! The loop is that of the original's JMeter plan: log in; in a quarter of the loops read the profile and write it back
//! changed; look for flights five times; book if the last look found a flight out; list bookings; in one loop of a
//! hundred cancel all but two; log out.

mod client;
mod kind;
mod mix;
mod schedule;
mod tally;
mod user;

pub use client::{Answer, Ask, Client, NoAnswer, encoded};
pub use kind::Kind;
pub use mix::{Mix, Question};
pub use schedule::Schedule;
pub use tally::{KindTally, SLOW_MS, Tally};
pub use user::User;

use crate::data::Day;
use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::task::{JoinSet, LocalSet};

/// How often whoever watches is told how far it is.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// How long requests are due.
    pub duration: Duration,
    /// How many are due in a second.
    pub rate: f64,
    /// How many users there are; each has a connection.
    pub connections: u32,
    /// The seed of what users do. When answers come it does not say.
    pub seed: u64,
    /// How many customers the airline has.
    pub customers: u32,
    /// The first day of its timetable.
    pub today: Day,
}

impl Plan {
    /// How many requests will be due.
    pub fn requests(&self) -> u64 {
        (self.rate * self.duration.as_secs_f64()).round() as u64
    }
}

/// Carries a plan out against a server, and calls `progress` with the number of answers now and then.
///
/// # Errors
///
/// A connection cannot be made. What goes wrong later is in the tally.
pub async fn run(
    plan: &Plan,
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
    let mix = Rc::new(Mix::new(plan.today));
    let start = Instant::now();
    let schedule = Rc::new(Schedule::begin(plan.rate, plan.duration));
    let users = async {
        let watched = tally.clone();
        let watcher = tokio::task::spawn_local(async move {
            loop {
                tokio::time::sleep(PROGRESS_EVERY).await;
                progress(watched.borrow().count());
            }
        });
        let mut users = JoinSet::new();
        for (number, client) in (0..).zip(clients) {
            let user = User {
                client,
                schedule: schedule.clone(),
                mix: mix.clone(),
                tally: tally.clone(),
                chance: fastrand::Rng::with_seed(plan.seed.wrapping_add(u64::from(number) << 32)),
                number,
                users: plan.connections,
                customers: plan.customers,
            };
            users.spawn_local(user.run());
        }
        users.join_all().await;
        watcher.abort();
        let _ended = watcher.await;
    };
    LocalSet::new().run_until(users).await;
    let mut tally = tally.take();
    tally.took = start.elapsed();
    tally.unsent = schedule.unsent();
    Ok(tally)
}
