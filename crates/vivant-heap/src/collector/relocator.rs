//! Emptying the nursery: what the roots and the written old objects reach moves out of it (H3).

use crate::header::{Header, young_size};
use crate::heap::Core;
use crate::nursery::Nursery;
use crate::orca::Owner;
use crate::pages::chunk::age_of;
use crate::pages::page::Age;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::stats::Moved;
use crate::types::Target;
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// Where objects go that survive their first collection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ageing {
    /// What changes in place stays young once more.
    Once,
    /// Everything becomes old: before a mark (H6).
    Never,
}

/// Moves objects. What [`Object::relocate`](crate::Object::relocate) reports to.
pub struct Relocator<'a> {
    core: &'a mut Core,
    /// Of objects that changed in place and are young for the second time.
    survivors: Nursery,
    ageing: Ageing,
    /// Moved into the old generation, and not yet gone through.
    moved: Vec<NonNull<Header>>,
    /// The same of objects that stay young.
    stayed: Vec<NonNull<Header>>,
    /// Weak references that were gone through.
    weak: Vec<NonNull<Header>>,
    /// What is gone through, if it is an object. Whether that is old, and refers to a young one.
    object: Option<NonNull<Header>>,
    space: Space,
    refers_to_young: bool,
    counts: Moved,
    /// Where its value begins.
    value: usize,
}

/// Where an object lies that is gone through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Space {
    Young,
    Old,
}

impl<'a> Relocator<'a> {
    pub(super) fn new(core: &'a mut Core, ageing: Ageing) -> Self {
        Relocator {
            core,
            survivors: Nursery::new(Age::Surviving),
            ageing,
            moved: Vec::new(),
            stayed: Vec::new(),
            weak: Vec::new(),
            object: None,
            space: Space::Young,
            refers_to_young: false,
            counts: Moved::default(),
            value: 0,
        }
    }

    /// Where an object to which there is a reference is now.
    #[inline]
    pub(crate) fn place(&mut self, object: NonNull<Header>) -> NonNull<Header> {
        // SAFETY: a reference that was reported is to a living object of a chunk.
        let age = unsafe { age_of(object.cast()) };
        if !age.is_young() {
            return object;
        }
        #[cfg(test)]
        if is_planted(Planted::StaleSlot) && self.place_young(object, age) != object {
            return object;
        }
        self.place_young(object, age)
    }

    fn place_young(&mut self, object: NonNull<Header>, age: Age) -> NonNull<Header> {
        // SAFETY: as above.
        let header = unsafe { object.as_ref() };
        if let Some(to) = header.moved() {
            // SAFETY: where it has moved is an object.
            self.refers_to_young |= unsafe { age_of(to.cast()) }.is_young();
            return to;
        }
        if age == Age::Surviving {
            // It has moved there in this collection.
            self.refers_to_young = true;
            return object;
        }
        let table = header.table();
        // SAFETY: as above.
        let bytes = unsafe { table.bytes(object) };
        let stays = table.mutable && age == Age::New && self.ageing == Ageing::Once;
        let to = if stays {
            self.refers_to_young = true;
            self.survivor(young_size(bytes))
        } else {
            let Core {
                old, source, owner, ..
            } = &mut *self.core;
            // What is born young is no larger than a cell.
            table
                .class(bytes)
                .and_then(|class| old.cell(class, source, Owner::name(owner)))
        };
        let Some(to) = to else { out_of_memory() };
        // SAFETY: the object moves, bit for bit, to room that is large enough; nobody uses the old
        // place but for where it has gone.
        unsafe { copy(object, to, young_size(bytes)) };
        header.moves(to);
        match stays {
            true => self.counts.aged(young_size(bytes)),
            false => self.counts.promoted(young_size(bytes)),
        }
        if table.needs_trace || table.mutable {
            let list = if stays {
                &mut self.stayed
            } else {
                &mut self.moved
            };
            list.push(to);
        }
        to
    }

    #[inline(never)]
    fn survivor(&mut self, bytes: usize) -> Option<NonNull<Header>> {
        loop {
            if let Some(room) = self.survivors.room(bytes) {
                return Some(room.cast());
            }
            let Core {
                reserve,
                source,
                owner,
                ..
            } = &*self.core;
            if !self
                .survivors
                .grow(reserve, source, Owner::name(owner), bytes)
            {
                return None;
            }
        }
    }

    /// What is gone through has a flag for the barrier: it is set if the next write has to be told.
    /// Of the object itself: what is only part of one can be taken out of it, and become another.
    #[inline]
    pub(crate) fn mutable(&self, flag: &Cell<u32>, clean: u32) {
        let whole = std::ptr::from_ref(flag).addr() == self.value;
        if whole && self.space == Space::Old && !self.refers_to_young {
            flag.set(clean);
        }
    }

    /// What is gone through is a weak reference.
    pub(crate) fn weak(&mut self) {
        self.weak.extend(self.object);
    }

    /// Goes through a remembered object.
    pub(super) fn remembered(&mut self, object: NonNull<Header>) {
        self.visit(object, Space::Old);
    }

    /// Goes through one object. It stays remembered if it is old and refers to a young one.
    #[inline]
    fn visit(&mut self, object: NonNull<Header>, space: Space) {
        self.space = space;
        self.refers_to_young = false;
        self.object = Some(object);
        // SAFETY: a living object, which nobody uses now; the value follows the header.
        unsafe {
            self.value = Header::value(object).addr().get();
            (object.as_ref().table().relocate)(object.add(1).cast(), self);
        }
        #[cfg(test)]
        if is_planted(Planted::ForgottenOld) {
            return;
        }
        if space == Space::Old && self.refers_to_young {
            self.core.remembered.get_mut().push(object);
        }
    }

    /// Goes through all that has moved.
    pub(super) fn drain(&mut self) {
        loop {
            if let Some(object) = self.moved.pop() {
                self.visit(object, Space::Old);
            } else if let Some(object) = self.stayed.pop() {
                self.visit(object, Space::Young);
            } else {
                break;
            }
        }
    }

    /// All that is reached has moved: weak references follow, or are cleared (H10). Those to what
    /// is still young are looked at again in the next collection.
    pub(super) fn clear_weak(&mut self) {
        let known = std::mem::take(&mut self.core.weak);
        for reference in known.into_iter().chain(std::mem::take(&mut self.weak)) {
            // SAFETY: a weak reference that was reached, now or when it became old; since then
            // nothing was swept that was not marked, and a mark empties this list. What it refers
            // to has not been freed.
            let young = unsafe {
                Target::of(reference).update(|object| match age_of(object.cast()) {
                    Age::New | Age::Survived => object.as_ref().moved(),
                    Age::Surviving | Age::Old => Some(object),
                })
            };
            let young = young.filter(|&object| {
                // SAFETY: where it is now.
                unsafe { age_of(object.cast()) }.is_young()
            });
            if young.is_some() {
                self.core.weak.push(reference);
            }
        }
    }

    /// All that is reached has moved: what is watched and has not is dead (H10).
    pub(super) fn find_dead(&mut self) {
        // SAFETY: watches over young objects are over those of the nursery that is emptied.
        let place = |object: NonNull<Header>| unsafe { object.as_ref() }.moved();
        self.core.deaths.get_mut().nursery_emptied(place);
    }

    /// What has moved until now.
    pub(super) fn counts(&self) -> Moved {
        self.counts
    }

    /// All that is reached has moved: what has a destructor, and has not, is dead.
    pub(super) fn finish(self) -> Nursery {
        for object in self.core.nursery.droppable() {
            // SAFETY: an object of the nursery.
            match unsafe { object.as_ref() }.moved() {
                // SAFETY: it was not reached, and its page goes.
                None => self.core.old.panics += unsafe { crate::old::end(object) },
                // SAFETY: where it has moved is an object.
                Some(to) => unsafe {
                    if age_of(to.cast()).is_young() {
                        self.survivors.note_drop(to);
                    } else {
                        self.core.old.note_drop(to);
                    }
                },
            }
        }
        self.core.old.settle();
        self.survivors
    }
}

/// Copies an object of so many bytes, a multiple of eight and at least sixteen. Most are short: a
/// call of `memcpy` would cost more than the copy.
///
/// # Safety
///
/// It lies there, and the other place has room for it and is another one.
#[inline]
unsafe fn copy(from: NonNull<Header>, to: NonNull<Header>, bytes: usize) {
    /// The first words and the last ones, which may be the same: few branches for many sizes.
    ///
    /// # Safety
    ///
    /// As for `copy`, of so many words at least, and of twice as many at most.
    #[inline]
    unsafe fn ends<const WORDS: usize>(from: NonNull<Header>, to: NonNull<Header>, bytes: usize) {
        let behind = bytes - 8 * WORDS;
        // SAFETY: the caller's.
        unsafe {
            let from = from.cast::<[MaybeUninit<u64>; WORDS]>();
            let to = to.cast::<[MaybeUninit<u64>; WORDS]>();
            let (first, last) = (from.read(), from.byte_add(behind).read());
            to.write(first);
            to.byte_add(behind).write(last);
        }
    }
    // SAFETY: the caller's.
    unsafe {
        match bytes {
            0..=32 => ends::<2>(from, to, bytes),
            33..=64 => ends::<4>(from, to, bytes),
            65..=128 => ends::<8>(from, to, bytes),
            _ => to.cast::<u8>().copy_from_nonoverlapping(from.cast(), bytes),
        }
    }
}

impl std::fmt::Debug for Relocator<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relocator").finish_non_exhaustive()
    }
}

/// In the middle of a collection nothing can be undone.
#[cold]
pub(super) fn out_of_memory() -> ! {
    eprintln!(
        "vivant-heap: no memory for the objects that survive a collection: the system gives none. In the middle of one nothing can be \
         undone, so the process ends; bound the source of pages below what the system has (`Source::bounded`), or give its heaps a \
         smaller `Pacing::nursery`"
    );
    std::process::abort()
}
