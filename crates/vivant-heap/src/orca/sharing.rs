//! [`Sharing`]: the counts of one heap, and the steps of the protocol on them.

use super::count_audit::{self, Account};
use super::count_inbox::{CountDelta, CountInbox};
use super::count_inbox::{CountDrain, DrainOutcome};
use super::counts::{Counts, Entry, ImportMark, Roots};
use super::heap_handle::HeapHandle;
use super::imports::Imports;
use super::kept_releases::{KeptReleases, Releases};
use super::outbox::Outbox;
use crate::alloc::header::Header;
use crate::foreign_code::ForeignCode;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::segmented::segmented_stack::SegmentedStack;
use std::ptr::NonNull;

/// The weight that a heap requests by an INC when it has none left to pass on (O6).
pub(crate) const CREDIT: i64 = 256;

/// The foreign weight of an import in the heap size estimate, in bytes: the foreign object lives
/// until this heap's next mark examines the import.
pub(crate) const FOREIGN_WEIGHT: usize = 1024;

/// The counts of one heap. The fields that each turn reads are at the beginning.
#[repr(C)]
pub(crate) struct Sharing {
    /// Foreign objects, with the number of references that this heap may pass on. The paper's FRC.
    pub(crate) imports: Imports,
    /// Own objects, with the number of references that other heaps have. The paper's LRC.
    pub(crate) exports: Counts,
    /// Deltas from other heaps that are not applied to the exports yet.
    pub(crate) drain: CountDrain,
    pub(crate) kept: KeptReleases,
    pub(crate) sent: SentCounts,
    /// Whether deltas were applied since a group mark was last called for.
    pub(crate) has_changed: bool,
    /// INCs that [`InjectedFault::BatchedIncs`] delays.
    #[cfg(test)]
    batched: Vec<(NonNull<HeapHandle>, CountDelta)>,
}

/// Statistics of the deltas that a heap has sent.
#[derive(Clone, Copy, Default)]
pub(crate) struct SentCounts {
    /// Batches of INCs, and of DECs.
    pub(crate) incs: u64,
    pub(crate) decs: u64,
    /// Deltas in all of these.
    pub(crate) changes: u64,
}

impl SentCounts {
    fn count(&mut self, incs: &Outbox, decs: &Outbox) {
        self.incs += incs.batches() as u64;
        self.decs += decs.batches() as u64;
        self.changes += (incs.deltas() + decs.deltas()) as u64;
    }
}

impl Default for Sharing {
    fn default() -> Sharing {
        Sharing {
            exports: Counts::new(Account::Exports),
            imports: Imports::default(),
            drain: CountDrain::default(),
            kept: KeptReleases::default(),
            sent: SentCounts::default(),
            has_changed: false,
            #[cfg(test)]
            batched: Vec::new(),
        }
    }
}

impl Sharing {
    /// End of the fields that each turn reads, after the borrow flag of the `RefCell`.
    pub(crate) const EACH_TURN: usize = size_of::<usize>() + Imports::EACH_TURN;

    /// Packs a reference: it leaves with a weight of one.
    ///
    /// # Safety
    ///
    /// The caller is the holder of the heap named `own`, and has the reference.
    pub(crate) unsafe fn pack(&mut self, own: NonNull<HeapHandle>, object: NonNull<Header>) {
        // SAFETY: the caller's contract.
        let owner = unsafe { HeapHandle::of(object) };
        if owner == own {
            self.exports.add(object, 1);
            return;
        }
        let mut needs_credit = false;
        self.imports.add_received().change(object, |count| {
            needs_credit = count <= 1;
            if needs_credit {
                count + CREDIT - 1
            } else {
                count - 1
            }
        });
        if !needs_credit {
            return;
        }
        self.sent.incs += 1;
        self.sent.changes += 1;
        #[cfg(test)]
        if is_injected(InjectedFault::SkippedInc) {
            return;
        }
        #[cfg(test)]
        if is_injected(InjectedFault::BatchedIncs) {
            self.batched
                .push((owner, CountDelta { object, by: CREDIT }));
            return;
        }
        count_audit::record(Account::Inboxes, object, CREDIT);
        // The owner's waker runs in the middle of this count change.
        let _foreign = ForeignCode::begin();
        // Sent before any receiver has the reference that needs it (O6).
        // SAFETY: the caller may use the object, so its owner is live.
        unsafe { owner.as_ref() }.send(vec![CountDelta { object, by: CREDIT }]);
    }

    /// Unpacks a reference: it arrives with a weight of one.
    ///
    /// # Safety
    ///
    /// As for `pack`.
    pub(crate) unsafe fn unpack(&mut self, own: NonNull<HeapHandle>, object: NonNull<Header>) {
        #[cfg(test)]
        if is_injected(InjectedFault::ForgottenReceipt) {
            return;
        }
        // SAFETY: the caller's contract.
        if unsafe { HeapHandle::of(object) } == own {
            self.exports.add(object, -1);
        } else {
            self.imports.receive(object);
        }
    }

    /// Whether deltas were taken out of the inbox and are not applied yet.
    #[inline]
    pub(crate) fn is_draining(&self) -> bool {
        !self.drain.is_over()
    }

    /// As `is_draining`, or a result is to be reported.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.drain.is_due()
    }

    /// Takes all batches in the inbox. All batches taken before are applied.
    pub(crate) fn take_inbox(&mut self, inbox: &CountInbox) {
        self.drain.take_inbox(inbox);
    }

    /// Applies at most `most` of the taken deltas. Returns their number; a smaller number than
    /// `most` means that all are applied, but for DECs that are kept.
    pub(crate) fn drain_batches(
        &mut self,
        most: usize,
        releases: impl FnOnce() -> Releases,
    ) -> usize {
        let releases = match self.drain.is_over() {
            true => Releases::Applied,
            false => releases(),
        };
        #[cfg(test)]
        for (owner, change) in self.batched.drain(..) {
            count_audit::record(Account::Inboxes, change.object, change.by);
            // SAFETY: the import counts the object, so its owner is live.
            unsafe { owner.as_ref() }.send(vec![change]);
        }
        let (exports, kept, mut zeroed) = (&mut self.exports, &mut self.kept, Vec::new());
        let done = self.drain.drain_batches(most, |change| {
            if kept.keeps(change, releases) {
                return;
            }
            count_audit::record(Account::Inboxes, change.object, -change.by);
            exports.add(change.object, change.by);
            if exports.get(change.object) == 0 {
                zeroed.push(change.object);
            }
        });
        self.has_changed |= done != 0;
        // A later delta may have raised the count again.
        if zeroed.into_iter().any(|object| exports.get(object) == 0) {
            self.drain.note(DrainOutcome::Released);
        }
        done
    }

    /// Applies the DECs that were kept.
    pub(crate) fn apply_kept(&mut self) {
        for change in self.kept.take() {
            count_audit::record(Account::Inboxes, change.object, -change.by);
            self.exports.add(change.object, change.by);
            self.has_changed = true;
            if self.exports.get(change.object) == 0 {
                self.drain.note(DrainOutcome::Released);
            }
        }
    }

    /// Reports whether the count of an object fell to zero since the last report.
    pub(crate) fn take_outcome(&mut self) -> DrainOutcome {
        self.drain.take_outcome()
    }

    /// Notes a result for the next report.
    pub(crate) fn note(&mut self, outcome: DrainOutcome) {
        self.drain.note(outcome);
    }

    /// Whether no other heap refers to this heap's objects, provided that the inbox is drained.
    pub(crate) fn is_unshared(&self) -> bool {
        self.exports.iter().all(|export| export.count == 0)
    }

    /// The exported objects, by the deltas applied so far. All of them live: the heap drains its
    /// inbox before it looks for dead objects.
    pub(crate) fn export_roots(&self) -> impl Iterator<Item = NonNull<Header>> {
        let exports = self.exports.iter().filter(|export| export.count != 0);
        exports.map(|export| export.object)
    }

    /// As [`Sharing::export_roots`], in mark termination: of those that a group mark has withheld,
    /// only the marked ones. The others are dead.
    pub(crate) fn export_roots_in_termination(
        &self,
        is_marked: impl Fn(NonNull<Header>) -> bool,
    ) -> impl Iterator<Item = NonNull<Header>> {
        let exports = self.exports.iter().filter(move |export| {
            export.count != 0 && (export.mark != ImportMark::Withheld || is_marked(export.object))
        });
        exports.map(|export| export.object)
    }

    /// A mark begins. It takes the exports as roots in pieces ([`Sharing::take_export_roots`]). The
    /// inbox is drained.
    pub(crate) fn begin_mark(&mut self) {
        debug_assert!(self.exports.iter().all(|export| export.count >= 0), "O6");
        #[cfg(test)]
        if is_injected(InjectedFault::ForgottenExport) {
            return;
        }
        self.exports.set_pending();
    }

    /// As [`Sharing::begin_mark`], for the mark of a group mark: later exports are examined too. An
    /// object that was none may be reached through another heap's object that is withheld.
    pub(crate) fn begin_group_mark(&mut self) {
        self.exports.begin_mark();
    }

    /// Examines at most `most` of the exports of the beginning of the mark, and takes those that
    /// are roots (O4).
    pub(crate) fn take_export_roots(
        &mut self,
        most: usize,
        roots: Roots,
        take: impl FnMut(NonNull<Header>),
    ) -> ExportRoots {
        self.exports.take_roots(most, roots, take);
        match self.exports.has_pending() {
            true => ExportRoots::Pending,
            false => ExportRoots::Taken,
        }
    }

    /// A concurrent mark was aborted: clears its marks.
    pub(crate) fn clear_marks(&mut self) {
        self.imports.clear_marks();
        self.exports.clear_marks();
    }

    /// A concurrent mark is complete, and has marked these foreign objects: sends an INC for each
    /// of which this heap has no weight. Examines at most `most` objects and returns their number.
    /// A smaller number means that none is left; from then on the unmarked imports wait for
    /// [`Sharing::dec_unmarked`].
    ///
    /// # Safety
    ///
    /// The caller is the heap's holder, and no import was released since that mark began.
    pub(crate) unsafe fn inc_marked(
        &mut self,
        foreign: &mut SegmentedStack<NonNull<Header>>,
        most: usize,
    ) -> usize {
        let mut examined = 0;
        while examined < most
            && let Some(some) = foreign.take(most - examined)
        {
            examined += some.len();
            // SAFETY: the caller's contract (X1).
            unsafe { self.inc_reached(&some) };
        }
        if examined < most {
            self.imports.add_received().set_pending();
            self.exports.set_pending();
        }
        examined
    }

    /// A concurrent mark has reached these foreign objects: sends an INC for each of which this
    /// heap has no weight.
    ///
    /// # Safety
    ///
    /// As for `inc_marked`.
    pub(crate) unsafe fn inc_reached(&mut self, reached: &[NonNull<Header>]) {
        let (imports, mut incs) = (self.imports.add_received(), Outbox::default());
        for &object in reached {
            imports.change(object, |count| {
                if count != 0 {
                    return count;
                }
                #[cfg(test)]
                if is_injected(InjectedFault::BatchedIncs) {
                    // SAFETY: the container through which the object was marked is counted
                    // until that import is released.
                    let owner = unsafe { HeapHandle::of(object) };
                    self.batched
                        .push((owner, CountDelta { object, by: CREDIT }));
                    return CREDIT;
                }
                // SAFETY: the container through which the object was marked is counted until
                // that import is released.
                unsafe { incs.add(object, CREDIT) };
                CREDIT
            });
        }
        self.sent.count(&incs, &Outbox::default());
        // SAFETY: no weight is released.
        unsafe { incs.send() };
    }

    /// A concurrent mark has sent its INCs: sends DECs for imports that are unmarked and have not
    /// arrived since the mark began. Examines at most `most` imports and returns their number. A
    /// smaller number means that none is left.
    ///
    /// # Safety
    ///
    /// As for `inc_marked`; the released objects are not used any more.
    pub(crate) unsafe fn dec_unmarked(&mut self, most: usize) -> usize {
        let (mut incs, mut decs) = (Outbox::default(), Outbox::default());
        // References received until now are added up, and so touched.
        let examined = self.imports.add_received().filter_pending(most, |import| {
            // SAFETY: the import counts the object here.
            unsafe { finish_import(import, &mut incs, &mut decs) }
        });
        self.sent.count(&incs, &decs);
        // SAFETY: no turn uses an object of the DECs; their components were counted before (O6).
        unsafe {
            incs.send();
            decs.send();
        }
        examined
    }

    /// A concurrent mark is complete: removes exports of zero, and passes those that a group mark
    /// has withheld to `withheld`. Examines at most `most` exports and returns their number. A
    /// smaller number means that none is left.
    pub(crate) fn drop_dead_exports(
        &mut self,
        most: usize,
        mut withheld: impl FnMut(NonNull<Header>),
    ) -> usize {
        self.exports.filter_pending(most, |export| {
            let mark = std::mem::replace(&mut export.mark, ImportMark::Unmarked);
            if mark == ImportMark::Withheld && export.count != 0 {
                withheld(export.object);
            }
            export.count != 0
        })
    }

    /// The number of entries for `dec_unmarked` and `drop_dead_exports`.
    pub(crate) fn entries(&self) -> usize {
        self.imports.len() + self.exports.len()
    }

    /// A stop-the-world mark has marked these foreign objects.
    pub(crate) fn mark_foreign(&mut self, foreign: &mut SegmentedStack<NonNull<Header>>) {
        let imports = self.imports.table();
        while let Some(some) = foreign.take(usize::MAX) {
            some.into_iter().for_each(|object| imports.mark(object));
        }
    }

    /// A stop-the-world mark is complete: sends an INC for each marked import without a weight, and
    /// a DEC for each unmarked one.
    ///
    /// # Safety
    ///
    /// The caller is the heap's holder; unmarked objects are not used any more.
    pub(crate) unsafe fn finish_stop_the_world(&mut self) {
        self.exports.retain(|export| export.count != 0);
        let (mut incs, mut decs) = (Outbox::default(), Outbox::default());
        // SAFETY: the received references count their objects here, and these are unmarked.
        let imports = self
            .imports
            .finish_mark(|object, count| unsafe { decs.add(object, -count) });
        imports.retain(|import| {
            // SAFETY: the import counts the object, or its container is counted until the DECs are
            // sent.
            unsafe { finish_import(import, &mut incs, &mut decs) }
        });
        self.sent.count(&incs, &decs);
        #[cfg(test)]
        if is_injected(InjectedFault::DecFirst) {
            std::mem::swap(&mut incs, &mut decs);
        }
        // SAFETY: no turn uses an object of the DECs; their components were counted before (O6).
        unsafe {
            incs.send();
            decs.send();
        }
    }

    /// Takes over the imports of a region (O8). Weights of this heap's own objects are returned to
    /// its exports.
    ///
    /// # Safety
    ///
    /// The caller is the holder of both heaps; this one is named `own`.
    pub(crate) unsafe fn absorb(&mut self, own: NonNull<HeapHandle>, region: &mut Sharing) {
        debug_assert!(region.exports.iter().all(|export| export.count == 0), "O8");
        #[cfg(test)]
        if is_injected(InjectedFault::ForgottenRegionImport) {
            region.imports.add_received().retain(|_| false);
        }
        let imports = self.imports.add_received();
        region.imports.add_received().retain(|import| {
            // SAFETY: the region counts the object.
            if unsafe { HeapHandle::of(import.object) } == own {
                self.exports.add(import.object, -import.count);
            } else {
                imports.add(import.object, import.count);
            }
            false
        });
    }

    /// The heap ends: releases all its imports.
    ///
    /// # Safety
    ///
    /// As for `finish_stop_the_world`, with nothing marked.
    pub(crate) unsafe fn release_all(&mut self) {
        self.imports.clear_marks();
        // SAFETY: the caller's contract: nothing is marked, and no object is used any more.
        unsafe { self.finish_stop_the_world() };
    }
}

/// Decides about an import after a complete mark: a marked one stays, with some weight; an unmarked
/// one is released. Returns whether it stays.
///
/// # Safety
///
/// The object or a container of it is counted until both outboxes are sent; `incs` is sent first.
unsafe fn finish_import(import: &mut Entry, incs: &mut Outbox, decs: &mut Outbox) -> bool {
    let mark = std::mem::replace(&mut import.mark, ImportMark::Unmarked);
    let change = match (mark, import.count) {
        (ImportMark::Marked, 0) => {
            import.count = CREDIT;
            CREDIT
        }
        (ImportMark::Marked, _) => return true,
        (ImportMark::Unmarked | ImportMark::Withheld, count) => -count,
    };
    let outbox = if change > 0 { incs } else { decs };
    // SAFETY: the caller's contract.
    unsafe { outbox.add(import.object, change) };
    change > 0
}

/// Whether a mark has taken all exports as roots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExportRoots {
    Pending,
    Taken,
}

/// How a heap ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HeapEnd {
    /// No other heap refers to its objects: they can be freed.
    Unshared,
    /// Other heaps do. The objects stay, for good.
    Shared,
}
