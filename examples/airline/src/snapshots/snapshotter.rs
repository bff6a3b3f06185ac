//! [`Snapshotter`]: the thread that takes snapshots.

use super::request_count::Order;
use super::{Attempt, Figures, RequestCount};
use std::num::NonZeroU64;
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::{io, panic};
use vivant::journal::Journal;
use vivant::prelude::*;

/// Takes snapshots on a thread of its own, one after the other, in the order of their requests. A
/// request that comes while one is taken waits for its turn, so each requested snapshot is taken.
#[derive(Debug)]
pub struct Snapshotter {
    requests: RequestCount,
    thread: JoinHandle<Figures>,
}

impl Snapshotter {
    /// Takes a snapshot of `system` into `journal` every `every` requests. `told` is called after
    /// each.
    ///
    /// # Errors
    ///
    /// The operating system gave no thread.
    pub fn start(
        system: System,
        journal: Journal,
        every: NonZeroU64,
        told: fn(&Attempt),
    ) -> io::Result<Snapshotter> {
        let (orders, received) = mpsc::channel();
        let taking = move || take_all(&received, &system, &journal, told);
        let thread = thread::Builder::new().name("snapshots".to_owned());
        Ok(Snapshotter {
            requests: RequestCount::new(every, orders),
            thread: thread.spawn(taking)?,
        })
    }

    /// What counts the requests.
    pub fn requests(&self) -> &RequestCount {
        &self.requests
    }

    /// Waits for the snapshots that were requested, and takes a last one: an airline that closes in
    /// order loses nothing.
    ///
    /// # Panics
    ///
    /// A snapshot panicked.
    pub fn end(self) -> Figures {
        self.requests.end();
        (self.thread.join()).unwrap_or_else(|panicked| panic::resume_unwind(panicked))
    }
}

fn take_all(
    orders: &Receiver<Order>,
    system: &System,
    journal: &Journal,
    told: fn(&Attempt),
) -> Figures {
    let mut figures = Figures::default();
    for order in orders {
        let (Order::Take(answered) | Order::End(answered)) = order;
        let outcome = system.snapshot(journal);
        let attempt = Attempt { answered, outcome };
        told(&attempt);
        figures.count(&attempt);
        if let Order::End(_) = order {
            break;
        }
    }
    figures
}
