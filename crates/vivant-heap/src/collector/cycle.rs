//! [`Cycle`]: a concurrent mark of a heap, as the heap's holder sees it (H6 to H8). See
//! [README.md](README.md).

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

/// The owner's log (SATB buffer) is flushed when it has so many objects. Flushing a shorter one
/// costs more than marking its objects.
const LOG: usize = 256;

/// Exports examined between two turns until the mark has taken all of them: some ten microseconds.
const KNOWN: usize = 4096;

/// A concurrent mark.
pub(crate) struct Cycle {
    mark: Arc<Mark>,
    stage: Stage,
    /// Whether exports are left to examine. They are roots.
    known: Taken,
    /// The owner's scanner, with the log. It is flushed at the end of a turn.
    scanner: Scanner,
    /// The mutator assist that is due, in bytes of blocks and large objects.
    debt: Debt,
    /// Bytes of regions that were pinned when the mark began.
    pinned: usize,
    /// How often, and how long, the owner has waited for markers.
    waits: Waits,
    /// Under stress: the objects that a simple mark has reached at the beginning.
    shadow: Option<HashSet<NonNull<Header>>>,
}

/// The stage of a mark.
enum Stage {
    /// Markers and the holder mark the objects that were alive when it began.
    Marks,
    /// Mark termination. The mark queue is closed, and unmarked objects are dead. Each termination
    /// step updates some of the structures that refer to dead objects.
    Settles(Settling),
}

/// Whether a turn may get an object that it reaches by a weak reference or the tag table, which
/// marks do not follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Revived {
    Lives,
    /// A mark has found it dead: no turn gets it any more.
    Not,
}

/// Whether a mark has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    Yes,
    NotYet,
}

impl Cycle {
    /// The SATB barrier: called before the first write to an old object since the nursery was last
    /// emptied. Scans the object as it is at that moment (H5).
    #[cold]
    pub(crate) fn before_write(&mut self, object: NonNull<Header>) {
        #[cfg(test)]
        if is_planted(Planted::UnclaimedWrite) {
            return;
        }
        if let Stage::Settles(_) = self.stage {
            // During termination: all objects that turns have are marked, or were born since.
            return;
        }
        // SAFETY: an old object of this heap, which a turn uses, so it is live.
        let table = unsafe { object.as_ref() }.table();
        if !table.needs_trace {
            return;
        }
        // A turn may continue after a panic, and the markers would wait for ever for an object that
        // stays claimed: abort instead.
        let whole = Whole;
        // SAFETY: an old object of this heap, which a turn uses, so it is live. An object born
        // since the mark began has the mark's epoch, so `visit` does not scan it.
        let came = unsafe { self.scanner.visit(object, Round::Second) };
        std::mem::forget(whole);
        if came == Claim::Others {
            self.waits.times += 1;
            // SAFETY: an old object of this heap: it lies in a chunk, which has its state byte.
            let state = unsafe { state_of(object.cast()) };
            self.waits.looks += claim::wait(state, self.mark.epoch);
        }
    }

    /// A turn is about to get an object by a weak reference or by the tag table, which the mark
    /// does not follow. During the mark the object is logged. During termination a dead object is
    /// refused.
    #[inline]
    pub(crate) fn revives(&mut self, object: NonNull<Header>) -> Revived {
        // SAFETY: an object of this heap, still in its place: nothing is swept as long as a cycle
        // lasts.
        let young = unsafe { age_of(object.cast()) }.is_young();
        // SAFETY: the object is still in its place, because nothing is swept as long as a cycle
        // lasts. Relaxed: no data is read on the strength of this load.
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

    /// Whether the mark is complete and termination runs.
    pub(crate) fn settles(&self) -> bool {
        matches!(self.stage, Stage::Settles(_))
    }

    /// Whether the owner has work for this cycle at this weight: exports to take, an assist, a long
    /// log to flush, or termination entries that are due.
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

    /// Takes at most `most` exports as roots.
    fn takes_in(&mut self, sharing: &mut Sharing, most: usize) {
        if self.known == Taken::Some {
            let scanner = &mut self.scanner;
            self.known = sharing.take(most, |object| scanner.known(object));
        }
    }

    /// Flushes the owner's log and findings to the mark, where every marker can take them.
    fn hands_over(&mut self) {
        self.mark.hands_over(&mut self.scanner);
        if !self.scanner.block.is_empty() {
            self.mark.list.put(&mut self.scanner.block);
        }
    }

    /// Under stress: asserts that each object alive at the beginning of the mark is marked.
    fn check_shadow(&self) {
        let Some(shadow) = &self.shadow else { return };
        for object in shadow {
            // SAFETY: it was alive when the mark began, and nothing was swept since. Relaxed: all
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
    /// Begins a concurrent mark. All spans are swept.
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
        // Under stress: few, so that turns run in between.
        let some = if stressed { 1 } else { KNOWN };
        cycle.takes_in(self.sharing.get_mut(), some);
        cycle.hands_over();
        *self.cycle.get_mut() = Some(cycle);
        self.counted.begins();
        std::mem::forget(whole);
    }

    /// All objects that a simple mark reaches.
    fn shadow<'gc>(&mut self, roots: &impl Object<'gc>) -> HashSet<NonNull<Header>> {
        let own = Owner::name(&self.owner);
        let known = self.sharing.get_mut().roots();
        let mut walk = Walk::new(own, known);
        walk.state(roots);
        // SAFETY: the heap is borrowed, so no turn runs; the objects that its state and its exports
        // refer to are live.
        unsafe { walk.finish(|_, _| {}) }
    }

    /// One step of the cycle between two turns. Takes exports and flushes the log. Once the mark is
    /// complete it also processes termination entries: `entries` of them, or as many as are due if
    /// that is `None`. Ends the mark after the last entry.
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

    /// A mutator assist: marks in proportion to the bytes promoted since the mark began, so that
    /// the mark is complete when the heap has grown by the pacer's part.
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

    /// Scans at most `objects` objects.
    pub(crate) fn work_at_cycle(&mut self, objects: usize) -> Progress {
        match self.cycle.get_mut() {
            Some(cycle) => cycle.mark.work(objects),
            None => Progress::Over,
        }
    }

    /// Completes and ends the mark that runs, if one does, in one piece.
    pub(crate) fn go_through_cycle(&mut self) {
        while self.is_marking() && self.go_on_with_cycle(Some(usize::MAX)) == Ended::NotYet {
            if self.work_at_cycle(usize::MAX) == Progress::Nothing {
                yield_now();
            }
        }
    }

    /// Termination is over: from here on unmarked objects may be swept.
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

    /// Aborts the concurrent mark, after its markers have left. A mark in termination is completed
    /// instead: a death may have been reported, and imports that only dead objects lead to may have
    /// been released. So is a mark that began after an aborted one: a third would reuse the epoch
    /// of the last mark that ended, and take objects for marked that neither aborted mark has
    /// reached.
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
