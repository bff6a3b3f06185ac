//! The thread that takes snapshots periodically.

use super::{Origin, Source, Trouble};
use crate::model::Pace;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;
use vivant_console::wire::Snapshot;

/// The result of taking a snapshot.
pub(crate) type Looked = Result<Snapshot, Trouble>;

/// A command from the terminal to the snapshot thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Take one snapshot now.
    Look,
    Keep(Pace),
}

/// Whether the receiver of the snapshots still exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Yes,
    No,
}

/// Takes snapshots periodically until the receiver is gone. If it begins paused it takes two all
/// the same: rates need two.
pub(crate) fn keep_looking(
    origin: Origin,
    every: Duration,
    mut pace: Pace,
    orders: &Receiver<Order>,
    tell: impl Fn(Looked) -> Heard,
) {
    let mut source = match origin.open() {
        Ok(source) => source,
        Err(trouble) => {
            tell(Err(trouble));
            return;
        }
    };
    let look = |source: &mut Box<dyn Source>| tell(source.look());
    if look(&mut source) == Heard::No {
        return;
    }
    let mut has_rates = false;
    loop {
        let order = if pace == Pace::Paused && has_rates {
            orders.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            orders.recv_timeout(every)
        };
        match order {
            Ok(Order::Keep(now)) => pace = now,
            Ok(Order::Look) | Err(RecvTimeoutError::Timeout) => {
                has_rates = true;
                if look(&mut source) == Heard::No {
                    return;
                }
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
