//! [`Sharing`]: the counts of one heap, and the steps of the protocol on them.

use super::books::{self, Account};
use super::counts::{Counts, Entry, Met};
use super::hearing::{Heard, Hearing};
use super::imports::Imports;
use super::lane::{Change, Lane};
use super::owner::Owner;
use super::packer::ForeignCode;
use super::post::Post;
use crate::header::Header;
use crate::heap::{Core, Heap, Root};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::mutator::Mutator;
use crate::segmented_stack::SegmentedStack;
use std::cell::RefMut;
use std::ptr::NonNull;
use std::task::Waker;

/// The weight that a heap requests by an INC when it has none left to pass on (O6).
pub(crate) const MORE: i64 = 256;

/// The heap weight of an import, in bytes: the foreign object lives until this heap's next mark
/// examines the import.
pub(crate) const FOREIGN: usize = 1024;

/// The counts of one heap. The fields that each turn reads are at the beginning.
#[repr(C)]
pub(crate) struct Sharing {
    /// Foreign objects, with the number of references that this heap may pass on. The paper's FRC.
    pub(crate) imports: Imports,
    /// Own objects, with the number of references that other heaps have. The paper's LRC.
    pub(crate) exports: Counts,
    /// Deltas from other heaps that are not applied to the exports yet.
    pub(crate) hearing: Hearing,
    pub(crate) left: Left,
    /// INCs that [`InjectedFault::BatchedIncs`] delays.
    #[cfg(test)]
    batched: Vec<(NonNull<Owner>, Change)>,
}

/// Statistics of the deltas that a heap has sent.
#[derive(Clone, Copy, Default)]
pub(crate) struct Left {
    /// Batches of INCs, and of DECs.
    pub(crate) incs: u64,
    pub(crate) decs: u64,
    /// Deltas in all of these.
    pub(crate) changes: u64,
}

impl Left {
    fn count(&mut self, more: &Post, fewer: &Post) {
        self.incs += more.batches() as u64;
        self.decs += fewer.batches() as u64;
        self.changes += (more.changes() + fewer.changes()) as u64;
    }
}

impl Default for Sharing {
    fn default() -> Sharing {
        Sharing {
            exports: Counts::of(Account::Exports),
            imports: Imports::default(),
            hearing: Hearing::default(),
            left: Left::default(),
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
    pub(crate) unsafe fn pack(&mut self, own: NonNull<Owner>, object: NonNull<Header>) {
        // SAFETY: the caller's contract.
        let owner = unsafe { Owner::of(object) };
        if owner == own {
            self.exports.add(object, 1);
            return;
        }
        let mut asks = false;
        self.imports.settle().change(object, |count| {
            asks = count <= 1;
            if asks { count + MORE - 1 } else { count - 1 }
        });
        if !asks {
            return;
        }
        self.left.incs += 1;
        self.left.changes += 1;
        #[cfg(test)]
        if is_injected(InjectedFault::SkippedInc) {
            return;
        }
        #[cfg(test)]
        if is_injected(InjectedFault::BatchedIncs) {
            self.batched.push((owner, Change { object, by: MORE }));
            return;
        }
        books::post(Account::Lanes, object, MORE);
        // The owner's waker runs in the middle of this count change.
        let _foreign = ForeignCode::begin();
        // Sent before any receiver has the reference that needs it (O6).
        // SAFETY: the caller may use the object, so its owner is live.
        unsafe { owner.as_ref() }.leave(vec![Change { object, by: MORE }]);
    }

    /// Unpacks a reference: it arrives with a weight of one.
    ///
    /// # Safety
    ///
    /// As for `pack`.
    pub(crate) unsafe fn unpack(&mut self, own: NonNull<Owner>, object: NonNull<Header>) {
        #[cfg(test)]
        if is_injected(InjectedFault::ForgottenReceipt) {
            return;
        }
        // SAFETY: the caller's contract.
        if unsafe { Owner::of(object) } == own {
            self.exports.add(object, -1);
        } else {
            self.imports.receive(object);
        }
    }

    /// Whether deltas were taken out of the inbox and are not applied yet.
    #[inline]
    pub(crate) fn is_hearing(&self) -> bool {
        !self.hearing.is_over()
    }

    /// As `is_hearing`, or a result is to be reported.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.hearing.is_due()
    }

    /// Takes all batches in the inbox. All batches taken before are applied.
    pub(crate) fn takes(&mut self, lane: &Lane) {
        self.hearing.takes(lane);
    }

    /// Applies at most `most` of the taken deltas. Returns their number; a smaller number than
    /// `most` means that all are applied.
    pub(crate) fn hear(&mut self, most: usize) -> usize {
        #[cfg(test)]
        for (owner, change) in self.batched.drain(..) {
            books::post(Account::Lanes, change.object, change.by);
            // SAFETY: the import counts the object, so its owner is live.
            unsafe { owner.as_ref() }.leave(vec![change]);
        }
        let (exports, mut gone) = (&mut self.exports, Vec::new());
        let done = self.hearing.hear(most, |change| {
            books::post(Account::Lanes, change.object, -change.by);
            exports.add(change.object, change.by);
            if exports.of_object(change.object) == 0 {
                gone.push(change.object);
            }
        });
        // A later delta may have raised the count again.
        if gone
            .into_iter()
            .any(|object| exports.of_object(object) == 0)
        {
            self.hearing.tells(Heard::Less);
        }
        done
    }

    /// Reports whether the count of an object fell to zero since the last report.
    pub(crate) fn told(&mut self) -> Heard {
        self.hearing.told()
    }

    /// Notes a result for the next report.
    pub(crate) fn tells(&mut self, heard: Heard) {
        self.hearing.tells(heard);
    }

    /// Whether no other heap refers to this heap's objects, provided that the inbox is drained.
    pub(crate) fn is_alone(&self) -> bool {
        self.exports.iter().all(|export| export.count == 0)
    }

    /// The exports that are roots of a mark (O4). The inbox is drained.
    pub(crate) fn roots(&self) -> Vec<NonNull<Header>> {
        #[cfg(test)]
        if is_injected(InjectedFault::ForgottenExport) {
            return Vec::new();
        }
        debug_assert!(self.exports.iter().all(|export| export.count >= 0), "O6");
        self.known().collect()
    }

    /// The exported objects, by the deltas applied so far. All of them live: the heap drains its
    /// inbox before it looks for dead objects.
    pub(crate) fn known(&self) -> impl Iterator<Item = NonNull<Header>> {
        let known = self.exports.iter().filter(|export| export.count != 0);
        known.map(|export| export.object)
    }

    /// A concurrent mark begins. It takes the exports as roots in pieces ([`Sharing::take`]).
    /// Imports received or sent on from here on are not released at its end (H6). The inbox is
    /// drained.
    pub(crate) fn mark_begins(&mut self) {
        self.imports.mark_begins();
        #[cfg(test)]
        if is_injected(InjectedFault::ForgottenExport) {
            return;
        }
        self.exports.wait();
    }

    /// Examines at most `most` of the exports of the beginning of the mark, and takes those that
    /// are roots (O4).
    pub(crate) fn take(&mut self, most: usize, take: impl FnMut(NonNull<Header>)) -> Taken {
        self.exports.take(most, take);
        match self.exports.have_some_that_wait() {
            true => Taken::Some,
            false => Taken::All,
        }
    }

    /// A concurrent mark was aborted: clears its marks.
    pub(crate) fn forget_mark(&mut self) {
        self.imports.forget_mark();
        self.exports.forget_mark();
    }

    /// A concurrent mark is complete, and has marked these foreign objects: sends an INC for each
    /// of which this heap has no weight. Examines at most `most` objects and returns their number.
    /// A smaller number means that none is left; from then on the unmarked imports wait for
    /// [`Sharing::gives_up`].
    ///
    /// # Safety
    ///
    /// The caller is the heap's holder, and no import was released since that mark began.
    pub(crate) unsafe fn meets(
        &mut self,
        foreign: &mut SegmentedStack<NonNull<Header>>,
        most: usize,
    ) -> usize {
        let (imports, mut more) = (self.imports.settle(), Post::default());
        let mut looked = 0;
        while looked < most
            && let Some(some) = foreign.take(most - looked)
        {
            looked += some.len();
            for object in some {
                imports.change(object, |count| {
                    if count != 0 {
                        return count;
                    }
                    #[cfg(test)]
                    if is_injected(InjectedFault::BatchedIncs) {
                        // SAFETY: the container through which the object was marked is counted
                        // until that import is released.
                        let owner = unsafe { Owner::of(object) };
                        self.batched.push((owner, Change { object, by: MORE }));
                        return MORE;
                    }
                    // SAFETY: the container through which the object was marked is counted until
                    // that import is released.
                    unsafe { more.add(object, MORE) };
                    MORE
                });
            }
        }
        self.left.count(&more, &Post::default());
        // SAFETY: no weight is released.
        unsafe { more.leave() };
        if looked < most {
            imports.wait();
            self.exports.wait();
        }
        looked
    }

    /// A concurrent mark has sent its INCs: sends DECs for imports that are unmarked and have not
    /// arrived since the mark began. Examines at most `most` imports and returns their number. A
    /// smaller number means that none is left.
    ///
    /// # Safety
    ///
    /// As for `meets`; the released objects are not used any more.
    pub(crate) unsafe fn gives_up(&mut self, most: usize) -> usize {
        let (mut more, mut fewer) = (Post::default(), Post::default());
        // References received until now are added up, and so touched.
        let looked = self.imports.settle().marked(most, |import| {
            // SAFETY: the import counts the object here.
            unsafe { judge(import, &mut more, &mut fewer) }
        });
        self.left.count(&more, &fewer);
        // SAFETY: no turn uses an object of the DECs; their components were counted before (O6).
        unsafe {
            more.leave();
            fewer.leave();
        }
        looked
    }

    /// A concurrent mark is complete: removes exports of zero. Examines at most `most` exports and
    /// returns their number. A smaller number means that none is left.
    pub(crate) fn forgets(&mut self, most: usize) -> usize {
        self.exports.marked(most, |export| {
            export.met = Met::NotYet;
            export.count != 0
        })
    }

    /// The number of entries for `gives_up` and `forgets`.
    pub(crate) fn counted(&self) -> usize {
        self.imports.len() + self.exports.len()
    }

    /// A stop-the-world mark is complete: sends an INC for each marked import without a weight, and
    /// a DEC for each unmarked one.
    ///
    /// # Safety
    ///
    /// The caller is the heap's holder; unmarked objects are not used any more.
    pub(crate) unsafe fn marked(&mut self) {
        self.exports.retain(|export| export.count != 0);
        let (mut more, mut fewer) = (Post::default(), Post::default());
        // SAFETY: the received references count their objects here, and these are unmarked.
        let imports = self
            .imports
            .met(|object, count| unsafe { fewer.add(object, -count) });
        imports.retain(|import| {
            // SAFETY: the import counts the object, or its container is counted until the DECs are
            // sent.
            unsafe { judge(import, &mut more, &mut fewer) }
        });
        self.left.count(&more, &fewer);
        #[cfg(test)]
        if is_injected(InjectedFault::DecFirst) {
            std::mem::swap(&mut more, &mut fewer);
        }
        // SAFETY: no turn uses an object of the DECs; their components were counted before (O6).
        unsafe {
            more.leave();
            fewer.leave();
        }
    }

    /// Takes over the imports of a region (O8). Weights of this heap's own objects are returned to
    /// its exports.
    ///
    /// # Safety
    ///
    /// The caller is the holder of both heaps; this one is named `own`.
    pub(crate) unsafe fn absorb(&mut self, own: NonNull<Owner>, region: &mut Sharing) {
        debug_assert!(region.exports.iter().all(|export| export.count == 0), "O8");
        #[cfg(test)]
        if is_injected(InjectedFault::ForgottenRegionImport) {
            region.imports.settle().retain(|_| false);
        }
        let imports = self.imports.settle();
        region.imports.settle().retain(|import| {
            // SAFETY: the region counts the object.
            if unsafe { Owner::of(import.object) } == own {
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
    /// As for `marked`, with nothing marked.
    pub(crate) unsafe fn give_all_up(&mut self) {
        self.imports.forget_mark();
        // SAFETY: the caller's contract: nothing is marked, and no object is used any more.
        unsafe { self.marked() };
    }
}

/// Decides about an import after a complete mark: a marked one stays, with some weight; an unmarked
/// one is released. Returns whether it stays.
///
/// # Safety
///
/// The object or a container of it is counted until both outboxes are sent; `more` is sent first.
unsafe fn judge(import: &mut Entry, more: &mut Post, fewer: &mut Post) -> bool {
    let met = std::mem::replace(&mut import.met, Met::NotYet);
    let change = match (met, import.count) {
        (Met::ByMark, 0) => {
            import.count = MORE;
            MORE
        }
        (Met::ByMark, _) => return true,
        (Met::NotYet, count) => -count,
    };
    let post = if change > 0 { more } else { fewer };
    // SAFETY: the caller's contract.
    unsafe { post.add(import.object, change) };
    change > 0
}

/// Whether a mark has taken all exports as roots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Taken {
    Some,
    All,
}

/// How a heap ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ends {
    /// No other heap refers to its objects: they can be freed.
    Alone,
    /// Other heaps do. The objects stay, for good.
    Shared,
}

impl Core {
    pub(crate) fn wake_by(&mut self, waker: Waker) {
        // A heap that has a waker keeps it.
        let _first = self.owner.waker.set(waker);
    }

    /// Ends the heap, which has no state any more.
    pub(crate) fn ends(&mut self) -> Ends {
        self.heed();
        let sharing = self.sharing.get_mut();
        if !sharing.is_alone() {
            // Other heaps that refer to the objects access their pages and their owner.
            std::mem::forget((self.source.clone(), self.owner.clone()));
            return Ends::Shared;
        }
        // SAFETY: no turn uses the objects of this heap any more, so none uses what they refer to.
        unsafe { sharing.give_all_up() };
        Ends::Alone
    }
}

impl<R: Root> Heap<R> {
    /// Sets the waker that is called when count deltas arrive for this heap; the next mark or
    /// [`Heap::heed`] drains them. Set it once, before anything is shared: the first waker counts.
    /// The sender of the deltas calls it, perhaps in the middle of a collection: a waker that locks
    /// a heap may wait for its own thread. If it panics, the panic ends with the panic hook.
    pub fn wake_by(&mut self, waker: Waker) {
        self.parts().0.wake_by(waker);
    }

    /// The number of exported objects of this heap, by the deltas drained so far.
    #[must_use]
    pub fn exports(&self) -> usize {
        self.core().between_turns().exports.len()
    }

    /// The number of imports of this heap; a recently received object may be counted more than
    /// once. The next mark releases those that this heap does not need. Costs two loads.
    #[inline]
    #[must_use]
    pub fn imports(&self) -> usize {
        self.core().between_turns().imports.len()
    }

    /// Whether no other heap refers to an object of this heap, by the deltas drained so far.
    pub(super) fn has_heard_all_out(&mut self) -> bool {
        self.parts().0.sharing.get_mut().is_alone()
    }

    /// Whether no other heap refers to an object of this heap. Drains the inbox first.
    pub fn is_alone(&mut self) -> bool {
        let core = self.parts().0;
        core.heed();
        core.sharing.get_mut().is_alone()
    }
}

impl Mutator<'_> {
    pub(super) fn sharing(&self) -> RefMut<'_, Sharing> {
        self.core().sharing.borrow_mut()
    }
}
