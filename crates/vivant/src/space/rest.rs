//! An actor that has not run for a while rests: it keeps no nursery, and nothing that others could do without.

use super::collected::Heaped;
use super::patience::Patience;
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
use vivant_heap::{Begun, HeapStats, Marking, Object};

/// A heap that is marked because it rests, or because others have given something up, is so for no more than this part of the time.
const SHARE: u64 = 100;

/// Of one that rests, of a larger part: nobody waits for it, and what others have given up ends with the mark.
const SHARE_AT_REST: u64 = 10;

/// A heap in which something with a destructor may have died is marked for that after so many times `idle_after` at most, though its actor does not rest: in ten seconds.
const DROPS: u64 = 10;

/// A lane is looked at after so many turns, whether or not the heap collects.
const TURNS: u64 = 64;

/// Changes of counts that are heard at a time: some 100 microseconds.
const PIECE: usize = 1024;

/// An actor is asked after this part of `idle_after` if others' memory hangs on it: it has objects of theirs, or they have given up some of its own (A4).
const SOON: u32 = 8;

/// Whoever is told that something lies in a lane looks into it after this part of `idle_after`: those who give something up at about the same time, within
/// twice the time after which they are asked, are heard together.
const HEARD: u32 = 4;

/// What a heap has to do when its actor rests.
#[derive(Default)]
pub(super) struct Rest {
    /// Whether the actor knows that it will be asked. It may be so without its knowledge.
    question: Question,
    /// The number of its turns when it last had reason to be asked, or was, and when that was: it has run no more since.
    turns: u64,
    since_ns: u64,
    /// The last mark: after how many turns it came, when it ended, and how long it took.
    marked: u64,
    marked_ns: u64,
    took_ns: u64,
    /// What others have given up since.
    given_up: GivenUp,
    hears: Hears,
    /// Whether the actor has told itself to go on with what the heap has to do.
    comes_back: bool,
    /// Whether a question waits until all is heard.
    answers: Answers,
    /// What the mark is for that begins, runs, or was the last.
    mark_is_for: MarkIsFor,
    patience: Patience,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum MarkIsFor {
    /// The heap has grown; or its actor rests.
    #[default]
    Itself,
    /// What others have given up.
    GivenUp,
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

#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum GivenUp {
    #[default]
    Nothing,
    /// The last that others knew of an object: a mark may find it dead.
    Something,
}

/// When the actor answers the question that it was asked.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Answers {
    #[default]
    AtOnce,
    /// What it has heard is not all.
    WhenAllIsHeard,
}

/// What was heard of what others have left.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Hears {
    #[default]
    All,
    /// A piece. The next one is heard after the next turn, or when no message is there.
    More,
}

/// What a mark would be for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wants {
    /// What it has of others may have died by its turns alone.
    GiveUp,
    /// Nobody knows which addresses lie in its objects now (O10); and some of these may be dead.
    See,
    /// Something with a destructor may have died by its turns alone: somebody may wait for that, as whoever has the promise of a resolver does.
    Drop,
    /// Others have given up the last of an object.
    Collect,
}

/// What an actor has done since it last had reason to be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Since {
    Run,
    Rested,
}

impl Rest {
    /// A mark has ended.
    pub(super) fn is_marked(&mut self, turns: u64, now_ns: u64, took_ns: u64, after: &HeapStats) {
        (self.marked, self.marked_ns, self.took_ns) = (turns, now_ns, took_ns);
        if mem::take(&mut self.mark_is_for) == MarkIsFor::GivenUp {
            self.patience.is_marked(after);
        }
    }

    /// A mark is to begin because the actor was asked.
    fn will_be_marked(&mut self) {
        self.mark_is_for = match self.given_up {
            GivenUp::Nothing => MarkIsFor::Itself,
            GivenUp::Something => MarkIsFor::GivenUp,
        };
    }

    /// A mark has begun, and has heard what others had given up: what they give up from here on is for the next one.
    pub(super) fn mark_begins(&mut self) {
        self.given_up = GivenUp::Nothing;
    }

    /// When a mark takes no more than its share of the time, if the actor goes on as it is. None if there is none for this reason.
    fn mark_due_ns(&self, wants: Wants, since: Since, idle_after_ns: u64) -> Option<u64> {
        let share_ns = |share: u64| share.saturating_mul(self.took_ns);
        let after = |share: u64| self.marked_ns.saturating_add(share_ns(share));
        let soon_ns = idle_after_ns / u64::from(SOON);
        let patiently = |share: u64| {
            let waits_ns = self.patience.waits_ns(share_ns(share), soon_ns);
            self.marked_ns.saturating_add(waits_ns)
        };
        let rested_ns = after(SHARE_AT_REST).max(self.since_ns.saturating_add(idle_after_ns));
        match (wants, since) {
            (Wants::GiveUp | Wants::See, Since::Run) => None,
            (Wants::Collect, Since::Run) => Some(patiently(SHARE)),
            (Wants::Collect, Since::Rested) => Some(patiently(SHARE_AT_REST).min(rested_ns)),
            // It may be in vain, and the actor may be about to run again: the larger part is for one that has rested for long.
            (Wants::GiveUp, Since::Rested) => Some(after(SHARE).min(rested_ns)),
            (Wants::See | Wants::Drop, Since::Rested) => Some(rested_ns),
            // It is in vain as a rule, and there may be many like it.
            (Wants::Drop, Since::Run) => {
                let seldom_ns = idle_after_ns.saturating_mul(DROPS);
                Some(after(SHARE).max(self.marked_ns.saturating_add(seldom_ns)))
            }
        }
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
                let left = heap.is_settling() || heap.is_unswept() || heap.mark_waits();
                heap.young() > 0 || heap.imports() > 0 || marks || left
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
        self.begins_what_waited(worker, facts);
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

    /// A collection may have heard a piece of what others have left, for a mark that waits for it: who hears the rest is the actor, if no turn comes.
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
        self.ask_in(ns(if hang { idle_after / SOON } else { idle_after }));
    }

    fn ask_in(&mut self, in_ns: u64) {
        self.rest.question = match self.heap.imports() {
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
        self.rest.marked == self.turns || self.sighting.is_of(self.turns)
    }

    /// What a mark would be for.
    fn wants(&self) -> impl Iterator<Item = Wants> {
        let heap = &self.heap;
        let has_run = self.rest.marked != self.turns;
        let wants = [
            (Wants::GiveUp, heap.imports() > 0 && has_run),
            (Wants::See, heap.shows() && !self.sighting.is_of(self.turns)),
            (
                Wants::Drop,
                heap.has_destructors() && !self.is_marked_since(),
            ),
            (Wants::Collect, self.rest.given_up == GivenUp::Something),
        ];
        let may = heap.marking() != Marking::Never;
        let is_so = move |(wants, is_so)| (may && is_so).then_some(wants);
        wants.into_iter().filter_map(is_so)
    }

    /// When the next mark is due for the first of its reasons. None if it has none.
    fn mark_due_ns(&self, since: Since, idle_after_ns: u64) -> Option<u64> {
        let due_ns = |wants| self.rest.mark_due_ns(wants, since, idle_after_ns);
        self.wants().filter_map(due_ns).min()
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
                self.rest.answers = Answers::WhenAllIsHeard;
                self.will_be_tended(worker);
            }
        }
    }

    /// Goes on with what is to be heard.
    pub(super) fn goes_on_hearing(&mut self, worker: &Worker, facts: &HeapCounts) {
        if self.rest.hears == Hears::More && self.heed_in(worker, facts) == GivenUp::Something {
            self.bell.ask(heard_after_ns(&worker.system));
        }
        let waits = self.rest.answers == Answers::WhenAllIsHeard;
        if waits && self.rest.hears == Hears::All {
            self.answers(worker, facts);
        }
    }

    /// What becomes of the heap, now that all is heard: whether it is marked, or rests.
    fn answers(&mut self, worker: &Worker, facts: &HeapCounts) {
        self.rest.answers = Answers::AtOnce;
        let now_ns = worker.system.oracle.now_ns();
        let since = match self.rest.turns == self.turns {
            true => Since::Rested,
            false => Since::Run,
        };
        if since == Since::Run {
            (self.rest.turns, self.rest.since_ns) = (self.turns, now_ns);
        }
        let idle_after_ns = ns(worker.system.config.idle_after);
        let due_ns = self.mark_due_ns(since, idle_after_ns);
        // What is left to sweep of the last mark comes first, in pieces.
        let may_mark = !self.is_marking() && !self.heap.is_unswept();
        let marks = may_mark && due_ns.is_some_and(|due_ns| due_ns <= now_ns);
        if marks {
            self.marks(worker, facts);
        }
        self.begins_what_waited(worker, facts);
        self.will_be_tended(worker);
        if since == Since::Run {
            self.ask_in_time(worker);
            return;
        }
        let rests_at_ns = self.rest.since_ns.saturating_add(idle_after_ns);
        if marks || rests_at_ns <= now_ns {
            let rest = |_: &_, _: &_| PauseKind::Rest;
            self.timed_as(worker, facts, rest, |heap| {
                heap.collect_young();
                // What survived once is young still.
                heap.collect_young();
                heap.rest();
            });
        }
        let next_ns = match due_ns {
            // What is due is seen when the mark has ended that runs.
            Some(_) if self.is_marking() => Some(now_ns.saturating_add(idle_after_ns)),
            Some(due_ns) if !marks => Some(due_ns),
            _ if self.heap.young() > 0 && now_ns < rests_at_ns => Some(rests_at_ns),
            _ => None,
        };
        if let Some(next_ns) = next_ns {
            self.ask_in(next_ns.saturating_sub(now_ns));
        }
    }
}

impl<A: Actor<Space = Collected>> Heaped<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    /// Marks, or begins to, if the heap is large; and sees which addresses lie in its objects.
    fn marks(&mut self, worker: &Worker, facts: &HeapCounts) {
        let (turns, mut begun) = (self.turns, Begun::Ended);
        self.rest.will_be_marked();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_keep_to_their_share_of_the_time() {
        let (idle_after_ns, mark_ns) = (1_000, 80);
        let mut rest = Rest::default();
        rest.is_marked(5, 10_000, mark_ns, &HeapStats::default());
        rest.since_ns = 10_000;
        let due_ns = |rest: &Rest, wants, since| rest.mark_due_ns(wants, since, idle_after_ns);
        assert_eq!(due_ns(&rest, Wants::GiveUp, Since::Run), None);
        // A tenth if it rests, a hundredth if it does not.
        assert_eq!(due_ns(&rest, Wants::Collect, Since::Rested), Some(10_800));
        assert_eq!(due_ns(&rest, Wants::Collect, Since::Run), Some(18_000));
        // What may be in vain: a tenth only after a long rest.
        assert_eq!(due_ns(&rest, Wants::GiveUp, Since::Rested), Some(11_000));
        rest.took_ns = 5;
        assert_eq!(due_ns(&rest, Wants::GiveUp, Since::Rested), Some(10_500));
        // For destructors in a tenth of the time, after a long rest; seldom if it does not rest.
        assert_eq!(due_ns(&rest, Wants::Drop, Since::Rested), Some(11_000));
        assert_eq!(due_ns(&rest, Wants::Drop, Since::Run), Some(20_000));
        rest.took_ns = 500;
        assert_eq!(due_ns(&rest, Wants::Drop, Since::Rested), Some(15_000));
        assert_eq!(due_ns(&rest, Wants::Drop, Since::Run), Some(60_000));
        assert_eq!(due_ns(&rest, Wants::GiveUp, Since::Rested), Some(15_000));
    }

    #[test]
    fn who_was_marked_in_vain_waits_for_longer_but_not_at_rest() {
        let (idle_after_ns, mark_ns) = (1_000, 5);
        let mut rest = Rest::default();
        let marked = |rest: &mut Rest, given_up| {
            rest.given_up = given_up;
            rest.will_be_marked();
            rest.mark_begins();
            rest.is_marked(5, 10_000, mark_ns, &HeapStats::default());
        };
        rest.since_ns = 10_000;
        let due_ns = |rest: &Rest, wants, since| rest.mark_due_ns(wants, since, idle_after_ns);
        // For another reason.
        marked(&mut rest, GivenUp::Nothing);
        assert_eq!(due_ns(&rest, Wants::Collect, Since::Run), Some(10_500));
        assert_eq!(due_ns(&rest, Wants::Collect, Since::Rested), Some(10_050));
        marked(&mut rest, GivenUp::Something);
        assert_eq!(due_ns(&rest, Wants::Collect, Since::Run), Some(11_000));
        assert_eq!(due_ns(&rest, Wants::Collect, Since::Rested), Some(10_250));
        marked(&mut rest, GivenUp::Something);
        assert_eq!(due_ns(&rest, Wants::Collect, Since::Run), Some(12_000));
        assert_eq!(due_ns(&rest, Wants::Collect, Since::Rested), Some(10_500));
        (0..9).for_each(|_| marked(&mut rest, GivenUp::Something));
        assert_eq!(due_ns(&rest, Wants::Collect, Since::Run), Some(42_000));
        assert_eq!(due_ns(&rest, Wants::Collect, Since::Rested), Some(11_000));
        // Other reasons do not wait.
        assert_eq!(due_ns(&rest, Wants::GiveUp, Since::Rested), Some(10_500));
        assert_eq!(due_ns(&rest, Wants::Drop, Since::Run), Some(20_000));
    }
}
