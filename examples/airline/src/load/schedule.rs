//! The schedule: when requests are due, whatever became of those before.
//!
//! Load is open: requests are due at a constant rate, and a latency counts from the moment at which the request was due,
//! not from the one at which it could be sent. If the airline holds up every connection, the requests that were due
//! meanwhile have waited, and the figures say so (they are free of coordinated omission).

use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How long after the last request is due those that wait for a connection are given up.
const GRACE: Duration = Duration::from_secs(10);

/// Requests that will be due. Users who have nothing to do queue here; the one that has waited longest is next.
#[derive(Debug)]
pub struct Schedule {
    due: Mutex<UnboundedReceiver<Instant>>,
    given_up_at: Instant,
    unsent: Cell<u64>,
}

impl Schedule {
    /// Begins now. `rate` is in requests a second.
    pub fn begin(rate: f64, duration: Duration) -> Schedule {
        let (sender, receiver) = unbounded_channel();
        let start = Instant::now();
        let count = (rate * duration.as_secs_f64()).round() as u64;
        // A thread of its own: it wakes within some 60 microseconds, and tokio's timers only within a millisecond.
        thread::spawn(move || pace(&sender, start, rate, count));
        Schedule {
            due: Mutex::new(receiver),
            given_up_at: start + duration + GRACE,
            unsent: Cell::new(0),
        }
    }

    /// Waits until a request is due, and says when it was. `None` when there will be none.
    pub async fn next(&self) -> Option<Instant> {
        loop {
            let due = self.due.lock().await.recv().await?;
            if Instant::now() < self.given_up_at {
                return Some(due);
            }
            self.unsent.set(self.unsent.get() + 1);
        }
    }

    /// How many requests were given up.
    pub fn unsent(&self) -> u64 {
        self.unsent.get()
    }
}

fn pace(sender: &UnboundedSender<Instant>, start: Instant, rate: f64, count: u64) {
    for number in 0..count {
        let due = start + Duration::from_secs_f64(number as f64 / rate);
        let wait = due.saturating_duration_since(Instant::now());
        if !wait.is_zero() {
            thread::sleep(wait);
        }
        if sender.send(due).is_err() {
            // Nobody is left to send it.
            return;
        }
    }
}
