//! Users: they send the requests of a schedule, each over a connection of its own.

use crate::command::bar;
use crate::{Client, Schedule};
use fastrand::Rng;
use std::cell::RefCell;
use std::error::Error;
use std::future::Future;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;
use tokio::runtime;
use tokio::task::{JoinSet, LocalSet};

/// How often the progress bar is drawn.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// Requests at a constant rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Requests a second.
    pub rate: f64,
    /// Requests in all.
    pub requests: u64,
    /// Users.
    pub connections: u32,
    /// The seed of what users do.
    pub seed: u64,
}

/// What every user has.
#[derive(Debug)]
pub struct User {
    /// Users are numbered from 0.
    pub number: u32,
    /// Its connection, which has been made.
    pub client: Client,
    /// When its requests are due.
    pub schedule: Rc<Schedule>,
    /// Its random numbers: the seed and the user's number determine them.
    pub chance: Rng,
}

/// What became of a load.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// Requests that were given up.
    pub unsent: u64,
    /// From the first request's due time to the last answer.
    pub took: Duration,
}

impl Load {
    /// Runs users on this thread until no request is due, and returns the tally that they share.
    /// The bar on standard error shows `title` and the answers in the tally.
    ///
    /// # Errors
    ///
    /// A connection cannot be made. Later failures are for users to note.
    pub fn run<T: Default + 'static, F: Future<Output = ()> + 'static>(
        &self,
        server: SocketAddr,
        title: &str,
        answers: fn(&T) -> u64,
        user: impl Fn(User, Rc<RefCell<T>>) -> F,
    ) -> Result<(T, Sent), Box<dyn Error>> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let bar = bar(self.requests, title, "requests")?;
        let shown = bar.clone();
        let tally = Rc::new(RefCell::new(T::default()));
        let watched = tally.clone();
        let sent = LocalSet::new().block_on(&runtime, async {
            let mut clients = Vec::new();
            for _ in 0..self.connections {
                let mut client = Client::new(server);
                client.connect().await?;
                clients.push(client);
            }
            let schedule = Rc::new(Schedule::begin(self.rate, self.requests));
            let watcher = tokio::task::spawn_local(async move {
                loop {
                    tokio::time::sleep(PROGRESS_EVERY).await;
                    shown.set_position(answers(&watched.borrow()));
                }
            });
            let mut users = JoinSet::new();
            for (number, client) in (0..).zip(clients) {
                let seed = self.seed.wrapping_add(u64::from(number) << 32);
                let one = User {
                    number,
                    client,
                    schedule: schedule.clone(),
                    chance: Rng::with_seed(seed),
                };
                users.spawn_local(user(one, tally.clone()));
            }
            users.join_all().await;
            watcher.abort();
            Ok::<_, std::io::Error>(Sent {
                unsent: schedule.unsent(),
                took: schedule.start().elapsed(),
            })
        })?;
        bar.finish_and_clear();
        Ok((tally.take(), sent))
    }
}
