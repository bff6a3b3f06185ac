//! [`Orphan`]: what is left of a heap that has ended, as long as others know of its objects (O9), or there is more in it than is freed at once.

use crate::collector::{Progress, Shows};
use crate::heap::{Core, Heap, Root};
use crate::old::Portion;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::stress::When;
use std::cell::UnsafeCell;
use std::fmt;

/// To sweep a run of pages takes as long as to go through so many objects.
const RUN: usize = 16;

/// Changes that are heard at a time by who does not step.
const HEARD: usize = 1024;

/// Bytes that an object of a heap that is collected at once is taken to have.
const OBJECT: usize = 64;

/// The state of a heap without a state.
pub(super) struct Nothing;

impl Root for Nothing {
    type Of<'gc> = ();
}

/// What is left of a heap that has ended: objects that others know of, and what these reach; and
/// what nobody needs, until it is freed.
///
/// Its lane must be heeded now and then, or what others give up is never freed: see
/// [`Orphan::heed`], and [`Orphan::step`] for who has no time to do it at once. One that is dropped
/// while others know of its objects leaks these, for good.
#[must_use = "an orphan that is dropped too early leaks its objects"]
pub struct Orphan {
    pub(super) heap: Heap<Nothing>,
    wants: Wants,
}

/// What an orphan has heard since its last mark began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wants {
    /// Nothing that matters.
    Nothing,
    /// Others have given up the last of an object; or no mark has begun since the heap ended.
    Mark,
    /// The mark that runs began with the state of the heap: what it has met says nothing, and it is
    /// given up for another one.
    Another,
}

/// What an orphan does next.
enum Due {
    /// More is to be heard before it is known.
    Hear,
    /// Nobody has any of it, and what is left is dropped: little, or all is swept.
    End,
    /// It marks and sweeps at once.
    All,
    Sweep,
    /// The mark that runs goes on.
    Mark,
    /// A mark begins.
    Begin,
    Rest,
}

/// What is left of an orphan, and what its keeper must do.
#[must_use = "an orphan that is dropped too early leaks its objects"]
#[derive(Debug)]
pub enum Remains {
    /// Others have what is left, and nothing is to be done until it is told.
    Rests(Orphan),
    /// Something is left to do: by the next step.
    Owes(Orphan),
    /// Nobody had any of it, and everything is freed.
    Gone,
}

impl<R: Root> Heap<R> {
    /// Ends the heap: the state is dropped, and all objects but those that others know of. None if
    /// nothing is left.
    ///
    /// What has more than 256 KiB is not gone through here: it is left to [`Orphan::step`] or
    /// [`Orphan::heed`], also if nobody knows of any of it. Else this costs a mark of what others
    /// know, and a sweep of all; if that is nothing, what dropping it costs.
    pub fn end(self) -> Option<Orphan> {
        Orphan::left(self.with_state::<Nothing>(()))
    }
}

impl Orphan {
    /// What is left of a heap whose state was never made.
    pub(crate) fn of(core: Box<UnsafeCell<Core>>) -> Option<Orphan> {
        Orphan::left(Heap::of(core, ()))
    }

    fn left(heap: Heap<Nothing>) -> Option<Orphan> {
        let wants = Wants::Mark;
        let mut orphan = Orphan { heap, wants };
        if !orphan.goes_in_steps() {
            let is_alone = orphan.heap.is_alone();
            return if is_alone { None } else { orphan.heed() };
        }
        let core = orphan.heap.core();
        if core.is_marking() && !core.is_settling() {
            orphan.wants = Wants::Another;
        }
        Some(orphan)
    }

    /// Whether others have left something that it has not heard of. Costs a load.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.heap.is_told()
    }

    /// Whether there is something to do for [`Orphan::step`], as far as it has heard.
    #[must_use]
    pub fn owes(&self) -> bool {
        self.wants != Wants::Nothing || self.is_marked() || self.heap.is_hearing()
    }

    /// Hears what others have given up since, or a piece of it. Whether the next step is the first
    /// of a mark.
    ///
    /// Costs next to nothing.
    pub fn wants_mark(&mut self) -> bool {
        self.hears(HEARD);
        let wants = match self.wants {
            Wants::Nothing => false,
            Wants::Mark => !self.is_marked(),
            Wants::Another => true,
        };
        wants && !self.heap.is_hearing()
    }

    /// Hears what others have given up since, or a piece of it. Whether that was all that they knew
    /// of.
    ///
    /// Costs a look at the counts of what others know until one is found, and frees nothing.
    pub fn is_given_up(&mut self) -> bool {
        self.hears(HEARD);
        self.knows_all() && self.heap.has_heard_all_out()
    }

    /// Whether it has taken what others have left, and has not come to all of it. Costs a few
    /// loads.
    #[must_use]
    pub fn is_hearing(&self) -> bool {
        self.heap.is_hearing()
    }

    /// Whether a mark of its own runs, or the dead of the last one are not swept yet.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        let is_stale = self.wants == Wants::Another;
        !is_stale && (self.heap.core().is_marking() || self.heap.is_unswept())
    }

    /// Whether it has heard of all that others have left. Only then a count of zero says that
    /// nobody knows (O6).
    fn knows_all(&self) -> bool {
        !self.heap.is_told()
    }

    /// Hears what others have given up since, and does all that is to be done, at once. None if
    /// that was all: then everything is freed.
    ///
    /// Costs next to nothing as long as somebody has all of it.
    pub fn heed(self) -> Option<Orphan> {
        let mut orphan = self;
        loop {
            let mut all = usize::MAX;
            orphan = match orphan.step(&mut all) {
                Remains::Rests(orphan) => return Some(orphan),
                Remains::Owes(orphan) => orphan,
                Remains::Gone => return None,
            };
        }
    }

    /// Hears what others have given up since, and does a piece of what is to be done, by so much
    /// `work` at most, from which it takes what it has done. One unit is an object that is gone
    /// through, some 10 to 50 ns; or what takes as long.
    ///
    /// A heap of 256 KiB or less is marked and swept at once; any is if the source has hardly any
    /// pages left. Else one of these: a mark begins, objects are gone through, what knows of the
    /// dead hears of them, runs are swept. If others have given up something meanwhile, another
    /// mark follows.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vivant_heap::{Heap, Pacing, Remains, Root, Source, Val};
    ///
    /// struct Numbers;
    /// impl Root for Numbers {
    ///     type Of<'gc> = Vec<Val<'gc, u64>>;
    /// }
    ///
    /// let source = Arc::new(Source::new());
    /// let mut heap = Heap::<Numbers>::new(&source, Pacing::default(), |m| (0..50_000).map(|n| m.val(n)).collect());
    /// let held = heap.turn(|m, numbers| m.hold(numbers[7]));
    /// let mut orphan = heap.end().expect("one is held");
    /// let orphan = loop {
    ///     orphan = match orphan.step(&mut 1_000) {
    ///         Remains::Owes(orphan) => orphan,
    ///         Remains::Rests(orphan) => break orphan,
    ///         Remains::Gone => unreachable!("one is held"),
    ///     };
    /// };
    /// drop(held);
    /// assert!(orphan.heed().is_none());
    /// assert_eq!(source.stats().pages, 0);
    /// ```
    pub fn step(mut self, work: &mut usize) -> Remains {
        *work = work.saturating_sub(1);
        let piece = match self.heap.core().is_short() {
            true => usize::MAX,
            false => (*work).max(1),
        };
        self.hears(piece);
        match self.due() {
            Due::Rest => {
                self.heap.rest();
                return Remains::Rests(self);
            }
            Due::End => return Remains::Gone,
            Due::All => return self.collects(work),
            Due::Hear => {}
            Due::Sweep => self.heap.sweep_some((piece / RUN).max(1)),
            Due::Mark => self.goes_on(piece),
            Due::Begin => self.begins_mark(),
        }
        *work = 0;
        self.heap.check();
        Remains::Owes(self)
    }

    fn due(&mut self) -> Due {
        let hears = self.heap.is_hearing();
        // Asked for when it matters: it may cost a look at all exports.
        match self.wants {
            Wants::Mark | Wants::Another if !hears && !self.goes_in_steps() => {
                self.ends_or(Due::All)
            }
            Wants::Another if !hears => Due::Begin,
            Wants::Another => Due::Hear,
            _ if self.heap.is_unswept() => Due::Sweep,
            _ if self.heap.core().is_marking() => Due::Mark,
            _ if hears => Due::Hear,
            Wants::Mark => Due::Begin,
            Wants::Nothing => self.ends_or(Due::Rest),
        }
    }

    /// That it ends, if nobody has any of it.
    fn ends_or(&mut self, otherwise: Due) -> Due {
        match self.heap.has_heard_all_out() {
            true if self.knows_all() => Due::End,
            true => Due::Hear,
            false => otherwise,
        }
    }

    /// All at once.
    fn collects(mut self, work: &mut usize) -> Remains {
        let heap = &mut self.heap;
        *work = work.saturating_sub(heap.core().old.living() / OBJECT);
        self.wants = Wants::Nothing;
        heap.collect();
        heap.sweep();
        Remains::Owes(self)
    }

    fn begins_mark(&mut self) {
        self.wants = Wants::Nothing;
        let (core, state) = self.heap.parts();
        core.abandon_cycle();
        // All is swept, unless that had to end.
        while !core.old.sweep(Portion::ALL, &core.source) {}
        core.begin_cycle(state, Shows::Nothing);
    }

    /// Whether it has so much that it is not to be collected at once.
    fn goes_in_steps(&self) -> bool {
        let core = self.heap.core();
        match core.pacing.stress.map_or(When::Paced, |stress| stress.when) {
            When::Never => false,
            When::Beside => true,
            _ => core.is_large() && !core.is_short(),
        }
    }

    /// Nobody tells of anything a second time: a destructor of this heap, perhaps, which gives up
    /// another object of it.
    pub(super) fn hears(&mut self, most: usize) {
        let fewer = self.heap.heed_some(most);
        #[cfg(test)]
        if is_planted(Planted::DeafOrphan) && self.heap.core().is_marking() {
            return;
        }
        if fewer && self.wants == Wants::Nothing {
            self.wants = Wants::Mark;
        }
    }

    /// The mark that runs, which nobody else helps with: all is met, and then settled.
    fn goes_on(&mut self, piece: usize) {
        let core = self.heap.parts().0;
        if core.is_settling() || core.work_at_cycle(piece) != Progress::More {
            let _ended = core.go_on_with_cycle(Some(piece));
        }
    }
}

impl fmt::Debug for Orphan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Orphan").field("heap", &self.heap).finish()
    }
}
