//! A stream into an actor, at a rate: each item is a message, and the stream is polled only while
//! fewer than four are in flight. The actor accepts ten a second, after a burst of five. When its
//! rate limit says "later", it closes a guard until then. The items in flight wait behind the
//! guard, so the stream is not polled: nothing is lost and nothing grows. Look at how far the
//! stream was ever ahead of the actor. Time is virtual. Try another `in_flight`, or another rate.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use futures_util::stream::{self, StreamExt};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Attached, RateLimit, RateLimited, StreamItem};

const ITEMS: u64 = 30;
const IN_FLIGHT: usize = 4;

#[derive(Actor)]
struct Intake {
    limit: RateLimit,
    /// Whether the next item is accepted.
    open: bool,
    taken: u64,
    /// Number of items that the stream has returned.
    given: Arc<AtomicU64>,
    furthest: u64,
    last_at: Duration,
    stream: Option<Attached>,
    done: Option<Resolver<(Duration, u64)>>,
}

#[behaviours]
impl Intake {
    #[start]
    fn new() -> Self {
        Intake {
            limit: RateLimit::new(10, Duration::from_secs(1)).burst(5),
            open: false,
            taken: 0,
            given: Arc::default(),
            furthest: 0,
            last_at: Duration::ZERO,
            stream: None,
            done: None,
        }
    }

    /// Accepts all items; answers with the time of the last one, and how far ahead the stream was.
    fn take_all(&mut self, t: &Turn<Self>) -> Promise<(Duration, u64)> {
        let given = self.given.clone();
        let count = move |_: &u64| {
            given.fetch_add(1, Ordering::Relaxed);
        };
        let items = stream::iter(0..ITEMS).inspect(count);
        self.stream = Some(
            t.attach(items)
                .in_flight(IN_FLIGHT)
                .then_each(t.me().item()),
        );
        let (promise, resolver) = t.promise();
        self.done = Some(resolver);
        self.may_go_on(t);
        promise
    }

    #[then]
    #[when(self.open)]
    fn item(&mut self, t: &Turn<Self>, item: StreamItem<u64>) {
        let ahead = self.given.load(Ordering::Relaxed) - self.taken;
        self.furthest = self.furthest.max(ahead);
        match item {
            StreamItem::Item(_) => {
                self.taken += 1;
                self.last_at = t.now();
                self.may_go_on(t);
            }
            StreamItem::Ended | StreamItem::Failed(_) => {
                if let Some(done) = self.done.take() {
                    done.resolve((self.last_at, self.furthest));
                }
            }
        }
    }

    /// Requests a permit of the limit for the next item. If there is none yet, tries again at the
    /// time that the limit returns.
    fn may_go_on(&mut self, t: &Turn<Self>) {
        let admitted = self.limit.admit(t.now(), 1);
        self.open = admitted.is_ok();
        if let Err(RateLimited::TryAgainAfter(wait)) = admitted {
            t.after(wait, t.me().may_go_on());
        }
    }
}

fn main() -> Result<(), AskError> {
    let simulation = Simulation::new(1);
    let intake = Intake::spawn(simulation.system());
    let (last_at, furthest) = intake.take_all().ask_blocking()?;
    println!("{ITEMS} items: 5 at once and 10 a second, the last one after {last_at:?}");
    println!("the stream was never more than {furthest} ahead");
    assert_eq!(last_at, Duration::from_millis(2_500));
    assert_eq!(furthest, IN_FLIGHT as u64);
    Ok(())
}
