//! [`MarkTermination`]: mark termination. It updates what refers to dead objects, in steps between
//! turns, once a concurrent mark is complete (H8). See [README.md](README.md).

use super::heap::Core;
use super::mark_cycle::Ended;
use crate::alloc::header::Header;
use crate::alloc::old::Old;
use crate::mark::marker::MarkMode;
use crate::mark::scanner::MarkResults;
use crate::object::empty_object::make_empty;
use crate::object::weak_target::WeakTarget;
use crate::pages::chunk::state_of;
use crate::segmented::segmented_stack::SegmentedStack;
use crate::sync::Ordering;
use std::ops::Range;
use std::ptr::NonNull;

/// Entries processed in one step at least: some ten to some hundred microseconds.
const PIECE: usize = 512;

/// Pacing of termination, as parts of the bytes in use when the mark began. All entries are due
/// when the heap has grown by `GROWTH`: termination is in proportion to promotion. One step
/// processes `1 / PART` of the entries due, and at least `PIECE`. When the heap has grown by
/// `BOUND`, as a small heap does in one turn, one step processes `1 / PART` of all entries.
const GROWTH: f64 = 0.1;
const PART: usize = 8;
const BOUND: f64 = 0.2;

/// The termination of a concurrent mark.
pub(crate) struct MarkTermination {
    epoch: u8,
    mode: MarkMode,
    step: TerminationStep,
    /// What the mark has found: weak references and foreign objects that are not processed yet, and
    /// the counts for its end.
    pub(crate) results: MarkResults,
    watches: Range<u64>,
    /// Tag entries that are not processed yet: that many from the start of the list.
    tag_entries: usize,
    /// The number of entries at the beginning, and the number processed.
    entries: usize,
    processed: usize,
    /// `grown`: by how much the heap size estimate has grown since the beginning, up to the last
    /// step. `last_estimate`: the weight at the end of that step. A step itself makes the heap
    /// lighter by releasing imports; that does not offset growth.
    grown: usize,
    last_estimate: usize,
    /// Bytes of blocks and large objects in use when the mark began.
    start_bytes: usize,
}

/// The structure that termination processes now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TerminationStep {
    /// Weak references to unmarked objects are cleared.
    Weak,
    /// Unmarked watched objects are dead: their tokens wait.
    DeathWatches,
    /// The tag table drops unmarked tag entries.
    TagEntries,
    /// An INC is sent for each marked foreign object of which this heap has no weight. In a
    /// stop-the-world mark the two structures below are processed with it.
    IncMarked,
    /// A DEC is sent for each import that is unmarked and has not arrived since: after all INCs
    /// (O6).
    DecUnmarked,
    /// Exports of zero are removed. Unreachable exports that a group mark has withheld are emptied.
    DropExports,
    Over,
}

impl TerminationStep {
    fn next(self) -> TerminationStep {
        match self {
            TerminationStep::Weak => TerminationStep::DeathWatches,
            TerminationStep::DeathWatches => TerminationStep::TagEntries,
            TerminationStep::TagEntries => TerminationStep::IncMarked,
            TerminationStep::IncMarked => TerminationStep::DecUnmarked,
            TerminationStep::DecUnmarked => TerminationStep::DropExports,
            TerminationStep::DropExports | TerminationStep::Over => TerminationStep::Over,
        }
    }
}

impl MarkTermination {
    /// Termination begins: the mark queue was closed.
    pub(crate) fn new(
        core: &mut Core,
        epoch: u8,
        mode: MarkMode,
        start_bytes: usize,
        results: MarkResults,
    ) -> MarkTermination {
        let (deaths, tags) = (core.deaths.get_mut(), core.tags.get_mut());
        let tag_entries = tags.listed.len();
        let shared = results.foreign.len() + core.sharing.get_mut().entries();
        MarkTermination {
            epoch,
            mode,
            step: TerminationStep::Weak,
            entries: results.weak.len() + deaths.old.len() + tag_entries + shared,
            processed: 0,
            watches: deaths.all(),
            tag_entries,
            results,
            grown: 0,
            last_estimate: core.heap_size_estimate(),
            // A heap with few bytes of its own may have counts of much foreign data: then the pace
            // follows the estimate.
            start_bytes: start_bytes.max(core.heap_size_estimate()).max(1),
        }
    }

    /// The growth of the heap since the beginning at this estimate, as a part of `start_bytes`.
    fn grown(&self, estimate: usize) -> f64 {
        let grown = self.grown + estimate.saturating_sub(self.last_estimate);
        grown as f64 / self.start_bytes as f64
    }

    /// The number of entries that should have been processed at this estimate.
    fn entries_due(&self, estimate: usize) -> usize {
        (self.entries as f64 * (self.grown(estimate) / GROWTH).min(1.0)) as usize
    }

    /// Whether entries are due at this estimate. Entries that arrived since the beginning, or that
    /// steps have made, are not counted; the bound makes them due too.
    #[inline]
    pub(crate) fn is_due(&self, estimate: usize) -> bool {
        estimate > self.last_estimate
            && (self.entries_due(estimate) > self.processed || self.grown(estimate) > BOUND)
    }

    /// The number of entries due in one step at this estimate.
    pub(crate) fn due(&self, estimate: usize) -> usize {
        if self.grown(estimate) > BOUND {
            return (self.entries / PART).max(PIECE);
        }
        (self.entries_due(estimate).saturating_sub(self.processed) / PART).max(PIECE)
    }

    /// Processes at most `most` entries, at least one. Returns whether termination is over.
    pub(crate) fn run(&mut self, core: &mut Core, most: usize) -> Ended {
        self.grown += core.heap_size_estimate().saturating_sub(self.last_estimate);
        let ended = self.run_steps(core, most);
        self.last_estimate = core.heap_size_estimate();
        ended
    }

    fn run_steps(&mut self, core: &mut Core, most: usize) -> Ended {
        let mut left = most.max(1);
        while self.step != TerminationStep::Over {
            let processed = self.step_entries(core, left);
            self.processed += processed;
            left -= processed;
            if left == 0 {
                return Ended::NotYet;
            }
            self.step = self.step.next();
            if self.step == TerminationStep::DecUnmarked {
                // With those that have arrived since the beginning.
                self.entries = self.processed + core.sharing.get_mut().entries();
            }
        }
        Ended::Yes
    }

    /// Empties an unreachable object, and lets its block stay: other heaps have counts of it, and
    /// release them by its address.
    ///
    /// # Safety
    ///
    /// It is an old object of this heap, which is not marked, and was not swept. No turn has a
    /// reference to it, and none gets one.
    unsafe fn empty(&mut self, object: NonNull<Header>, core: &mut Core) {
        // SAFETY: the caller's contract (X1). Termination has no marker (X2).
        unsafe {
            core.old.destroy_in_place(object);
            make_empty(object);
            // Relaxed: no marker runs.
            state_of(object.cast()).store(self.epoch, Ordering::Relaxed);
            self.results.bytes += object.as_ref().table().block_bytes(object);
        }
        self.results.objects += 1;
        core.counters.emptied();
    }

    /// Processes at most `most` entries of the current structure, and returns the number processed.
    /// A smaller number means that none is left.
    fn step_entries(&mut self, core: &mut Core, most: usize) -> usize {
        let is_marked = is_marked(self.epoch);
        let sharing = core.sharing.get_mut();
        match self.step {
            TerminationStep::Weak => {
                clear_weak_some(&mut self.results.weak, most, &mut core.old, is_marked)
            }
            TerminationStep::DeathWatches => {
                core.deaths
                    .get_mut()
                    .drop_unmarked(&mut self.watches, most, is_marked)
            }
            // SAFETY: all spans are swept when a mark begins, and none is swept before it has
            // ended.
            TerminationStep::TagEntries => unsafe {
                core.tags
                    .get_mut()
                    .drop_unmarked(&mut self.tag_entries, most, is_marked)
            },
            TerminationStep::IncMarked if self.mode == MarkMode::StopTheWorld => {
                sharing.mark_foreign(&mut self.results.foreign);
                // SAFETY: no turn runs, so no unmarked object is used any more.
                unsafe { sharing.finish_stop_the_world() };
                0
            }
            // SAFETY: the caller holds the heap. No turn gets an object that was unmarked when the
            // mark queue was closed; an import that arrived since the mark began is kept.
            TerminationStep::IncMarked => unsafe {
                sharing.inc_marked(&mut self.results.foreign, most)
            },
            // SAFETY: the caller holds the heap, and no turn gets an object that was unmarked when
            // the mark queue was closed.
            TerminationStep::DecUnmarked => unsafe { sharing.dec_unmarked(most) },
            TerminationStep::DropExports => {
                let mut unreachable = Vec::new();
                let withheld = |object| unreachable.extend((!is_marked(object)).then_some(object));
                let processed = sharing.drop_dead_exports(most, withheld);
                for object in unreachable {
                    // SAFETY: the caller holds the heap (X2). All members of the group mark have
                    // marked everything, and not this object: no turn has a reference to it, and
                    // none gets one. It is exported, so it is old, and nothing was swept since.
                    unsafe { self.empty(object, core) };
                }
                processed
            }
            TerminationStep::Over => 0,
        }
    }
}

/// A predicate for old objects after a complete mark: true if the object is marked, or was promoted
/// since the mark began.
pub(crate) fn is_marked(epoch: u8) -> impl Fn(NonNull<Header>) -> bool + Copy {
    // SAFETY: callers pass objects that have not been swept since the mark began. Relaxed: no
    // marker runs any more.
    move |object| unsafe { state_of(object.cast()).load(Ordering::Relaxed) == epoch }
}

/// Clears the weak references with unmarked targets.
fn clear_weak(
    references: Vec<NonNull<Header>>,
    old: &mut Old,
    is_marked: impl Fn(NonNull<Header>) -> bool,
) {
    for reference in references {
        // SAFETY: marked weak references; their targets were old when the mark began, and nothing
        // has been swept since.
        unsafe {
            let target = WeakTarget::of(reference);
            if target.get().is_some_and(|object| !is_marked(object)) {
                target.update(|_| None);
                old.note_changes(&[reference]);
            }
        }
    }
}

/// As [`clear_weak`], for at most `most` references. Returns the number processed; a smaller number
/// than `most` means that none is left.
fn clear_weak_some(
    references: &mut SegmentedStack<NonNull<Header>>,
    most: usize,
    old: &mut Old,
    is_marked: impl Fn(NonNull<Header>) -> bool,
) -> usize {
    let mut left = most;
    while left != 0
        && let Some(some) = references.take(left)
    {
        left -= some.len();
        clear_weak(some, old, &is_marked);
    }
    most - left
}
