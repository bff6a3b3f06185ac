//! [`Cycle`]: a mark that runs beside the turns of its heap, as the heap's holder has it (H6 to H8). See [README.md](README.md).

use super::claim::{self, Claim};
use super::debt::Debt;
use super::marking::{Marker, Marking, Progress};
use super::relocator::Ageing;
use super::scanner::Scanner;
use super::work_list::{Round, Work};
use super::{Shows, Whole};
use crate::header::Header;
use crate::heap::Core;
use crate::orca::Owner;
use crate::pages::chunk::{age_of, state_of};
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::stats::Waits;
use crate::sync::{Arc, Ordering, yield_now};
use crate::types::{Object, Target};
use std::collections::HashSet;
use std::ptr::NonNull;

/// Objects of the owner's log that wait for others to come: to hand them over takes longer than to meet one.
const LOG: usize = 256;

/// A mark that runs.
pub(crate) struct Cycle {
    marking: Arc<Marking>,
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

/// What has become of a mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    Yes,
    NotYet,
}

impl Cycle {
    /// The first write to an old object since the nursery was last emptied: it is gone through as it is (H5).
    #[cold]
    pub(crate) fn before_write(&mut self, object: NonNull<Header>) {
        #[cfg(test)]
        if is_planted(Planted::UnclaimedWrite) {
            return;
        }
        // SAFETY: an old object of this heap, which a turn uses.
        let table = unsafe { object.as_ref() }.table();
        if !table.needs_trace {
            return;
        }
        // A turn may go on after a panic; an object that stays claimed would have all wait for ever.
        let whole = Whole;
        // SAFETY: as above. What was born since the mark began has its epoch, so it is not gone through.
        let came = unsafe { self.scanner.visit(object, Round::Second) };
        std::mem::forget(whole);
        if came == Claim::Others {
            self.waits.times += 1;
            // SAFETY: as above.
            let state = unsafe { state_of(object.cast()) };
            self.waits.looks += claim::wait(state, self.marking.epoch);
        }
    }

    /// An object comes to a turn by a way on which the mark does not go: by a weak reference, or by the table of tags.
    #[inline]
    pub(crate) fn revived(&mut self, object: NonNull<Header>) {
        // SAFETY: an object of this heap. Relaxed: nothing is written.
        unsafe {
            let young = age_of(object.cast()).is_young();
            if !young && state_of(object.cast()).load(Ordering::Relaxed) != self.marking.epoch {
                self.scanner.met(object);
            }
        }
    }

    /// Whether the owner has something to do for it, with so many bytes in use: to pay, or to hand a long log over.
    #[inline]
    pub(crate) fn is_due(&self, live: usize) -> bool {
        self.debt.is_due(live) || self.scanner.block.objects.len() >= LOG
    }

    /// What turns and collections have found is all markers' from here on.
    fn hands_over(&mut self) {
        self.marking.hands_over(&mut self.scanner);
        if !self.scanner.block.is_empty() {
            self.marking.list.put(&mut self.scanner.block);
        }
    }

    /// Under stress: what was alive when the mark began has been met.
    fn check_shadow(&self) {
        let Some(shadow) = &self.shadow else { return };
        for object in shadow {
            // SAFETY: it lived when the mark began, and nothing was swept since. Relaxed: all markers have left.
            let state = unsafe { state_of(object.cast()) }.load(Ordering::Relaxed);
            assert!(
                state == self.marking.epoch,
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
        self.minor(roots, Ageing::Never);
        let whole = Whole;
        self.heed();
        self.old.mark_begins();
        let marking = Arc::new(Marking::new(
            self.old.epoch.0,
            Owner::name(&self.owner),
            shows,
        ));
        let mut scanner = Scanner::new(&marking);
        scanner.roots(|tracer| roots.trace(tracer), Round::First);
        let sharing = self.sharing.get_mut();
        sharing
            .roots()
            .into_iter()
            .for_each(|object| scanner.known(object));
        sharing.imports.mark_begins();
        let stressed = self.pacing.stress.is_some();
        let shadow = stressed.then(|| self.shadow(roots));
        let mut cycle = Box::new(Cycle {
            marking,
            scanner,
            debt: Debt::begin(self.old.live, self.lived),
            pinned: self.pinned,
            waits: Waits::default(),
            shadow,
        });
        cycle.hands_over();
        *self.cycle.get_mut() = Some(cycle);
        self.counted.begins();
        std::mem::forget(whole);
    }

    /// All that a simple mark meets.
    fn shadow<'gc>(&mut self, roots: &impl Object<'gc>) -> HashSet<NonNull<Header>> {
        let own = Owner::name(&self.owner);
        let known = self.sharing.get_mut().roots();
        super::shadow(roots, known, own)
    }

    /// Between two turns: hands over what they have found, and ends the mark if it is through.
    pub(crate) fn go_on_with_cycle(&mut self) -> Ended {
        let Some(cycle) = self.cycle.get_mut() else {
            return Ended::NotYet;
        };
        cycle.hands_over();
        if !cycle.marking.list.is_drained() {
            return Ended::NotYet;
        }
        self.end_cycle();
        Ended::Yes
    }

    /// Pays for what was made old since the mark began: goes through so much that it will be through when the heap has grown.
    pub(crate) fn pay(&mut self) {
        let Some(cycle) = self.cycle.get_mut() else {
            return;
        };
        let met = cycle.marking.bytes();
        let Some(piece) = cycle.debt.next(self.old.live, met) else {
            return;
        };
        self.counted.slice();
        let _what_is_left = cycle.marking.work(piece);
    }

    /// Goes through so many objects.
    pub(crate) fn work_at_cycle(&mut self, objects: usize) -> Progress {
        match self.cycle.get_mut() {
            Some(cycle) => cycle.marking.work(objects),
            None => Progress::Over,
        }
    }

    /// Ends the mark that runs, if one does, whatever is left to do.
    pub(crate) fn go_through_cycle(&mut self) {
        while self.is_marking() && self.go_on_with_cycle() == Ended::NotYet {
            if self.work_at_cycle(usize::MAX) == Progress::Nothing {
                yield_now();
            }
        }
    }

    /// The mark has met all that lived when it began.
    fn end_cycle(&mut self) {
        let Some(cycle) = self.cycle.get_mut().take() else {
            return;
        };
        let marking = &cycle.marking;
        marking.list.close();
        cycle.check_shadow();
        let whole = Whole;
        let epoch = marking.epoch;
        // SAFETY: whoever asks has an object that has not been swept since the mark began. Relaxed: all markers have left.
        let has_met = |object: NonNull<Header>| unsafe {
            state_of(object.cast()).load(Ordering::Relaxed) == epoch
        };
        let found = std::mem::take(&mut *marking.found());
        for reference in found.weak {
            // SAFETY: weak references that were met; what they refer to was old when the mark began, and has not been swept since.
            let target = unsafe { Target::of(reference) };
            target.update(|object| has_met(object).then_some(object));
        }
        self.deaths.get_mut().marked(has_met);
        self.tags.get_mut().marked(has_met);
        let sharing = self.sharing.get_mut();
        let imports = sharing.imports.counted();
        found
            .foreign
            .into_iter()
            .for_each(|object| imports.meet(object));
        let born = self.old.live - cycle.debt.began;
        self.old.mark_ends(found.bytes + born);
        // SAFETY: what was not met, and has not come since the mark began, is not used any more.
        unsafe { self.sharing.get_mut().marked() };
        let pinned = self.pinned - cycle.pinned;
        self.next_mark(born);
        self.pinned = pinned;
        self.counted.waited(cycle.waits);
        self.counted.major(found.objects);
        self.counted.ends();
        self.showing = found.showing;
        std::mem::forget(whole);
    }

    /// Gives a mark up that runs beside the turns; its markers leave first.
    pub(crate) fn abandon_cycle(&mut self) {
        if let Some(cycle) = self.cycle.get_mut().take() {
            cycle.marking.list.close();
            self.counted.waited(cycle.waits);
            self.counted.gives_up();
            self.sharing.get_mut().imports.mark_given_up();
        }
    }

    /// The right to help with the mark that runs.
    pub(crate) fn marker(&self) -> Option<Marker> {
        let cycle = self.cycle.borrow();
        cycle.as_ref().map(|cycle| Marker(cycle.marking.clone()))
    }
}
