//! [`Sharing`]: what a heap knows of who shares what, and its steps.

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
use crate::mutator::Mutator;
use crate::pieces::Pieces;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use std::cell::RefMut;
use std::ptr::NonNull;
use std::task::Waker;

/// How much a heap asks for when it has no weight left to give (O6).
pub(crate) const MORE: i64 = 256;

/// What an import weighs when a heap asks itself whether to collect, as if it had so many bytes:
/// the foreign object lives as long as nobody looks.
pub(crate) const FOREIGN: usize = 1024;

/// Who shares what with a heap. What each turn looks at lies at the beginning.
#[repr(C)]
pub(crate) struct Sharing {
    /// Foreign objects, with the references that this heap has for others to take. FRC.
    pub(crate) imports: Imports,
    /// Own objects, with the references that others have to them. The paper's LRC.
    pub(crate) exports: Counts,
    /// What others have left, on its way into the exports.
    pub(crate) hearing: Hearing,
    pub(crate) left: Left,
    /// What [`Planted::BatchedIncs`] keeps back.
    #[cfg(test)]
    batched: Vec<(NonNull<Owner>, Change)>,
}

/// What a heap has left in the lanes of others.
#[derive(Clone, Copy, Default)]
pub(crate) struct Left {
    /// Batches of INCs, and of DECs.
    pub(crate) incs: u64,
    pub(crate) decs: u64,
    /// Changes in all of these.
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
    /// Where ends what each turn looks at, behind a word that says who has it borrowed.
    pub(crate) const EACH_TURN: usize = size_of::<usize>() + Imports::EACH_TURN;

    /// A reference leaves, with a weight of one.
    ///
    /// # Safety
    ///
    /// The caller is the holder of the heap named `own`, and has the reference.
    pub(crate) unsafe fn pack(&mut self, own: NonNull<Owner>, object: NonNull<Header>) {
        // SAFETY: the caller's.
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
        if is_planted(Planted::SkippedInc) {
            return;
        }
        #[cfg(test)]
        if is_planted(Planted::BatchedIncs) {
            self.batched.push((owner, Change { object, by: MORE }));
            return;
        }
        books::post(Account::Lanes, object, MORE);
        // Its waker is called while the caller counts.
        let _foreign = ForeignCode::begin();
        // Before anybody has the reference that needs it.
        // SAFETY: the object is the caller's to use, so its owner is there.
        unsafe { owner.as_ref() }.leave(vec![Change { object, by: MORE }]);
    }

    /// A reference has come, with a weight of one.
    ///
    /// # Safety
    ///
    /// As for `pack`.
    pub(crate) unsafe fn unpack(&mut self, own: NonNull<Owner>, object: NonNull<Header>) {
        #[cfg(test)]
        if is_planted(Planted::ForgottenReceipt) {
            return;
        }
        // SAFETY: the caller's.
        if unsafe { Owner::of(object) } == own {
            self.exports.add(object, -1);
        } else {
            self.imports.receive(object);
        }
    }

    /// Whether something was taken out of the lane, and is not heard yet.
    #[inline]
    pub(crate) fn is_hearing(&self) -> bool {
        !self.hearing.is_over()
    }

    /// As `is_hearing`, or something is to be told.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.hearing.is_due()
    }

    /// Takes all that lies in the lane. What was taken before is heard.
    pub(crate) fn takes(&mut self, lane: &Lane) {
        self.hearing.takes(lane);
    }

    /// Hears so many changes of what was taken. How many: if fewer, that was all.
    pub(crate) fn hear(&mut self, most: usize) -> usize {
        #[cfg(test)]
        for (owner, change) in self.batched.drain(..) {
            books::post(Account::Lanes, change.object, change.by);
            // SAFETY: the import counts the object, so its owner is there.
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
        // A later change may have been for more.
        if gone
            .into_iter()
            .any(|object| exports.of_object(object) == 0)
        {
            self.hearing.tells(Heard::Less);
        }
        done
    }

    /// What was heard since it was told the last time: whether some have given up all that they
    /// knew of an object.
    pub(crate) fn told(&mut self) -> Heard {
        self.hearing.told()
    }

    /// That is to be told.
    pub(crate) fn tells(&mut self, heard: Heard) {
        self.hearing.tells(heard);
    }

    /// Nobody else knows of this heap's objects, if all changes were heeded.
    pub(crate) fn is_alone(&self) -> bool {
        self.exports.iter().all(|export| export.count == 0)
    }

    /// What others know: a mark begins with these (O4). All changes were heeded.
    pub(crate) fn roots(&self) -> Vec<NonNull<Header>> {
        #[cfg(test)]
        if is_planted(Planted::ForgottenExport) {
            return Vec::new();
        }
        debug_assert!(self.exports.iter().all(|export| export.count >= 0), "O6");
        self.known().collect()
    }

    /// What others know, as far as this heap has heard: all of it lives, for it hears before it
    /// looks for what does not.
    pub(crate) fn known(&self) -> impl Iterator<Item = NonNull<Header>> {
        let known = self.exports.iter().filter(|export| export.count != 0);
        known.map(|export| export.object)
    }

    /// A mark beside the turns begins: with what others know, which it takes by and by
    /// ([`Sharing::take`]); and what comes from here on, or is sent on, is not given up at its end
    /// (H6). All changes were heeded.
    pub(crate) fn mark_begins(&mut self) {
        self.imports.mark_begins();
        #[cfg(test)]
        if is_planted(Planted::ForgottenExport) {
            return;
        }
        self.exports.wait();
    }

    /// Takes some of the roots that others knew when the mark began: looks at so many exports (O4).
    pub(crate) fn take(&mut self, most: usize, take: impl FnMut(NonNull<Header>)) -> Taken {
        self.exports.take(most, take);
        match self.exports.have_some_that_wait() {
            true => Taken::Some,
            false => Taken::All,
        }
    }

    /// A mark beside the turns was given up: the next one knows nothing of it.
    pub(crate) fn forget_mark(&mut self) {
        self.imports.forget_mark();
        self.exports.forget_mark();
    }

    /// A mark beside the turns has met these, among others: asks for what it has no weight of, of
    /// so many of them. Of how many: if fewer, that was all, and what is not met waits for
    /// [`Sharing::gives_up`].
    ///
    /// # Safety
    ///
    /// The caller is the heap's holder, and nothing was given up since that mark began.
    pub(crate) unsafe fn meets(
        &mut self,
        foreign: &mut Pieces<NonNull<Header>>,
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
                    if is_planted(Planted::BatchedIncs) {
                        // SAFETY: as below.
                        let owner = unsafe { Owner::of(object) };
                        self.batched.push((owner, Change { object, by: MORE }));
                        return MORE;
                    }
                    // SAFETY: the whole by which it was met is counted until that is given up.
                    unsafe { more.add(object, MORE) };
                    MORE
                });
            }
        }
        self.left.count(&more, &Post::default());
        // SAFETY: nothing is given up.
        unsafe { more.leave() };
        if looked < most {
            imports.wait();
            self.exports.wait();
        }
        looked
    }

    /// A mark beside the turns has asked for all that it has met: gives up what it has not met, and
    /// what has not come since it began, of so many objects. Of how many: if fewer, that was all.
    ///
    /// # Safety
    ///
    /// As for `meets`; what is given up is not used any more.
    pub(crate) unsafe fn gives_up(&mut self, most: usize) -> usize {
        let (mut more, mut fewer) = (Post::default(), Post::default());
        // What has come until now is added up, and touched.
        let looked = self.imports.settle().marked(most, |import| {
            // SAFETY: it is counted here.
            unsafe { judge(import, &mut more, &mut fewer) }
        });
        self.left.count(&more, &fewer);
        // SAFETY: of the fewer nobody uses one; what they are wholes of was counted before (O6).
        unsafe {
            more.leave();
            fewer.leave();
        }
        looked
    }

    /// A mark beside the turns has met all that others know of: forgets that nobody knows of some,
    /// of so many objects. Of how many: if fewer, that was all.
    pub(crate) fn forgets(&mut self, most: usize) -> usize {
        self.exports.marked(most, |export| {
            export.met = Met::NotYet;
            export.count != 0
        })
    }

    /// How many objects there are for `gives_up` and `forgets`.
    pub(crate) fn counted(&self) -> usize {
        self.imports.len() + self.exports.len()
    }

    /// A mark at once has met all that is needed: asks for what it has no weight of, and gives up
    /// the rest.
    ///
    /// # Safety
    ///
    /// The caller is the heap's holder; what was not met is not used any more.
    pub(crate) unsafe fn marked(&mut self) {
        self.exports.retain(|export| export.count != 0);
        let (mut more, mut fewer) = (Post::default(), Post::default());
        // SAFETY: they are counted here, and were not met.
        let imports = self
            .imports
            .met(|object, count| unsafe { fewer.add(object, -count) });
        imports.retain(|import| {
            // SAFETY: the import counts it, or the whole by which it was met is counted until the
            // fewer have left.
            unsafe { judge(import, &mut more, &mut fewer) }
        });
        self.left.count(&more, &fewer);
        #[cfg(test)]
        if is_planted(Planted::DecFirst) {
            std::mem::swap(&mut more, &mut fewer);
        }
        // SAFETY: of the fewer nobody uses one; what they are wholes of was counted before (O6).
        unsafe {
            more.leave();
            fewer.leave();
        }
    }

    /// Takes over what a region has of others (O8). What it has of this heap's own objects comes
    /// home.
    ///
    /// # Safety
    ///
    /// The caller is the holder of both, of which this one is named `own`.
    pub(crate) unsafe fn absorb(&mut self, own: NonNull<Owner>, region: &mut Sharing) {
        debug_assert!(region.exports.iter().all(|export| export.count == 0), "O8");
        #[cfg(test)]
        if is_planted(Planted::ForgottenRegionImport) {
            region.imports.settle().retain(|_| false);
        }
        let imports = self.imports.settle();
        region.imports.settle().retain(|import| {
            // SAFETY: the region counts it.
            if unsafe { Owner::of(import.object) } == own {
                self.exports.add(import.object, -import.count);
            } else {
                imports.add(import.object, import.count);
            }
            false
        });
    }

    /// The heap ends: gives up all that it has of others.
    ///
    /// # Safety
    ///
    /// As for `marked`, where nothing was met.
    pub(crate) unsafe fn give_all_up(&mut self) {
        self.imports.forget_mark();
        // SAFETY: the caller's.
        unsafe { self.marked() };
    }
}

/// What becomes of an import when a mark has met all: it stays if it was met, with some weight;
/// else it is given up. Whether it stays.
///
/// # Safety
///
/// It is counted, or a whole of which it is a part, until the posts have left; the more leave
/// first.
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
    // SAFETY: the caller's.
    unsafe { post.add(import.object, change) };
    change > 0
}

/// What a mark has taken of the roots that others know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Taken {
    Some,
    All,
}

/// How a heap ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ends {
    /// Nobody else knows of its objects: they can be freed.
    Alone,
    /// Others do. They stay, for good.
    Shared,
}

impl Core {
    pub(crate) fn wake_by(&mut self, waker: Waker) {
        // One that has a waker keeps it.
        let _first = self.owner.waker.set(waker);
    }

    /// The heap ends, without its state.
    pub(crate) fn ends(&mut self) -> Ends {
        self.heed();
        let sharing = self.sharing.get_mut();
        if !sharing.is_alone() {
            // Whoever knows of the objects finds their pages, and their owner.
            std::mem::forget((self.source.clone(), self.owner.clone()));
            return Ends::Shared;
        }
        // SAFETY: nobody uses the objects of this heap any more, so nobody uses what they refer to.
        unsafe { sharing.give_all_up() };
        Ends::Alone
    }
}

impl<R: Root> Heap<R> {
    /// Says who is woken when others leave changes for this heap, which are heard by the next mark,
    /// or by [`Heap::heed`]. Once, before anything is shared: the first one counts. It is called by
    /// whoever leaves something, in the middle of a collection too: that of a heap which is locked
    /// may wait for its own thread. If it panics, that is over with the hook.
    pub fn wake_by(&mut self, waker: Waker) {
        self.parts().0.wake_by(waker);
    }

    /// How many objects of this heap others know of, as far as it has heard.
    #[must_use]
    pub fn exports(&self) -> usize {
        self.core().between_turns().exports.len()
    }

    /// How many objects of others this heap has counts of; one that came a moment ago may be
    /// counted more than once. Those that it does not need are given up by its next mark. Costs two
    /// loads.
    #[inline]
    #[must_use]
    pub fn imports(&self) -> usize {
        self.core().between_turns().imports.len()
    }

    /// As far as it has heard, nobody else knows of an object of this heap.
    pub(super) fn has_heard_all_out(&mut self) -> bool {
        self.parts().0.sharing.get_mut().is_alone()
    }

    /// Whether nobody else knows of an object of this heap.
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
