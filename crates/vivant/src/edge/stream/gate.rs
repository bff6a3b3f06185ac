//! Flow control between a stream and the actor that takes its items: the number of items in flight,
//! and whether the stream is to stop.

use crate::actor::{
    CellRef, Changed, Entry, Header, Observation, Signals, Source, Table, observed,
};
use crate::services::Membership;
use crate::sync::{Arc, Mutex, lock};
use std::task::Waker;

/// The state shared by a stream and the actor that takes its items.
pub(super) struct Gate {
    pub(super) limit: usize,
    /// The numbers of the systems of the stream and of its reader.
    systems: (u64, u64),
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
    /// The actor that polls the stream. It is also told of a stop when it has ended: it may have
    /// done so behind the line, and the stop may be of before it.
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

/// Whether there is room is no news of behind the line: an image has the items that wait, and no
/// stream that would send more.
impl Entry for GateState {
    fn table(&self) -> Table {
        Table::Stream
    }

    fn changed(&self) -> Changed {
        Changed::Never
    }
}

/// An item in flight. Dropped when it is processed, or lost.
pub(super) struct InFlight(Arc<Gate>);

impl Gate {
    pub(super) fn new(limit: usize, systems: (u64, u64)) -> Arc<Gate> {
        Arc::new(Gate {
            limit,
            systems,
            state: Mutex::default(),
        })
    }

    pub(super) fn in_flight(&self) -> usize {
        let in_flight = lock(&self.state).in_flight;
        observed(
            Observation::Admission,
            Source::Table(Table::Stream),
            in_flight,
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

    /// The stream is polled. Its reader may have ended meanwhile, also behind the line (L8).
    pub(super) fn started(&self, feed: CellRef, reader: &Header) {
        let mut state = lock(&self.state);
        if !state.is_stopped {
            state.feed = Some(feed);
            return;
        }
        drop(state);
        let _ended = observed(Observation::Attach, Source::Actor(reader), false);
        feed.signal(Signals::STOP);
    }

    /// The stream's actor ends.
    pub(super) fn close(&self) -> EndCause {
        let mut state = lock(&self.state);
        let waker = state.waker.take();
        let cause = match state.is_stopped {
            true => EndCause::Stopped,
            false => EndCause::Early,
        };
        drop(state);
        drop(waker);
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

    /// An image has the end of a stream by the actor that polls it: of the same system.
    fn is_in_images(&self) -> bool {
        self.systems.0 == self.systems.1
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
