//! GC continuation: what the actor does between two turns for a concurrent mark, mark termination,
//! a sweep, or an unread count inbox (H6 to H8).

use super::GcState;
use super::collected::Heaped;
use super::edge_snapshot::EdgeSnapshot;
use super::marks::{Mark, Marks};
use crate::actor::Refusal;
use crate::actor::{
    AddressRef, Delivery, Envelope, Kind, MessageKind, MessageRole, Next, StateRef, Step, Worker,
};
use crate::api::Actor;
use crate::statistics::HeapCounts;
use crate::sync::Arc;
use std::marker::PhantomData;
use std::panic::Location;
use vivant_heap::{Heap, HeapStats, Object};

/// Spans swept before the actor looks whether a message waits: some 50 microseconds.
const SWEPT: usize = 256;

/// The actor's record of the concurrent mark of its heap.
#[derive(Default)]
pub(super) enum GcContinuation {
    #[default]
    Nothing,
    Marks {
        mark: Arc<Mark>,
        /// Number of turns that the actor had begun when the mark began.
        turns: u64,
        /// Nanoseconds that the actor itself has spent on the mark.
        spent_ns: u64,
        shows: Shows,
    },
}

/// What the mark records beside liveness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shows {
    Nothing,
    /// Objects that may trace addresses, for an edge snapshot.
    OutgoingReferences,
}

impl GcContinuation {
    /// The heap ends: takes its mark off the system's list.
    pub(super) fn ends(self, marks: &Marks) {
        if let GcContinuation::Marks { mark, .. } = self {
            marks.ends(&mark);
        }
    }
}

impl<A: Actor<Storage = GcState>> Heaped<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    /// Whether a concurrent mark runs.
    pub(super) fn is_marking(&self) -> bool {
        matches!(self.tending, GcContinuation::Marks { .. })
    }

    /// Makes the mark that was just begun record objects that may trace addresses, if it is a
    /// concurrent one.
    pub(super) fn marks_to_show(&mut self) {
        if let GcContinuation::Marks { shows, .. } = &mut self.tending {
            *shows = Shows::OutgoingReferences;
        }
    }

    /// The heap has worked for `ns` nanoseconds, until `now_ns`: records whether a mark has begun
    /// or ended by it.
    pub(super) fn takes_note(&mut self, worker: &Worker, before: &HeapStats, ns: u64, now_ns: u64) {
        let after = self.heap.stats();
        if let GcContinuation::Marks { spent_ns, .. } = &mut self.tending {
            *spent_ns += ns;
        }
        if after.major > before.major {
            self.mark_has_ended(worker, ns, now_ns, &after);
        }
        if after.begun > before.begun {
            self.mark_has_begun(worker, ns);
        }
    }

    fn mark_has_begun(&mut self, worker: &Worker, ns: u64) {
        std::mem::take(&mut self.tending).ends(&worker.system.marks);
        let Some(marker) = self.heap.marker() else {
            return;
        };
        self.rest.mark_begins();
        let cell = worker.me().cell();
        self.tending = GcContinuation::Marks {
            mark: Marks::begins(&worker.system, marker, cell, tend::<A>),
            turns: self.turns,
            spent_ns: ns,
            shows: Shows::Nothing,
        };
    }

    fn mark_has_ended(&mut self, worker: &Worker, ns: u64, now_ns: u64, after: &HeapStats) {
        let GcContinuation::Marks {
            mark,
            turns,
            spent_ns,
            shows,
        } = std::mem::take(&mut self.tending)
        else {
            self.rest.mark_begins();
            self.rest.mark.has_ended(self.turns, now_ns, ns, after);
            return;
        };
        worker.system.marks.ends(&mark);
        let took_ns = spent_ns + mark.spent_ns();
        self.rest.mark.has_ended(turns, now_ns, took_ns, after);
        if shows == Shows::OutgoingReferences && turns == self.turns {
            let heap = &mut self.heap;
            self.sighting = EdgeSnapshot::by(turns, |each| heap.show(each));
        }
    }

    /// Continues with the heap's work while no message is there.
    fn is_tended(&mut self, worker: &Worker, facts: &HeapCounts) {
        self.is_back();
        if self.is_marking() {
            self.timed(worker, facts, Heap::pace);
            if let GcContinuation::Marks { mark, .. } = &self.tending
                && !self.heap.is_terminating_mark()
            {
                // The helper that found everything marked did not know what a turn had written to
                // its SATB buffer: that is flushed at the turn's end.
                worker.system.marks.goes_on(&worker.system, mark);
            }
        }
        if self.heap.is_unswept() {
            self.timed(worker, facts, |heap| heap.sweep_some(SWEPT));
        }
        self.goes_on_hearing(worker, facts);
        self.will_be_tended(worker);
    }

    /// The actor has flushed its SATB buffer, and put back the packets that it has not scanned
    /// itself. Workers that looked meanwhile have found nothing, and sleep, so this wakes one.
    pub(super) fn leaves_to_others(&self, worker: &Worker) {
        if let GcContinuation::Marks { mark, .. } = &self.tending
            && !self.heap.is_terminating_mark()
        {
            worker.system.marks.is_left(&worker.system, mark);
        }
    }

    /// Schedules a continuation message if mark termination, a sweep or unread changes are left.
    /// Only the owner can do these. The message comes behind those that wait already.
    pub(super) fn will_be_tended(&mut self, worker: &Worker) {
        let unswept = self.heap.is_unswept() && !self.is_marking();
        if (self.heap.is_terminating_mark() || unswept || self.hears_on()) && self.comes_back() {
            tend::<A>(worker.me());
        }
    }
}

/// The continuation message.
struct ContinueGc<A>(PhantomData<fn(A)>);

fn tend<A: Actor<Storage = GcState>>(to: AddressRef)
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    let envelope = Envelope::new::<ContinueGc<A>>((), Location::caller());
    Delivery { to, envelope }.deliver();
}

impl<A: Actor<Storage = GcState>> MessageKind for ContinueGc<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    type Content = ();
    const KIND: Kind = Kind::new::<Self>("tend", MessageRole::Own);

    fn run((): (), state: &mut StateRef<'_>, worker: &Worker) -> Step {
        state.with_kept::<A>(|kept, facts| kept.is_tended(worker, facts));
        Step::Done
    }

    fn refuse((): (), _: &Refusal, _: &'static Location<'static>) -> Next {
        Next::Nothing
    }
}
