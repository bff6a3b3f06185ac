//! An actor that has not run for a while rests: it keeps no nursery, and nothing that others could
//! do without.

use super::collected::Heaped;
use super::last_mark::{GivenUp, LastMark, SOON, Since, Wants};
use super::sighting::Sighting;
use super::{Collected, HeapCounts, PauseKind};
use crate::actor::Actor;
use crate::call::Delivery;
use crate::cell::{AddressRef, StateRef};
use crate::error::Refusal;
use crate::mailbox::{Envelope, Kind, Letter, Role, Step};
use crate::promise::Next;
use crate::scheduler::Worker;
use crate::system::Shared;
use crate::timer::ns;
use std::marker::PhantomData;
use std::mem;
use std::panic::Location;
use vivant_heap::{Begun, Marking, Object};

/// A lane is looked at after so many turns, whether or not the heap collects.
const TURNS: u64 = 64;

/// Changes of counts that are heard at a time: some 100 microseconds.
const PIECE: usize = 1024;

/// Whoever is told that something lies in a lane looks into it after this part of `idle_after`:
/// those who give something up at about the same time, within twice the time after which they are
/// asked, are heard together.
const HEARD: u32 = 4;

/// What a heap has to do when its actor rests.
#[derive(Default)]
pub(super) struct Rest {
    /// Whether the actor knows that it will be asked. It may be so without its knowledge.
    question: Question,
    /// The number of its turns when it last had reason to be asked, or was, and when that was: it
    /// has run no more since.
    turns: u64,
    since_ns: u64,
    pub(super) mark: LastMark,
    /// The number of its turns when it last gave its nursery back.
    gave_back: u64,
    /// What others have given up since.
    given_up: GivenUp,
    hears: Hears,
    /// Whether the actor has told itself to go on with what the heap has to do.
    comes_back: bool,
    /// Whether a question waits.
    answers: Answers,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Question {
    #[default]
    None,
    /// In `idle_after` at the latest.
    Comes,
    /// As soon as others' memory wants it.
    ComesSoon,
}

/// When the actor answers the question that it was asked.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Answers {
    #[default]
    AtOnce,
    /// What it has heard is not all, or what its last mark has left is not swept.
    Later,
}

/// What was heard of what others have left.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Hears {
    #[default]
    All,
    /// A piece. The next one is heard after the next turn, or when no message is there.
    More,
}

impl Rest {
    /// A mark has begun, and has heard what others had given up: what they give up from here on is
    /// for the next one.
    pub(super) fn mark_begins(&mut self) {
        self.given_up = GivenUp::Nothing;
    }
}

/// After how long whoever is told looks into a lane.
pub(super) fn heard_after_ns(system: &Shared) -> u64 {
    ns(system.config.idle_after / HEARD)
}

impl<A: Actor<Space = Collected>> Heaped<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    /// The actor has run: it will be asked later whether it rests, if it then has something to do.
    #[inline]
    pub(super) fn will_rest(&mut self, worker: &Worker, facts: &HeapCounts) {
        let heap = &self.heap;
        let asks = match self.rest.question {
            Question::None => {
                let marks = heap.shows() || heap.has_destructors();
                let left = heap.is_settling() || heap.is_unswept();
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

    /// Whether something is left to be heard.
    pub(super) fn hears_on(&self) -> bool {
        self.rest.hears == Hears::More
    }

    /// Whether the actor is to tell itself to go on: it has not, as far as it knows.
    pub(super) fn comes_back(&mut self) -> bool {
        !mem::replace(&mut self.rest.comes_back, true)
    }

    pub(super) fn is_back(&mut self) {
        self.rest.comes_back = false;
    }

    /// A collection may have heard a piece of what others have left, for a mark that waits for it:
    /// who hears the rest is the actor, if no turn comes.
    pub(super) fn has_heard(&mut self) {
        if self.heap.is_hearing() {
            self.rest.hears = Hears::More;
        }
    }

    #[cold]
    fn ask_after_turn(&mut self, worker: &Worker) {
        self.rest.turns = self.turns;
        self.rest.since_ns = worker.system.oracle.now_ns();
        self.ask_in_time(worker);
    }

    /// Has the actor asked as soon as somebody may want it.
    fn ask_in_time(&mut self, worker: &Worker) {
        let idle_after = worker.system.config.idle_after;
        let hang = self.heap.imports() > 0 || self.rest.given_up == GivenUp::Something;
        let in_time = if hang { idle_after / SOON } else { idle_after };
        self.ask_in(worker, ns(in_time));
    }

    fn ask_in(&mut self, worker: &Worker, in_ns: u64) {
        self.rest.question = match self.heap.imports() {
            // One that is far off does for nothing that comes meanwhile.
            _ if in_ns > ns(worker.system.config.idle_after) => Question::None,
            0 => Question::Comes,
            _ => Question::ComesSoon,
        };
        self.bell.ask(in_ns);
    }

    /// Hears all that others have left.
    pub(super) fn heed(&mut self) -> GivenUp {
        let less = self.heap.heed();
        self.is_less(less);
        self.rest.given_up
    }

    /// Others have given up something, or not.
    fn is_less(&mut self, less: bool) {
        if less && self.heap.marking() != Marking::Never {
            self.rest.given_up = GivenUp::Something;
        }
    }

    /// Hears a piece of it, as a pause.
    fn heed_in(&mut self, worker: &Worker, facts: &HeapCounts) -> GivenUp {
        if self.heap.is_told() {
            let (heed, mut less) = (|_: &_, _: &_| PauseKind::Heed, false);
            self.timed_as(worker, facts, heed, |heap| less = heap.heed_some(PIECE));
            self.is_less(less);
        }
        self.rest.hears = match self.heap.is_hearing() {
            true => Hears::More,
            false => Hears::All,
        };
        self.rest.given_up
    }

    /// Whether a mark has begun since the actor last ran; one of which there is a sighting has.
    fn is_marked_since(&self) -> bool {
        self.rest.mark.is_after(self.turns) || self.sighting.is_of(self.turns)
    }

    /// What a mark would be for.
    fn wants(&self) -> impl Iterator<Item = Wants> {
        let heap = &self.heap;
        let has_run = !self.rest.mark.is_after(self.turns);
        // At once it would hold up whoever comes meanwhile.
        let frees = heap.marking() == Marking::Concurrent && heap.exceeds_first();
        let wants = [
            (Wants::GiveUp, heap.imports() > 0 && has_run),
            (Wants::See, heap.shows() && !self.sighting.is_of(self.turns)),
            (
                Wants::Drop,
                heap.has_destructors() && !self.is_marked_since(),
            ),
            (Wants::Collect, self.rest.given_up == GivenUp::Something),
            (Wants::Grow, heap.mark_waits()),
            (Wants::Free, frees && has_run),
        ];
        let may = heap.marking() != Marking::Never;
        let wants = wants.into_iter().filter(move |(_, is_so)| may && *is_so);
        wants.map(|(wants, _)| wants)
    }

    /// When the next mark is due for the first of its reasons, and for which. None if it has none.
    fn mark_due(&self, since: Since, idle_after_ns: u64) -> Option<(u64, Wants)> {
        let next = |wants| Some((self.rest.mark.next_ns(wants, since, idle_after_ns)?, wants));
        self.wants()
            .filter_map(next)
            .min_by_key(|(next_ns, _)| *next_ns)
    }

    /// The actor is asked whether it has run lately.
    fn is_asked(&mut self, worker: &Worker, facts: &HeapCounts) {
        self.rest.question = Question::None;
        facts.asked(&self.heap.stats());
        // In this order: what comes after the look rings.
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

    /// Goes on with what is to be heard.
    pub(super) fn goes_on_hearing(&mut self, worker: &Worker, facts: &HeapCounts) {
        if self.rest.hears == Hears::More && self.heed_in(worker, facts) == GivenUp::Something {
            self.bell.ask(heard_after_ns(&worker.system));
        }
        if self.rest.answers == Answers::Later && self.rest.hears == Hears::All {
            self.answers(worker, facts);
        }
    }

    /// What becomes of the heap, now that all is heard: whether it is marked, or rests.
    fn answers(&mut self, worker: &Worker, facts: &HeapCounts) {
        if self.heap.is_unswept() && !self.is_marking() {
            // What is left of the last mark comes first, in pieces.
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
            // What becomes old by it may be a reason for a mark.
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
            // What is due is seen when the mark has ended that runs.
            Some(_) if self.is_marking() => Some(now_ns.saturating_add(idle_after_ns)),
            Some((due_ns, _)) if marks.is_none() => Some(due_ns),
            _ if self.heap.young() > 0 && now_ns < rests_at_ns => Some(rests_at_ns),
            _ => None,
        };
        if let Some(next_ns) = next_ns {
            self.ask_in(worker, next_ns.saturating_sub(now_ns));
        }
    }

    /// Empties the nursery, and gives it back, unless no turn has run since that was done.
    fn gives_back(&mut self, worker: &Worker, facts: &HeapCounts) {
        if mem::replace(&mut self.rest.gave_back, self.turns) == self.turns {
            return;
        }
        let rest = |_: &_, _: &_| PauseKind::Rest;
        self.timed_as(worker, facts, rest, |heap| {
            heap.collect_young();
            // What survived once is young still.
            heap.collect_young();
            heap.rest();
        });
    }

    /// Marks, or begins to, if the heap is large; and sees which addresses lie in its objects.
    fn marks(&mut self, worker: &Worker, facts: &HeapCounts, wants: Wants) {
        let (turns, mut begun) = (self.turns, Begun::Ended);
        self.rest.mark.will_begin(wants, self.rest.given_up);
        self.timed(worker, facts, |heap| begun = heap.begin_mark_to_show());
        match begun {
            Begun::Runs => self.marks_to_show(),
            Begun::Ended => {
                let heap = &mut self.heap;
                self.sighting = Sighting::by(turns, |each| heap.show(each));
            }
        }
    }
}

/// Asks an actor whether it has run lately; if not, it rests.
struct Idle<A>(PhantomData<fn(A)>);

/// Sends the question.
pub(super) fn ask<A: Actor<Space = Collected>>(to: AddressRef)
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    let envelope = Envelope::new::<Idle<A>>((), Location::caller());
    Delivery { to, envelope }.deliver();
}

impl<A: Actor<Space = Collected>> Letter for Idle<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    type Content = ();
    const KIND: Kind = Kind::new::<Self>("rest", Role::Own);

    fn run((): (), state: &mut StateRef<'_>, worker: &Worker) -> Step {
        state.with_kept::<A>(|kept, facts| kept.is_asked(worker, facts));
        Step::Done
    }

    fn refuse((): (), _: &Refusal, _: &'static Location<'static>) -> Next {
        Next::Nothing
    }
}
