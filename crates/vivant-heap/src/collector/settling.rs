//! [`Settling`]: what is left to do of a mark when it has met all that lives, in pieces between turns (H8). See [README.md](README.md).

use super::cycle::Ended;
use super::scanner::Found;
use crate::header::Header;
use crate::heap::Core;
use crate::pages::chunk::state_of;
use crate::pieces::Pieces;
use crate::sync::Ordering;
use crate::types::Target;
use std::ops::Range;
use std::ptr::NonNull;

/// Entries that are looked at in one piece at least: some ten to some hundred microseconds.
const PIECE: usize = 512;

/// A heap may grow by this part of what lived when its mark began, and then all is owed that the
/// mark has left: who makes objects old pays for it. A part of the debt at once, at least a piece;
/// all that is left when it has grown by the bound.
const GROWS: f64 = 0.1;
const PART: usize = 8;
const BOUND: f64 = 0.2;

/// What is left to do of a mark that runs beside the turns.
pub(super) struct Settling {
    epoch: u8,
    step: Step,
    /// What the mark has found: weak references and foreign objects that are not settled yet, and
    /// what counts at its end.
    pub(super) found: Found,
    watches: Range<u64>,
    /// Stubs that are not looked at yet: the first ones of those that are listed.
    stubs: usize,
    /// Entries that there were at the beginning, and those that were looked at.
    all: usize,
    looked: usize,
    /// By how much the heap has become heavier since the beginning, until the last piece was
    /// settled; and what it weighed then. What pieces give up makes it lighter, and pays for
    /// nothing.
    grown: usize,
    seen: usize,
    /// Bytes of cells and large objects in use when the mark began.
    marked: usize,
}

/// What is settled now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// Weak references to what was not met are emptied.
    Weak,
    /// Watched objects that were not met are dead.
    Watches,
    /// Stubs that were not met are forgotten.
    Stubs,
    /// Foreign objects that were met are asked for, if there is no weight of them.
    Meets,
    /// Those that were not met, and have not come since, are given up: after all that is asked for
    /// (O6).
    GivesUp,
    /// Own objects that nobody else knows any more are forgotten.
    Forgets,
    Over,
}

impl Step {
    fn next(self) -> Step {
        match self {
            Step::Weak => Step::Watches,
            Step::Watches => Step::Stubs,
            Step::Stubs => Step::Meets,
            Step::Meets => Step::GivesUp,
            Step::GivesUp => Step::Forgets,
            Step::Forgets | Step::Over => Step::Over,
        }
    }
}

impl Settling {
    /// The list of work was closed.
    pub(super) fn new(core: &mut Core, epoch: u8, marked: usize, found: Found) -> Settling {
        let (deaths, tags) = (core.deaths.get_mut(), core.tags.get_mut());
        let stubs = tags.listed.len();
        let shared = found.foreign.len() + core.sharing.get_mut().counted();
        Settling {
            epoch,
            step: Step::Weak,
            all: found.weak.len() + deaths.old.len() + stubs + shared,
            looked: 0,
            watches: deaths.all(),
            stubs,
            found,
            grown: 0,
            seen: core.weight(),
            // Little of its own, and counts of much that is others': what settles is what weighs.
            marked: marked.max(core.weight()).max(1),
        }
    }

    /// How much the heap has grown since the beginning, at this weight: as a part of what there was
    /// to mark.
    fn grown(&self, weight: usize) -> f64 {
        let grown = self.grown + weight.saturating_sub(self.seen);
        grown as f64 / self.marked as f64
    }

    /// How many entries should have been looked at, at this weight.
    fn wanted(&self, weight: usize) -> usize {
        (self.all as f64 * (self.grown(weight) / GROWS).min(1.0)) as usize
    }

    /// Whether something is owed, at this weight. Entries that came since the beginning, or that
    /// steps have made, are not counted: by the bound these are due too.
    #[inline]
    pub(super) fn is_due(&self, weight: usize) -> bool {
        weight > self.seen && (self.wanted(weight) > self.looked || self.grown(weight) > BOUND)
    }

    /// How many entries are due, at this weight.
    pub(super) fn due(&self, weight: usize) -> usize {
        if self.grown(weight) > BOUND {
            return usize::MAX;
        }
        (self.wanted(weight).saturating_sub(self.looked) / PART).max(PIECE)
    }

    /// Settles so many entries, at least one. Whether that was all.
    pub(super) fn settle(&mut self, core: &mut Core, most: usize) -> Ended {
        self.grown += core.weight().saturating_sub(self.seen);
        let ended = self.settle_some(core, most);
        self.seen = core.weight();
        ended
    }

    fn settle_some(&mut self, core: &mut Core, most: usize) -> Ended {
        let mut left = most.max(1);
        while self.step != Step::Over {
            let looked = self.look(core, left);
            self.looked += looked;
            left -= looked;
            if left == 0 {
                return Ended::NotYet;
            }
            self.step = self.step.next();
        }
        Ended::Yes
    }

    /// Looks at so many entries of this step, and says at how many. If fewer, that was all.
    fn look(&mut self, core: &mut Core, most: usize) -> usize {
        let has_met = has_met(self.epoch);
        let sharing = core.sharing.get_mut();
        match self.step {
            Step::Weak => clear_some(&mut self.found.weak, most, has_met),
            Step::Watches => core
                .deaths
                .get_mut()
                .marked(&mut self.watches, most, has_met),
            // SAFETY: all is swept when a mark begins, and nothing is before it has ended.
            Step::Stubs => unsafe { core.tags.get_mut().marked(&mut self.stubs, most, has_met) },
            // SAFETY: whoever settles holds the heap. What was not met when the list of work was
            // closed, no turn gets any more; what has come since the mark began is kept.
            Step::Meets => unsafe { sharing.meets(&mut self.found.foreign, most) },
            // SAFETY: as above.
            Step::GivesUp => unsafe { sharing.gives_up(most) },
            Step::Forgets => sharing.forgets(most),
            Step::Over => 0,
        }
    }
}

/// Whether an old object was met by the mark that has met all, or became old since it began.
fn has_met(epoch: u8) -> impl Fn(NonNull<Header>) -> bool + Copy {
    // SAFETY: whoever asks has an object that has not been swept since the mark began. Relaxed:
    // nobody marks any more.
    move |object| unsafe { state_of(object.cast()).load(Ordering::Relaxed) == epoch }
}

/// Empties weak references if what they refer to was not met.
fn clear_weak(references: Vec<NonNull<Header>>, has_met: impl Fn(NonNull<Header>) -> bool) {
    for reference in references {
        // SAFETY: weak references that the mark has met; what they refer to was old when it began,
        // and has not been swept since.
        let target = unsafe { Target::of(reference) };
        target.update(|object| has_met(object).then_some(object));
    }
}

/// As above, so many of them. How many were looked at: if fewer, that was all.
fn clear_some(
    references: &mut Pieces<NonNull<Header>>,
    most: usize,
    has_met: impl Fn(NonNull<Header>) -> bool,
) -> usize {
    let mut left = most;
    while left != 0
        && let Some(some) = references.take(left)
    {
        left -= some.len();
        clear_weak(some, &has_met);
    }
    most - left
}

impl Core {
    /// A mark at once has met all: what it has found dead disappears from weak references, watches
    /// and tags, before anything is swept.
    pub(super) fn settle_at_once(&mut self, weak: Vec<NonNull<Header>>) {
        let has_met = has_met(self.old.epoch.0);
        clear_weak(weak, has_met);
        let (deaths, tags) = (self.deaths.get_mut(), self.tags.get_mut());
        let (mut watches, mut stubs) = (deaths.all(), tags.listed.len());
        deaths.marked(&mut watches, usize::MAX, has_met);
        // SAFETY: as in `Settling::look`.
        unsafe { tags.marked(&mut stubs, usize::MAX, has_met) };
    }
}
