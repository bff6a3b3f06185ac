//! [`Settling`]: mark termination. It updates what refers to dead objects, in steps between turns,
//! once a concurrent mark is complete (H8). See [README.md](README.md).

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

/// Entries processed in one step at least: some ten to some hundred microseconds.
const PIECE: usize = 512;

/// Pacing of termination, as parts of the bytes in use when the mark began. All entries are due
/// when the heap has grown by `GROWS`: promotion pays for termination. One step processes
/// `1 / PART` of the entries due, and at least `PIECE`. When the heap has grown by `BOUND`, one
/// step processes all that are left.
const GROWS: f64 = 0.1;
const PART: usize = 8;
const BOUND: f64 = 0.2;

/// The termination of a concurrent mark.
pub(super) struct Settling {
    epoch: u8,
    step: Step,
    /// What the mark has found: weak references and foreign objects that are not processed yet, and
    /// the counts for its end.
    pub(super) found: Found,
    watches: Range<u64>,
    /// Tag entries that are not processed yet: that many from the start of the list.
    stubs: usize,
    /// The number of entries at the beginning, and the number processed.
    all: usize,
    looked: usize,
    /// `grown`: by how much the heap's weight has increased since the beginning, up to the last
    /// step. `seen`: the weight at the end of that step. A step itself makes the heap lighter by
    /// releasing imports; that does not offset growth.
    grown: usize,
    seen: usize,
    /// Bytes of blocks and large objects in use when the mark began.
    marked: usize,
}

/// The structure that termination processes now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// Weak references to unmarked objects are cleared.
    Weak,
    /// Unmarked watched objects are dead: their tokens wait.
    Watches,
    /// The tag table drops unmarked tag entries.
    Stubs,
    /// An INC is sent for each marked foreign object of which this heap has no weight.
    Meets,
    /// A DEC is sent for each import that is unmarked and has not arrived since: after all INCs
    /// (O6).
    GivesUp,
    /// Exports of zero are removed.
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
    /// Termination begins: the mark queue was closed.
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
            // A heap with few bytes of its own may have counts of much foreign data: then the pace
            // follows its weight.
            marked: marked.max(core.weight()).max(1),
        }
    }

    /// The growth of the heap since the beginning at this weight, as a part of `marked`.
    fn grown(&self, weight: usize) -> f64 {
        let grown = self.grown + weight.saturating_sub(self.seen);
        grown as f64 / self.marked as f64
    }

    /// The number of entries that should have been processed at this weight.
    fn wanted(&self, weight: usize) -> usize {
        (self.all as f64 * (self.grown(weight) / GROWS).min(1.0)) as usize
    }

    /// Whether entries are due at this weight. Entries that arrived since the beginning, or that
    /// steps have made, are not counted; the bound makes them due too.
    #[inline]
    pub(super) fn is_due(&self, weight: usize) -> bool {
        weight > self.seen && (self.wanted(weight) > self.looked || self.grown(weight) > BOUND)
    }

    /// The number of entries due in one step at this weight.
    pub(super) fn due(&self, weight: usize) -> usize {
        if self.grown(weight) > BOUND {
            return usize::MAX;
        }
        (self.wanted(weight).saturating_sub(self.looked) / PART).max(PIECE)
    }

    /// Processes at most `most` entries, at least one. Returns whether termination is over.
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

    /// Processes at most `most` entries of the current structure, and returns the number processed.
    /// A smaller number means that none is left.
    fn look(&mut self, core: &mut Core, most: usize) -> usize {
        let has_met = has_met(self.epoch);
        let sharing = core.sharing.get_mut();
        match self.step {
            Step::Weak => clear_some(&mut self.found.weak, most, has_met),
            Step::Watches => core
                .deaths
                .get_mut()
                .marked(&mut self.watches, most, has_met),
            // SAFETY: all spans are swept when a mark begins, and none is swept before it has
            // ended.
            Step::Stubs => unsafe { core.tags.get_mut().marked(&mut self.stubs, most, has_met) },
            // SAFETY: the caller holds the heap. No turn gets an object that was unmarked when the
            // mark queue was closed; an import that arrived since the mark began is kept.
            Step::Meets => unsafe { sharing.meets(&mut self.found.foreign, most) },
            // SAFETY: the caller holds the heap, and no turn gets an object that was unmarked when
            // the mark queue was closed.
            Step::GivesUp => unsafe { sharing.gives_up(most) },
            Step::Forgets => sharing.forgets(most),
            Step::Over => 0,
        }
    }
}

/// A predicate for old objects after a complete mark: true if the object is marked, or was promoted
/// since the mark began.
fn has_met(epoch: u8) -> impl Fn(NonNull<Header>) -> bool + Copy {
    // SAFETY: callers pass objects that have not been swept since the mark began. Relaxed: no
    // marker runs any more.
    move |object| unsafe { state_of(object.cast()).load(Ordering::Relaxed) == epoch }
}

/// Clears the weak references with unmarked targets.
fn clear_weak(references: Vec<NonNull<Header>>, has_met: impl Fn(NonNull<Header>) -> bool) {
    for reference in references {
        // SAFETY: marked weak references; their targets were old when the mark began, and nothing
        // has been swept since.
        let target = unsafe { Target::of(reference) };
        target.update(|object| has_met(object).then_some(object));
    }
}

/// As [`clear_weak`], for at most `most` references. Returns the number processed; a smaller number
/// than `most` means that none is left.
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
    /// Termination of a stop-the-world mark, in one piece: dead objects disappear from weak
    /// references, watches and tags before anything is swept.
    pub(super) fn settle_at_once(&mut self, weak: Vec<NonNull<Header>>) {
        let has_met = has_met(self.old.epoch.0);
        clear_weak(weak, has_met);
        let (deaths, tags) = (self.deaths.get_mut(), self.tags.get_mut());
        let (mut watches, mut stubs) = (deaths.all(), tags.listed.len());
        deaths.marked(&mut watches, usize::MAX, has_met);
        // SAFETY: all spans were swept when the mark began, and none is swept before it has ended.
        unsafe { tags.marked(&mut stubs, usize::MAX, has_met) };
    }
}
