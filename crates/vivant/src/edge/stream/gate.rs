//! Flow control between a stream and the actor that takes its items: the number of items in flight,
//! and whether the stream is to stop.

use crate::actor::{CellRef, Entry, Observation, Signals, Source, Table, observed};
use crate::services::Membership;
use crate::sync::{Arc, Mutex, lock};
use std::task::Waker;

/// The state shared by a stream and the actor that takes its items.
pub(super) struct Gate {
    pub(super) limit: usize,
    state: Mutex<GateState>,
}

#[derive(Default)]
struct GateState {
    /// Items sent and not processed.
    in_flight: usize,
    is_stopped: bool,
    /// Set while the limit of items in flight is reached. Not otherwise: a waker keeps the stream's
    /// actor alive, and that must end when nothing else can wake it.
    waker: Option<Waker>,
    /// The actor that polls the stream.
    feed: Option<CellRef>,
}

/// Why a stream's actor ends without having sent the end of the stream.
#[derive(PartialEq, Eq)]
pub(super) enum EndCause {
    /// The stream was stopped.
    Stopped,
    /// Nothing could wake it any more, or the system shuts down.
    Early,
}

impl Entry for GateState {
    fn table(&self) -> Table {
        Table::Stream
    }
}

/// An item in flight. Dropped when it is processed, or lost.
pub(super) struct InFlight(Arc<Gate>);

impl Gate {
    pub(super) fn new(limit: usize) -> Arc<Gate> {
        Arc::new(Gate {
            limit,
            state: Mutex::default(),
        })
    }

    pub(super) fn in_flight(&self) -> usize {
        let state = lock(&self.state);
        observed(
            Observation::Admission,
            Source::Entry(&*state),
            state.in_flight,
        )
    }

    /// Whether an item may be taken from the stream; if not, `waker` is woken when one may.
    pub(super) fn is_open(&self, waker: &Waker) -> bool {
        let mut state = lock(&self.state);
        let has_room = state.in_flight < self.limit;
        if observed(Observation::Admission, Source::Entry(&*state), has_room) {
            return true;
        }
        // The waker is the runtime's own: its clone is one count.
        let before = state.waker.replace(waker.clone());
        // Outside the lock: a waker that is dropped may end its actor.
        drop(state);
        drop(before);
        false
    }

    pub(super) fn admit(self: &Arc<Self>) -> InFlight {
        lock(&self.state).in_flight += 1;
        InFlight(self.clone())
    }

    pub(super) fn started(&self, feed: CellRef) {
        let mut state = lock(&self.state);
        if !state.is_stopped {
            state.feed = Some(feed);
            return;
        }
        drop(state);
        feed.signal(Signals::STOP);
    }

    /// The stream's actor ends.
    pub(super) fn close(&self) -> EndCause {
        let mut state = lock(&self.state);
        let (feed, waker) = (state.feed.take(), state.waker.take());
        let cause = match state.is_stopped {
            true => EndCause::Stopped,
            false => EndCause::Early,
        };
        drop(state);
        drop((feed, waker));
        cause
    }

    pub(super) fn stop(&self) {
        let feed = {
            let mut state = lock(&self.state);
            state.is_stopped = true;
            state.feed.take()
        };
        if let Some(feed) = feed {
            feed.signal(Signals::STOP);
        }
    }
}

impl Membership for Gate {
    fn leave(&self, _: u64) {
        self.stop();
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let waker = {
            let mut state = lock(&self.0.state);
            state.in_flight -= 1;
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}
