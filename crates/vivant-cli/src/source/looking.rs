//! The thread that looks again and again.

use super::{Origin, Source, Trouble};
use crate::model::Pace;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;
use vivant_console::wire::Snapshot;

/// What came of a look.
pub(crate) type Looked = Result<Snapshot, Trouble>;

/// What the terminal wants of the looking thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// One look now.
    Look,
    Keep(Pace),
}

/// Whether whoever hears of the looks still listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Yes,
    No,
}

/// Looks every so often until nobody listens any more. If it begins paused it looks twice all the
/// same: before that there are no rates to show.
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
