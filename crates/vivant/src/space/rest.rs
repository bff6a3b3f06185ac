//! An actor that has not run for a while rests: it keeps no nursery, and nothing that others could do without.

use super::Collected;
use super::collected::Heaped;
use super::sighting::Sighting;
use crate::actor::Actor;
use crate::call::Delivery;
use crate::cell::{AddressRef, StateRef};
use crate::error::Refusal;
use crate::mailbox::{Envelope, Kind, Letter, Role, Step};
use crate::promise::Next;
use crate::scheduler::Worker;
use crate::space::HeapCounts;
use std::marker::PhantomData;
use std::panic::Location;
use vivant_heap::{Heap, Object};

/// A heap that is marked because it rests, or because others have given something up, is so for no more than this part of the time.
const SHARE: u64 = 100;

/// Of one that rests, of a larger part: nobody waits for it, and what others have given up ends with the mark.
const SHARE_AT_REST: u64 = 10;

/// A lane is looked at after so many turns, whether or not the heap collects.
const TURNS: u64 = 64;

/// What a heap has to do when its actor rests.
#[derive(Default)]
pub(super) struct Rest {
    /// Whether the actor knows that it will be asked. It may be so without its knowledge.
    pub(super) question: Question,
    /// The number of its turns when it last had reason to be asked, or was.
    turns: u64,
    /// The last mark: after how many turns it came, when it ended, and how long it took.
    marked: u64,
    marked_ns: u64,
    took_ns: u64,
    /// What others have given up since.
    given_up: GivenUp,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Question {
    #[default]
    None,
    Comes,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum GivenUp {
    #[default]
    Nothing,
    /// The last that others knew of an object: a mark may find it dead.
    Something,
}

impl Rest {
    /// A mark has ended.
    pub(super) fn is_marked(&mut self, turns: u64, now_ns: u64, took_ns: u64) {
        (self.marked, self.marked_ns, self.took_ns) = (turns, now_ns, took_ns);
        self.given_up = GivenUp::Nothing;
    }

    /// Whether a mark would not take more than its share of the time.
    fn may_mark(&self, now_ns: u64, share: u64) -> bool {
        now_ns.saturating_sub(self.marked_ns) >= share.saturating_mul(self.took_ns)
    }
}

impl<A: Actor<Space = Collected>> Heaped<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    /// The actor has run: it will be asked later whether it rests, if it then has something to do.
    #[inline]
    pub(super) fn will_rest(&mut self) {
        if self.rest.question == Question::None
            && (self.heap.young() > 0 || self.heap.imports() > 0 || self.heap.shows())
        {
            self.ask_later();
        }
        if self.turns.is_multiple_of(TURNS) && self.heed() == GivenUp::Something {
            self.bell.ask();
        }
    }

    #[cold]
    fn ask_later(&mut self) {
        self.rest.question = Question::Comes;
        self.rest.turns = self.turns;
        self.bell.ask();
    }

    /// Hears what others have left.
    pub(super) fn heed(&mut self) -> GivenUp {
        if self.heap.heed() {
            self.rest.given_up = GivenUp::Something;
        }
        self.rest.given_up
    }

    /// The actor is asked whether it has run lately.
    fn is_asked(&mut self, worker: &Worker, facts: &HeapCounts) {
        self.rest.question = Question::None;
        facts.asked(&self.heap.stats());
        // In this order: what comes after the look rings.
        self.bell.listens();
        let given_up = self.heed() == GivenUp::Something;
        let rests = self.rest.turns == self.turns;
        // What it has of others may have died by its turns alone.
        let gives_up = self.heap.imports() > 0 && self.rest.marked != self.turns;
        // So may objects with addresses; and nobody knows yet which ones there are (O10).
        let unseen = self.heap.shows() && !self.sighting.is_of(self.turns);
        let share = if rests { SHARE_AT_REST } else { SHARE };
        let now_ns = worker.system.oracle.now_ns();
        let wants = given_up || rests && (gives_up || unseen);
        let may = self.rest.may_mark(now_ns, share);
        if wants && may {
            let turns = self.turns;
            let mut sighting = Sighting::default();
            self.timed(worker, facts, |heap| {
                sighting = Sighting::by(turns, |each| heap.collect_and_show(each));
            });
            self.sighting = sighting;
            self.timed(worker, facts, Heap::sweep);
        }
        if !rests || wants && !may {
            self.ask_later();
        }
        if rests {
            self.timed(worker, facts, Heap::collect_young);
            // What survived once is young still.
            self.timed(worker, facts, Heap::collect_young);
            self.heap.rest();
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
