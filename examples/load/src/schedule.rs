//! The schedule: the due times of requests, independent of earlier requests.
//!
//! The load is open: requests are due at a constant rate, and a latency counts from the time at
//! which the request was due, not from the time at which it was sent. If the server delays every
//! connection, the requests that were due meanwhile have waited, and the latencies include this
//! wait (they are free of coordinated omission).

use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Requests that still wait for a connection this long after the last one was due are dropped.
const GRACE: Duration = Duration::from_secs(10);

/// The requests that will be due. Idle users queue here; the longest waiting user is next.
#[derive(Debug)]
pub struct Schedule {
    due: Mutex<UnboundedReceiver<Instant>>,
    start: Instant,
    given_up_at: Instant,
    unsent: Cell<u64>,
}

impl Schedule {
    /// Begins now. `rate` is in requests a second, `count` is the number of requests.
    #[must_use]
    pub fn begin(rate: f64, count: u64) -> Schedule {
        let (sender, receiver) = unbounded_channel();
        let start = Instant::now();
        let duration = Duration::from_secs_f64(count as f64 / rate);
        // A thread wakes within some 60 microseconds; tokio's timers wake within a millisecond.
        thread::spawn(move || pace(&sender, start, rate, count));
        Schedule {
            due: Mutex::new(receiver),
            start,
            given_up_at: start + duration + GRACE,
            unsent: Cell::new(0),
        }
    }

    /// Waits until a request is due, and returns when it was. `None` after the last request.
    pub async fn next(&self) -> Option<Instant> {
        loop {
            let due = self.due.lock().await.recv().await?;
            if Instant::now() < self.given_up_at {
                return Some(due);
            }
            self.unsent.set(self.unsent.get() + 1);
        }
    }

    /// Returns when the first request was due.
    #[must_use]
    pub fn start(&self) -> Instant {
        self.start
    }

    /// Returns the number of dropped requests.
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
            // The schedule was dropped.
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request that is taken late was due at its own time: a latency counts from then.
    #[test]
    fn requests_are_due_whatever_became_of_those_before() {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let schedule = Schedule::begin(1000.0, 4);
        let dues = runtime.unwrap().block_on(async {
            let mut dues = Vec::new();
            while let Some(due) = schedule.next().await {
                thread::sleep(Duration::from_millis(3));
                dues.push(due);
            }
            dues
        });
        let between: Vec<Duration> = dues.windows(2).map(|it| it[1] - it[0]).collect();
        assert_eq!(between, [Duration::from_millis(1); 3]);
        assert_eq!(schedule.unsent(), 0);
    }
}
