//! Idle checks: after a while without turns the runtime marks the actor's heap, releases its
//! unneeded imports, and gives its nursery back (A1 to A4).

use super::GcState;
use super::collected::Heaped;
use super::edge_snapshot::EdgeSnapshot;
use super::last_mark::{GivenUp, LastMark, SOON, Since, Wants};
use crate::actor::Refusal;
use crate::actor::{
    AddressRef, Delivery, Envelope, Kind, MessageKind, MessageRole, Next, Shared, StateRef, Step,
    Worker, ns,
};
use crate::api::Actor;
use crate::statistics::{HeapCounts, PauseKind};
use std::marker::PhantomData;
use std::mem;
use std::panic::Location;
use vivant_heap::{MarkStart, Marking, Object};

/// The count inbox is read after this many turns, whether or not the heap collects.
const TURNS: u64 = 64;

/// Size of a batch: changes of counts applied at a time, some 100 microseconds.
const PIECE: usize = 1024;

/// A notified heap reads its inbox after this part of `idle_after`. That is twice the delay of its
/// readers' idle checks, so releases by several readers at about the same time are handled
/// together.
const HEARD: u32 = 4;

/// State of the idle checks of one heap.
#[derive(Default)]
pub(super) struct IdleCheck {
    /// Whether the actor has scheduled an idle check. The GC waker may have scheduled one without
    /// this being set.
    question: Question,
    /// The turn number when an idle check was last scheduled or handled, and the time of that. If
    /// the number is unchanged the actor has been idle since.
    turns: u64,
    since_ns: u64,
    pub(super) mark: LastMark,
    /// The turn number when the nursery was last given back.
    gave_back: u64,
    /// Whether other heaps have released exports since the last mark began.
    given_up: GivenUp,
    hears: Hears,
    /// Whether a continuation message is under way.
    comes_back: bool,
    /// Whether a received idle check still waits to be handled.
    answers: Answers,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Question {
    #[default]
    None,
    /// One is due in `idle_after` at the latest.
    Comes,
    /// One is due in an eighth of `idle_after`, because the actor has imports.
    ComesSoon,
}

/// When an idle check is completed.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Answers {
    #[default]
    AtOnce,
    /// Later: the inbox is not read to its end, or the last mark is not swept.
    Later,
}

/// How much of the count inbox was read.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Hears {
    #[default]
    All,
    /// A batch. The next one is read after the next turn, or when no message is there.
    More,
}

impl IdleCheck {
    /// A mark has begun, and has taken the released exports into account: exports released from
    /// here on are for the next mark.
    pub(super) fn mark_begins(&mut self) {
        self.given_up = GivenUp::Nothing;
    }
}

/// Delay in nanoseconds after which a notified heap reads its inbox.
pub(super) fn heard_after_ns(system: &Shared) -> u64 {
    ns(system.config.idle_after / HEARD)
}

impl<A: Actor<Storage = GcState>> Heaped<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    /// After a turn: schedules an idle check, if one would find work.
    #[inline]
    pub(super) fn will_rest(&mut self, worker: &Worker, facts: &HeapCounts) {
        let heap = &self.heap;
        let asks = match self.rest.question {
            Question::None => {
                let marks = heap.shows() || heap.has_destructors();
                let left = heap.is_terminating_mark() || heap.is_unswept();
                heap.young() > 0 || heap.imports() > 0 || marks || left || heap.exceeds_first()
            }
            Question::Comes => heap.imports() > 0,
            Question::ComesSoon => false,
        };
        if asks {
            self.ask_after_turn(worker);
        }
        if self.turns.is_multiple_of(TURNS) || self.hears_on() {
            self.heed_after_turn(worker, facts);
        }
    }

    fn heed_after_turn(&mut self, worker: &Worker, facts: &HeapCounts) {
        if self.heed_in(worker, facts) == GivenUp::Something {
            self.bell.ask(heard_after_ns(&worker.system));
        }
        if self.hears_on() {
            self.will_be_tended(worker);
        }
    }

    /// Whether a rest of the inbox is left to read.
    pub(super) fn hears_on(&self) -> bool {
        self.rest.hears == Hears::More
    }

    /// Returns true, once, if the actor is to send itself a continuation message: none is under way
    /// as far as it knows.
    pub(super) fn comes_back(&mut self) -> bool {
        !mem::replace(&mut self.rest.comes_back, true)
    }

    pub(super) fn is_back(&mut self) {
        self.rest.comes_back = false;
    }

    /// A collection may have read a batch of the inbox, for a mark that waits for it. If no turn
    /// comes, the actor reads the rest.
    pub(super) fn has_heard(&mut self) {
        if self.heap.is_draining() {
            self.rest.hears = Hears::More;
        }
    }

    #[cold]
    fn ask_after_turn(&mut self, worker: &Worker) {
        self.rest.turns = self.turns;
        self.rest.since_ns = worker.system.oracle.now_ns();
        self.ask_in_time(worker);
    }

    /// Schedules the next idle check: in an eighth of `idle_after` if other heaps' memory depends
    /// on it, else in `idle_after`.
    fn ask_in_time(&mut self, worker: &Worker) {
        let idle_after = worker.system.config.idle_after;
        let hang = self.heap.imports() > 0 || self.rest.given_up == GivenUp::Something;
        let in_time = if hang { idle_after / SOON } else { idle_after };
        self.ask_in(worker, ns(in_time));
    }

    fn ask_in(&mut self, worker: &Worker, in_ns: u64) {
        self.rest.question = match self.heap.imports() {
            // A check later than `idle_after` does not cover reasons that arise meanwhile.
            _ if in_ns > ns(worker.system.config.idle_after) => Question::None,
            0 => Question::Comes,
            _ => Question::ComesSoon,
        };
        self.bell.ask(in_ns);
    }

    /// Reads the whole count inbox.
    pub(super) fn heed(&mut self) -> GivenUp {
        let less = self.heap.drain_all();
        self.is_less(less);
        self.rest.given_up
    }

    /// Records whether other heaps have released exports.
    fn is_less(&mut self, less: bool) {
        if less && self.heap.marking() != Marking::Never {
            self.rest.given_up = GivenUp::Something;
        }
    }

    /// Reads a batch of the inbox, recorded as a pause.
    fn heed_in(&mut self, worker: &Worker, facts: &HeapCounts) -> GivenUp {
        if self.heap.is_notified() {
            let (heed, mut less) = (|_: &_, _: &_| PauseKind::Heed, false);
            self.timed_as(worker, facts, heed, |heap| less = heap.drain_some(PIECE));
            self.is_less(less);
        }
        self.rest.hears = match self.heap.is_draining() {
            true => Hears::More,
            false => Hears::All,
        };
        self.rest.given_up
    }

    /// Whether a mark has begun since the actor last ran. A mark that took the edge snapshot
    /// counts.
    fn is_marked_since(&self) -> bool {
        self.rest.mark.is_after(self.turns) || self.sighting.is_of(self.turns)
    }

    /// The reasons for a mark that hold now.
    fn wants(&self) -> impl Iterator<Item = Wants> {
        let heap = &self.heap;
        let has_run = !self.rest.mark.is_after(self.turns);
        // A stop-the-world mark would delay messages that arrive meanwhile.
        let frees = heap.marking() == Marking::Concurrent && heap.exceeds_first();
        let wants = [
            (Wants::GiveUp, heap.imports() > 0 && has_run),
            (Wants::See, heap.shows() && !self.sighting.is_of(self.turns)),
            (
                Wants::Drop,
                heap.has_destructors() && !self.is_marked_since(),
            ),
            (Wants::Collect, self.rest.given_up == GivenUp::Something),
            (Wants::Grow, heap.is_mark_delayed()),
            (Wants::Free, frees && has_run),
        ];
        let may = heap.marking() != Marking::Never;
        let wants = wants.into_iter().filter(move |(_, is_so)| may && *is_so);
        wants.map(|(wants, _)| wants)
    }

    /// The earliest time at which a mark is due, and its reason. None if there is no reason.
    fn mark_due(&self, since: Since, idle_after_ns: u64) -> Option<(u64, Wants)> {
        let next = |wants| Some((self.rest.mark.next_ns(wants, since, idle_after_ns)?, wants));
        self.wants()
            .filter_map(next)
            .min_by_key(|(next_ns, _)| *next_ns)
    }

    /// Handles an idle check.
    fn is_asked(&mut self, worker: &Worker, facts: &HeapCounts) {
        self.rest.question = Question::None;
        facts.asked(&self.heap.stats());
        // In this order: the waker is re-armed first, so a message put in after the read wakes it.
        self.bell.listens();
        self.heed_in(worker, facts);
        match self.rest.hears {
            Hears::All => self.answers(worker, facts),
            Hears::More => {
                self.rest.answers = Answers::Later;
                self.will_be_tended(worker);
            }
        }
    }

    /// Continues with the inbox, and with an idle check that waits for it.
    pub(super) fn goes_on_hearing(&mut self, worker: &Worker, facts: &HeapCounts) {
        if self.rest.hears == Hears::More && self.heed_in(worker, facts) == GivenUp::Something {
            self.bell.ask(heard_after_ns(&worker.system));
        }
        if self.rest.answers == Answers::Later && self.rest.hears == Hears::All {
            self.answers(worker, facts);
        }
    }

    /// Completes an idle check, after the inbox was read: starts a mark if one is due, gives the
    /// nursery back if the actor is idle, and schedules the next check.
    fn answers(&mut self, worker: &Worker, facts: &HeapCounts) {
        if self.heap.is_unswept() && !self.is_marking() {
            // The sweep of the last mark comes first, in steps.
            self.rest.answers = Answers::Later;
            return self.will_be_tended(worker);
        }
        self.rest.answers = Answers::AtOnce;
        let now_ns = worker.system.oracle.now_ns();
        let idle_after_ns = ns(worker.system.config.idle_after);
        let (since, rests_at_ns) = match self.rest.turns == self.turns {
            true => {
                let since_ns = self.rest.since_ns;
                (
                    Since::Rested(since_ns),
                    since_ns.saturating_add(idle_after_ns),
                )
            }
            false => {
                (self.rest.turns, self.rest.since_ns) = (self.turns, now_ns);
                (Since::Run, u64::MAX)
            }
        };
        if rests_at_ns <= now_ns {
            // What this promotes may be a reason for a mark.
            self.gives_back(worker, facts);
        }
        let due = self.mark_due(since, idle_after_ns);
        let marks = due.filter(|(due_ns, _)| *due_ns <= now_ns && !self.is_marking());
        if let Some((_, wants)) = marks {
            self.marks(worker, facts, wants);
        }
        self.will_be_tended(worker);
        if since == Since::Run {
            self.ask_in_time(worker);
            return;
        }
        if marks.is_some() && now_ns < rests_at_ns {
            self.gives_back(worker, facts);
        }
        let next_ns = match due {
            // A due mark is considered again when the running mark has ended.
            Some(_) if self.is_marking() => Some(now_ns.saturating_add(idle_after_ns)),
            Some((due_ns, _)) if marks.is_none() => Some(due_ns),
            _ if self.heap.young() > 0 && now_ns < rests_at_ns => Some(rests_at_ns),
            _ => None,
        };
        if let Some(next_ns) = next_ns {
            self.ask_in(worker, next_ns.saturating_sub(now_ns));
        }
    }

    /// Empties the nursery, and gives its memory back, unless no turn has run since that was done.
    fn gives_back(&mut self, worker: &Worker, facts: &HeapCounts) {
        if mem::replace(&mut self.rest.gave_back, self.turns) == self.turns {
            return;
        }
        let rest = |_: &_, _: &_| PauseKind::Rest;
        self.timed_as(worker, facts, rest, |heap| {
            heap.collect_young();
            // The first collection keeps its survivors in the nursery; the second promotes them.
            heap.collect_young();
            heap.rest();
        });
    }

    /// Marks the heap, or begins a concurrent mark if it is large, and takes an edge snapshot.
    fn marks(&mut self, worker: &Worker, facts: &HeapCounts, wants: Wants) {
        let (turns, mut begun) = (self.turns, MarkStart::Finished);
        self.rest.mark.will_begin(wants, self.rest.given_up);
        self.timed(worker, facts, |heap| begun = heap.begin_mark_for_edges());
        match begun {
            MarkStart::Running => self.marks_to_show(),
            MarkStart::Finished => {
                let heap = &mut self.heap;
                self.sighting = EdgeSnapshot::by(turns, |each| heap.show(each));
            }
        }
    }
}

/// The message of an idle check: it finds out whether the actor has run since the last one.
struct Idle<A>(PhantomData<fn(A)>);

/// Sends an idle check.
pub(super) fn ask<A: Actor<Storage = GcState>>(to: AddressRef)
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    let envelope = Envelope::new::<Idle<A>>((), Location::caller());
    Delivery { to, envelope }.deliver();
}

impl<A: Actor<Storage = GcState>> MessageKind for Idle<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    type Content = ();
    const KIND: Kind = Kind::new::<Self>("rest", MessageRole::Own);

    fn run((): (), state: &mut StateRef<'_>, worker: &Worker) -> Step {
        state.with_kept::<A>(|kept, facts| kept.is_asked(worker, facts));
        Step::Done
    }

    fn refuse((): (), _: &Refusal, _: &'static Location<'static>) -> Next {
        Next::Nothing
    }
}
