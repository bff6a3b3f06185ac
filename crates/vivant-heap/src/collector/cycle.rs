//! [`Cycle`]: a mark that runs beside the turns of its heap, as the heap's holder has it (H6 to H8). See [README.md](README.md).

use super::claim::{self, Claim};
use super::debt::Debt;
use super::mark::{Mark, Marker, Progress};
use super::relocator::Ageing;
use super::scanner::Scanner;
use super::settling::Settling;
use super::work_list::{Round, Work};
use super::{Shows, Whole};
use crate::header::Header;
use crate::heap::Core;
use crate::orca::{Owner, Sharing, Taken};
use crate::pages::chunk::{age_of, state_of};
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::stats::Waits;
use crate::sync::{Arc, Ordering, yield_now};
use crate::types::Object;
use crate::walk::Walk;
use std::collections::HashSet;
use std::ptr::NonNull;

/// Objects of the owner's log that wait for others to come: to hand them over takes longer than to
/// meet one.
const LOG: usize = 256;

/// Objects that others know are looked at, so many between two turns, until the mark has them all:
/// some ten microseconds.
const KNOWN: usize = 4096;

/// A mark that runs.
pub(crate) struct Cycle {
    mark: Arc<Mark>,
    stage: Stage,
    /// What others know of this heap's objects: they are roots.
    known: Taken,
    /// The owner's. What it has is handed over at the end of each turn.
    scanner: Scanner,
    /// Of bytes of cells and large objects.
    debt: Debt,
    /// Bytes of regions that were pinned when the mark began.
    pinned: usize,
    /// Of the owner, for markers.
    waits: Waits,
    /// Under stress: what a simple mark has met at the beginning.
    shadow: Option<HashSet<NonNull<Header>>>,
}

/// What is done of a mark.
enum Stage {
    /// All is met that lived when it began: by whoever helps.
    Marks,
    /// The list of work is closed. What was not met is dead; what knows of it hears so, by and by.
    Settles(Settling),
}

/// What becomes of an object that is to come to a turn by a way on which marks do not go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Revived {
    Lives,
    /// A mark has found it dead, and nobody gets it any more.
    Not,
}

/// What has become of a mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    Yes,
    NotYet,
}

impl Cycle {
    /// The first write to an old object since the nursery was last emptied: it is gone through as
    /// it is (H5).
    #[cold]
    pub(crate) fn before_write(&mut self, object: NonNull<Header>) {
        #[cfg(test)]
        if is_planted(Planted::UnclaimedWrite) {
            return;
        }
        if let Stage::Settles(_) = self.stage {
            // All that turns have was met, or was born since.
            return;
        }
        // SAFETY: an old object of this heap, which a turn uses.
        let table = unsafe { object.as_ref() }.table();
        if !table.needs_trace {
            return;
        }
        // A turn may go on after a panic; an object that stays claimed would have all wait for
        // ever.
        let whole = Whole;
        // SAFETY: as above. What was born since the mark began has its epoch, so it is not gone
        // through.
        let came = unsafe { self.scanner.visit(object, Round::Second) };
        std::mem::forget(whole);
        if came == Claim::Others {
            self.waits.times += 1;
            // SAFETY: as above.
            let state = unsafe { state_of(object.cast()) };
            self.waits.looks += claim::wait(state, self.mark.epoch);
        }
    }

    /// An object is to come to a turn by a way on which the mark does not go: by a weak reference,
    /// or by the table of tags.
    #[inline]
    pub(crate) fn revives(&mut self, object: NonNull<Header>) -> Revived {
        // SAFETY: an object of this heap, which is there: nothing is swept as long as a cycle
        // lasts.
        let young = unsafe { age_of(object.cast()) }.is_young();
        // SAFETY: as above. Relaxed: nothing is read by it.
        let state = || unsafe { state_of(object.cast()) }.load(Ordering::Relaxed);
        if young || state() == self.mark.epoch {
            return Revived::Lives;
        }
        match self.stage {
            Stage::Marks => {
                self.scanner.met(object);
                Revived::Lives
            }
            #[cfg(test)]
            Stage::Settles(_) if is_planted(Planted::LateRevival) => Revived::Lives,
            Stage::Settles(_) => Revived::Not,
        }
    }

    /// Whether all is met.
    pub(crate) fn settles(&self) -> bool {
        matches!(self.stage, Stage::Settles(_))
    }

    /// Whether the owner has something to do for it, at this weight: to pay, to hand a long log
    /// over, or to settle what is owed.
    #[inline]
    pub(crate) fn is_due(&self, weight: usize) -> bool {
        match &self.stage {
            Stage::Marks => {
                self.known == Taken::Some
                    || self.debt.is_due(weight)
                    || self.scanner.block.objects.len() >= LOG
            }
            Stage::Settles(settling) => settling.is_due(weight),
        }
    }

    /// Takes in what others know: so many of these.
    fn takes_in(&mut self, sharing: &mut Sharing, most: usize) {
        if self.known == Taken::Some {
            let scanner = &mut self.scanner;
            self.known = sharing.take(most, |object| scanner.known(object));
        }
    }

    /// What turns and collections have found is all markers' from here on.
    fn hands_over(&mut self) {
        self.mark.hands_over(&mut self.scanner);
        if !self.scanner.block.is_empty() {
            self.mark.list.put(&mut self.scanner.block);
        }
    }

    /// Under stress: what was alive when the mark began has been met.
    fn check_shadow(&self) {
        let Some(shadow) = &self.shadow else { return };
        for object in shadow {
            // SAFETY: it lived when the mark began, and nothing was swept since. Relaxed: all
            // markers have left.
            let state = unsafe { state_of(object.cast()) }.load(Ordering::Relaxed);
            assert!(
                state == self.mark.epoch,
                "H6 is broken at {object:p}: it lived when the mark began, and was not met"
            );
        }
    }
}

impl Core {
    /// Begins a mark beside the turns. All is swept.
    pub(crate) fn begin_cycle<'gc>(&mut self, roots: &mut impl Object<'gc>, shows: Shows) {
        debug_assert!(
            self.cycle.get_mut().is_none() && self.old.unswept == 0,
            "H6"
        );
        self.waits_since = None;
        self.minor(roots, Ageing::Never);
        let whole = Whole;
        self.heed();
        self.old.mark_begins();
        let mark = Arc::new(Mark::new(self.old.epoch.0, Owner::name(&self.owner), shows));
        let mut scanner = Scanner::new(&mark);
        scanner.roots(|tracer| roots.trace(tracer), Round::First);
        self.sharing.get_mut().mark_begins();
        let stressed = self.pacing.stress.is_some();
        let shadow = stressed.then(|| self.shadow(roots));
        let mut cycle = Box::new(Cycle {
            mark,
            stage: Stage::Marks,
            known: Taken::Some,
            scanner,
            debt: Debt::begin(self.old.live, self.lived, self.weight()),
            pinned: self.pinned,
            waits: Waits::default(),
            shadow,
        });
        // Under stress: few, so that turns come in between.
        let some = if stressed { 1 } else { KNOWN };
        cycle.takes_in(self.sharing.get_mut(), some);
        cycle.hands_over();
        *self.cycle.get_mut() = Some(cycle);
        self.counted.begins();
        std::mem::forget(whole);
    }

    /// All that a simple mark meets.
    fn shadow<'gc>(&mut self, roots: &impl Object<'gc>) -> HashSet<NonNull<Header>> {
        let own = Owner::name(&self.owner);
        let known = self.sharing.get_mut().roots();
        let mut walk = Walk::new(own, known);
        walk.state(roots);
        // SAFETY: the heap is borrowed, so no turn runs; what its state refers to and what others
        // know lives.
        unsafe { walk.finish(|_, _| {}) }
    }

    /// Between two turns: hands over what they have found. If the mark is through, a piece of what
    /// it leaves is settled, of so many entries; or of as many as are due. Ends the mark if that
    /// was the last one.
    pub(crate) fn go_on_with_cycle(&mut self, entries: Option<usize>) -> Ended {
        let Some(mut cycle) = self.cycle.get_mut().take() else {
            return Ended::NotYet;
        };
        let ended = self.step_of(&mut cycle, entries);
        match ended {
            Ended::Yes => self.end_cycle(*cycle),
            Ended::NotYet => *self.cycle.get_mut() = Some(cycle),
        }
        ended
    }

    fn step_of(&mut self, cycle: &mut Cycle, entries: Option<usize>) -> Ended {
        if let Stage::Marks = cycle.stage {
            cycle.takes_in(self.sharing.get_mut(), entries.unwrap_or(KNOWN));
            cycle.hands_over();
            if cycle.known == Taken::Some || !cycle.mark.list.is_drained() {
                return Ended::NotYet;
            }
            cycle.mark.list.close();
            cycle.check_shadow();
            let found = std::mem::take(&mut *cycle.mark.found());
            let settling = Settling::new(self, cycle.mark.epoch, cycle.debt.began, found);
            cycle.stage = Stage::Settles(settling);
        }
        let Stage::Settles(settling) = &mut cycle.stage else {
            return Ended::NotYet;
        };
        self.counted.settles();
        let due = settling.due(self.weight());
        let whole = Whole;
        let ended = settling.settle(self, entries.unwrap_or(due));
        std::mem::forget(whole);
        ended
    }

    /// Pays for what was made old since the mark began: goes through so much that it will be
    /// through when the heap has grown.
    pub(crate) fn pay(&mut self) {
        let weight = self.weight();
        let Some(cycle) = self.cycle.get_mut() else {
            return;
        };
        if cycle.settles() {
            return;
        }
        let met = cycle.mark.bytes();
        let Some(piece) = cycle.debt.next(weight, met) else {
            return;
        };
        self.counted.slice();
        if piece == usize::MAX {
            cycle.takes_in(self.sharing.get_mut(), piece);
            cycle.hands_over();
        }
        let _what_is_left = cycle.mark.work(piece);
    }

    /// Goes through so many objects.
    pub(crate) fn work_at_cycle(&mut self, objects: usize) -> Progress {
        match self.cycle.get_mut() {
            Some(cycle) => cycle.mark.work(objects),
            None => Progress::Over,
        }
    }

    /// Ends the mark that runs, if one does, whatever is left to do.
    pub(crate) fn go_through_cycle(&mut self) {
        while self.is_marking() && self.go_on_with_cycle(Some(usize::MAX)) == Ended::NotYet {
            if self.work_at_cycle(usize::MAX) == Progress::Nothing {
                yield_now();
            }
        }
    }

    /// All is settled: from here on what was not met may be swept.
    fn end_cycle(&mut self, cycle: Cycle) {
        let Stage::Settles(Settling { found, .. }) = cycle.stage else {
            return;
        };
        let born = self.old.live - cycle.debt.began;
        self.old.mark_ends(found.bytes + born);
        self.gave_up = false;
        let pinned = self.pinned - cycle.pinned;
        self.next_mark(born);
        self.pinned = pinned;
        self.counted.waited(cycle.waits);
        self.counted.major(found.objects);
        self.counted.ends();
        self.showing = found.showing;
    }

    /// Gives a mark up that runs beside the turns; its markers leave first. One that has met all is
    /// settled, and ends: somebody may have heard of the dead, and what only they lead to may be
    /// given up. So does one that has begun when another was given up: the third would have the
    /// epoch of the last that ended, and take for met what neither has met.
    pub(crate) fn abandon_cycle(&mut self) {
        if self.is_settling() || self.gave_up {
            self.go_through_cycle();
        }
        if let Some(cycle) = self.cycle.get_mut().take() {
            self.gave_up = true;
            cycle.mark.list.close();
            self.counted.waited(cycle.waits);
            self.counted.gives_up();
            self.sharing.get_mut().forget_mark();
        }
    }

    /// The right to help with the mark that runs.
    pub(crate) fn marker(&self) -> Option<Marker> {
        let cycle = self.cycle.borrow();
        cycle.as_ref().map(|cycle| Marker(cycle.mark.clone()))
    }
}
