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
    /// Set when it is stopped.
    stop: Option<Stop>,
    /// Set while the limit of items in flight is reached. Not otherwise: a waker keeps the stream's
    /// actor alive, and that must end when nothing else can wake it.
    waker: Option<Waker>,
    /// The actor that polls the stream. It is also told of a stop when it has ended: it may have
    /// done so behind the line, and the stop may be of before it.
    feed: Option<CellRef>,
}

/// The first stop of a stream. Its phase is that of the system of the stream.
struct Stop(Changed);

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

/// That a stream was stopped behind the line is news to its actor, if that ends before the line: it
/// sends no end, and the reader of the cut would get none.
impl Entry for Stop {
    fn table(&self) -> Table {
        Table::Stream
    }

    fn changed(&self) -> Changed {
        self.0
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
        if state.stop.is_none() {
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
        let cause = match &state.stop {
            Some(stop) => {
                let _takes_more = observed(Observation::Admission, Source::Entry(stop), false);
                EndCause::Stopped
            }
            None => EndCause::Early,
        };
        drop(state);
        drop(waker);
        cause
    }

    pub(super) fn stop(&self) {
        let feed = {
            let mut state = lock(&self.state);
            let feed = state.feed.clone();
            let changed = match &feed {
                Some(feed) => {
                    let system = &feed.system;
                    system.change_table(|code| Changed::In(system.number, code))
                }
                None => Changed::Unknown,
            };
            state.stop.get_or_insert(Stop(changed));
            // It stays: a second stop may be of before the line, and the first one of behind it.
            feed
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

#[cfg(all(test, feature = "macros"))]
mod tests {
    use super::*;
    use crate::actor::{Envelope, Recorder, RunState, StateRef, TreeEnd, WaitingPlace, WaitsAs};
    use crate::cut::{Coordinator, Outcome, Step};
    use crate::failures::Caught;
    use crate::prelude::*;
    use crate::simulation::Simulation;
    use std::thread;

    type Code = Box<dyn FnOnce() + Send>;

    /// Runs the code that it is sent.
    #[derive(Actor)]
    struct Runs;

    #[behaviours]
    impl Runs {
        fn run(&mut self, code: Code) {
            code();
        }
    }

    /// Has the actors for which signals wait in the cut.
    #[derive(Default)]
    struct Signalled(Mutex<Vec<u64>>);

    impl Recorder for Signalled {
        fn captured(&self, _: &Header, _: &mut StateRef<'_>) {}
        fn captured_run_state(&self, _: &Header, _: &RunState) {}
        fn waits(&self, _: &Header, _: WaitingPlace, _: WaitsAs, _: &Envelope) -> usize {
            0
        }
        fn is_signalled(&self, actor: &Header, _: Option<&TreeEnd>, _: Signals) {
            lock(&self.0).push(actor.id);
        }
        fn panicked(&self, caught: Caught) {
            panic!("{}", caught.message);
        }
    }

    /// A turn does `code` with the gate of a stream, and begins a line by the second argument.
    /// Returns the outcome of the cut, and whether a stop of the stream waits in it.
    fn across(code: impl FnOnce(&Gate, &dyn Fn()) + Send + 'static) -> (Outcome, bool) {
        let simulation = Simulation::new(1);
        let system = simulation.system().shared().clone();
        let [runs, feed, reader] = [(); 3].map(|()| simulation.system().spawn(Runs));
        let gate = Gate::new(1, (system.number, system.number));
        let (feed_cell, reader_cell) = (
            Address::counted(&feed).cell(),
            Address::counted(&reader).cell(),
        );
        gate.started(feed_cell.clone(), &reader_cell);
        let recorder = Arc::new(Signalled::default());
        let coordinator = Arc::new(Mutex::new(Coordinator::new(&system)));
        let line = {
            let (coordinator, recorder) = (coordinator.clone(), recorder.clone());
            let system = system.clone();
            move || lock(&coordinator).begin(&system, recorder.clone())
        };
        runs.run(Box::new(move || code(&gate, &line))).send();
        simulation.run();
        loop {
            let step = lock(&coordinator).step(&system);
            if let Step::Complete(outcome) = step {
                let is_signalled = lock(&recorder.0).contains(&feed_cell.id);
                return (outcome, is_signalled);
            }
            simulation.step();
        }
    }

    /// A thread outside stops the stream.
    fn stop_outside(gate: &Gate) {
        thread::scope(|scope| scope.spawn(|| gate.stop()).join()).expect("it stops");
    }

    /// Its reader in the cut has not stopped the stream, and gets no end of it.
    #[test]
    fn an_end_before_the_line_and_a_stop_behind_it_make_the_cut_void() {
        let (outcome, _) = across(|gate, line| {
            line();
            stop_outside(gate);
            assert!(gate.close() == EndCause::Stopped);
        });
        assert_eq!(outcome, Outcome::Void);
    }

    #[test]
    fn an_end_and_a_stop_before_the_line_are_no_news() {
        let (outcome, _) = across(|gate, line| {
            gate.stop();
            line();
            stop_outside(gate);
            assert!(gate.close() == EndCause::Stopped);
        });
        assert_eq!(outcome, Outcome::Consistent);
    }

    /// The second one is in the cut.
    #[test]
    fn a_stop_behind_the_line_leaves_place_for_one_of_before_it() {
        let (outcome, is_signalled) = across(|gate, line| {
            line();
            stop_outside(gate);
            gate.stop();
        });
        assert_eq!(outcome, Outcome::Consistent);
        assert!(is_signalled, "a stop of before the line");
    }
}
