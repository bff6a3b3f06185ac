//! Emptying the nursery: what the roots and the written old objects reach moves out of it (H3).

use crate::header::{Header, young_size};
use crate::heap::Core;
use crate::nursery::Nursery;
use crate::pages::chunk::page_of;
use crate::pages::page::Kind;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::stats::Moved;
use crate::types::Target;
use std::cell::Cell;
use std::ptr::{self, NonNull};

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
    /// Moved, and not yet gone through.
    moved: Vec<NonNull<Header>>,
    /// Weak references that were gone through.
    weak: Vec<NonNull<Header>>,
    /// What is gone through, if it is an object. Whether that is old, and refers to a young one.
    object: Option<NonNull<Header>>,
    old: bool,
    refers_to_young: bool,
    counts: Moved,
    /// Where its value begins.
    value: usize,
}

impl<'a> Relocator<'a> {
    pub(super) fn new(core: &'a mut Core, ageing: Ageing) -> Self {
        Relocator {
            core,
            survivors: Nursery::new(SURVIVING),
            ageing,
            moved: Vec::new(),
            weak: Vec::new(),
            object: None,
            old: false,
            refers_to_young: false,
            counts: Moved::default(),
            value: 0,
        }
    }

    /// Where an object to which there is a reference is now.
    #[inline]
    pub(crate) fn place(&mut self, object: NonNull<Header>) -> NonNull<Header> {
        // SAFETY: a reference that was reported is to a living object of a chunk.
        let (kind, age) = unsafe {
            let page = page_of(object.cast()).as_ptr();
            ((*page).kind, (*page).class)
        };
        if kind != Kind::Nursery {
            return object;
        }
        #[cfg(test)]
        if is_planted(Planted::StaleSlot) && self.place_young(object, age) != object {
            return object;
        }
        self.place_young(object, age)
    }

    fn place_young(&mut self, object: NonNull<Header>, age: u8) -> NonNull<Header> {
        // SAFETY: as above.
        let header = unsafe { object.as_ref() };
        if let Some(to) = header.moved() {
            // SAFETY: where it has moved is an object.
            self.refers_to_young |= unsafe { page_of(to.cast()).as_ref() }.kind == Kind::Nursery;
            return to;
        }
        if age == SURVIVING {
            // It has moved there in this collection.
            self.refers_to_young = true;
            return object;
        }
        let table = header.table();
        // SAFETY: as above.
        let bytes = unsafe { table.bytes(object) };
        let stays = table.mutable && age == 0 && self.ageing == Ageing::Once;
        let to = if stays {
            self.refers_to_young = true;
            self.survivor(young_size(bytes))
        } else {
            let Core {
                old, source, id, ..
            } = &mut *self.core;
            old.allocate(bytes, source, *id)
        };
        let Some(to) = to else { out_of_memory() };
        // SAFETY: the object moves, bit for bit, to room that is large enough; nobody uses the old place but for where it has gone.
        unsafe {
            ptr::copy_nonoverlapping(
                object.cast::<u8>().as_ptr(),
                to.cast::<u8>().as_ptr(),
                size_of::<Header>() + bytes,
            )
        };
        header.moves(to);
        match stays {
            true => self.counts.aged(young_size(bytes)),
            false => self.counts.promoted(young_size(bytes)),
        }
        if table.needs_trace || table.mutable {
            self.moved.push(to);
        }
        to
    }

    fn survivor(&mut self, bytes: usize) -> Option<NonNull<Header>> {
        loop {
            if let Some(room) = self.survivors.room(bytes) {
                return Some(room.cast());
            }
            let Core {
                reserve,
                source,
                id,
                ..
            } = &*self.core;
            if !self.survivors.grow(reserve, source, *id, bytes) {
                return None;
            }
        }
    }

    /// What is gone through has a flag for the barrier: it is set if the next write has to be told. Of the object itself: what is only
    /// part of one can be taken out of it, and become another.
    #[inline]
    pub(crate) fn mutable(&self, flag: &Cell<u32>, clean: u32) {
        let whole = std::ptr::from_ref(flag).addr() == self.value;
        if whole && self.old && !self.refers_to_young {
            flag.set(clean);
        }
    }

    /// What is gone through is a weak reference.
    pub(crate) fn weak(&mut self) {
        self.weak.extend(self.object);
    }

    /// Goes through one object. It stays remembered if it is old and refers to a young one.
    pub(super) fn visit(&mut self, object: NonNull<Header>) {
        // SAFETY: a living object, which nobody uses now; the value follows the header.
        unsafe {
            self.old = page_of(object.cast()).as_ref().kind != Kind::Nursery;
            self.refers_to_young = false;
            self.value = Header::value(object).addr().get();
            self.object = Some(object);
            (object.as_ref().table().relocate)(object.add(1).cast(), self);
        }
        #[cfg(test)]
        if is_planted(Planted::ForgottenOld) {
            return;
        }
        if self.old && self.refers_to_young {
            self.core.remembered.get_mut().push(object);
        }
    }

    /// Goes through all that has moved.
    pub(super) fn drain(&mut self) {
        while let Some(object) = self.moved.pop() {
            self.visit(object);
        }
    }

    /// All that is reached has moved: weak references follow, or are cleared (H10). Those to what is still young are looked at again in the
    /// next collection.
    pub(super) fn clear_weak(&mut self) {
        let known = std::mem::take(&mut self.core.weak);
        for reference in known.into_iter().chain(std::mem::take(&mut self.weak)) {
            // SAFETY: a weak reference that was reached, now or when it became old; since then nothing was swept that was not marked, and a
            // mark empties this list. What it refers to has not been freed.
            let young = unsafe {
                Target::of(reference).update(|object| {
                    let page = page_of(object.cast()).as_ref();
                    match page.kind == Kind::Nursery && page.class != SURVIVING {
                        true => object.as_ref().moved(),
                        false => Some(object),
                    }
                })
            };
            let young = young.filter(|&object| {
                // SAFETY: where it is now.
                unsafe { page_of(object.cast()).as_ref() }.kind == Kind::Nursery
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
                    if page_of(to.cast()).as_ref().kind == Kind::Nursery {
                        self.survivors.note_drop(to);
                    } else {
                        self.core.old.note_drop(to);
                    }
                },
            }
        }
        self.survivors
    }
}

/// What pages of survivors are marked with while they are filled: nothing moves out of them.
const SURVIVING: u8 = 2;

impl std::fmt::Debug for Relocator<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relocator").finish_non_exhaustive()
    }
}

/// In the middle of a collection nothing can be undone.
#[cold]
fn out_of_memory() -> ! {
    eprintln!(
        "vivant-heap: no memory for the objects that survive a collection: the system gives none. In the middle of one nothing can be \
         undone, so the process ends; bound the source of pages below what the system has (`Source::bounded`), or give its heaps a \
         smaller `Pacing::nursery`"
    );
    std::process::abort()
}
