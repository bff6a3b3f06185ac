//! Splitting: what one root of a region reaches moves to another region, if no other root reaches it (O8).

use super::relocator::{Ageing, out_of_memory};
use super::{Relocator, Tracer, Whole};
use crate::header::Header;
use crate::heap::Core;
use crate::old::run_of;
use crate::orca::{MORE, Owner, Post};
use crate::pages::chunk::{set_ages, state_of};
use crate::pages::page::{Age, Kind};
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::sync::Ordering;
use crate::types::{Object, Target};
use std::ptr::NonNull;

/// The state of a cell whose object belongs to the part that is split off. None that an epoch has; it is there only while a split runs.
const PART: u8 = 4;

/// What a part consists of.
struct Part {
    objects: Vec<NonNull<Header>>,
    /// What it refers to that is shared.
    shared: Vec<NonNull<Header>>,
}

impl Core {
    /// Marks all that `rest` reaches, and moves what `part` reaches to another region, which is empty. Both parts' weak references to each other are cleared.
    ///
    /// # Errors
    ///
    /// Both reach an object of this type: all is marked that any of them reaches, and nothing has moved.
    pub(crate) fn split<'gc>(
        &mut self,
        rest: &mut impl Object<'gc>,
        part: &mut impl Object<'gc>,
        into: &mut Core,
    ) -> Result<(), &'static str> {
        debug_assert!(self.old.unswept == 0 && self.nursery.used() == 0, "settled");
        let whole = Whole;
        let before = self.old.epoch.0;
        self.old.mark_begins();
        let own = Owner::name(&self.owner);
        let imports = self.sharing.get_mut().imports.counted();
        let mut tracer = Tracer::new(self.old.epoch, own, imports);
        rest.trace(&mut tracer);
        tracer.drain();
        let apart = Part::reached(part, self.old.epoch.0, before);
        if apart.is_err() {
            part.trace(&mut tracer);
            tracer.drain();
        }
        let (met, alive) = (tracer.met(), tracer.alive);
        let weak = tracer.weak_references();
        self.settle_at_once(weak);
        self.old.mark_ends(alive);
        self.gave_up = false;
        let apart = apart.map(|objects| {
            // Counts what it refers to before this region gives it up, by the end of the mark (O6).
            // SAFETY: the caller is the holder of both.
            unsafe { into.import(&objects.shared) };
            objects.move_to(self, part, into, before);
        });
        // SAFETY: no turn runs; what was not met is not used any more, but by the part, which counts it.
        unsafe { self.sharing.get_mut().marked() };
        self.next_mark(0);
        into.next_mark(0);
        self.counted.major(met);
        std::mem::forget(whole);
        apart
    }

    /// Has weights of these, which another region counts meanwhile.
    ///
    /// # Safety
    ///
    /// As said.
    unsafe fn import(&mut self, objects: &[NonNull<Header>]) {
        #[cfg(test)]
        if is_planted(Planted::ForgottenPart) {
            return;
        }
        let imports = self.sharing.get_mut().imports.settle();
        let mut more = Post::default();
        for &object in objects {
            if imports.of_object(object) == 0 {
                imports.add(object, MORE);
                // SAFETY: the caller's.
                unsafe { more.add(object, MORE) };
            }
        }
        // SAFETY: nothing is given up.
        unsafe { more.leave() };
    }
}

impl Part {
    /// All that a root reaches, unless one of it is of the present epoch: then the others are as they were before, and the error names its type.
    fn reached<'gc>(root: &impl Object<'gc>, epoch: u8, before: u8) -> Result<Part, &'static str> {
        let mut part = Part {
            objects: Vec::new(),
            shared: Vec::new(),
        };
        let mut grey = part.list(|tracer| root.trace(tracer));
        while let Some(object) = grey.pop() {
            // SAFETY: a living object, and old. Relaxed: nobody else has the region.
            let state = unsafe { state_of(object.cast()) };
            match state.load(Ordering::Relaxed) {
                PART => continue,
                #[cfg(test)]
                met if met == epoch && is_planted(Planted::UncheckedSplit) => {}
                met if met == epoch => {
                    part.is_of(before);
                    // SAFETY: as above.
                    return Err((unsafe { object.as_ref() }.table().name)());
                }
                _ => {}
            }
            state.store(PART, Ordering::Relaxed);
            part.objects.push(object);
            // SAFETY: as above; the value follows the header.
            let table = unsafe { object.as_ref() }.table();
            if table.needs_trace {
                // SAFETY: as above.
                grey.extend(
                    part.list(|tracer| unsafe { (table.trace)(object.add(1).cast(), tracer) }),
                );
            }
        }
        Ok(part)
    }

    /// The references to objects of the region. Others are noted.
    fn list(&mut self, report: impl FnOnce(&mut Tracer<'_>)) -> Vec<NonNull<Header>> {
        let listed = Tracer::list(report);
        self.shared.extend(listed.shared);
        listed.own
    }

    /// Its cells are of an epoch again.
    fn is_of(&self, epoch: u8) {
        for object in &self.objects {
            // SAFETY: its cell is there. Relaxed: as above.
            unsafe { state_of(object.cast()) }.store(epoch, Ordering::Relaxed);
        }
    }

    /// Moves it, with its root. What it was is dead in `from`, and its destructors are noted where it is now.
    fn move_to<'gc>(
        self,
        from: &mut Core,
        root: &mut impl Object<'gc>,
        into: &mut Core,
        before: u8,
    ) {
        let (mut moved, had) = (Vec::with_capacity(self.objects.len()), into.old.destructors);
        for &object in &self.objects {
            // SAFETY: an object of `from`, of which the caller is the holder.
            moved.push(unsafe { move_one(object, into) });
        }
        from.old.destructors -= into.old.destructors - had;
        from.set_ages(Age::Leaving);
        let mut relocator = Relocator::new(into, Ageing::Never);
        root.relocate(&mut relocator);
        moved
            .into_iter()
            .for_each(|object| relocator.remembered(object));
        for reference in relocator.weak_references() {
            // SAFETY: a weak reference that has moved, and stays. What it refers to is there: nothing was swept since it was marked.
            unsafe { Target::of(reference).update(|object| object.as_ref().moved()) };
        }
        drop(relocator);
        from.set_ages(Age::Old);
        self.is_of(before);
    }
}

/// Moves one object. Where it is now.
///
/// # Safety
///
/// It is an old one, and its cell is the caller's.
unsafe fn move_one(object: NonNull<Header>, into: &mut Core) -> NonNull<Header> {
    // SAFETY: the caller's; it has not moved.
    let (table, bytes) = unsafe {
        let table = object.as_ref().table();
        (table, table.bytes(object))
    };
    let room = into
        .old
        .allocate(bytes, &into.source, Owner::name(&into.owner));
    let Some(to) = room else { out_of_memory() };
    into.counted.born_old(bytes);
    // SAFETY: room for as many bytes; the object is there, bit for bit, and nobody uses the old place but for where it has gone.
    unsafe {
        let whole = size_of::<Header>() + bytes;
        to.cast::<u8>()
            .copy_from_nonoverlapping(object.cast(), whole);
        object.as_ref().moves(to);
        if table.end.is_some() {
            run_of(object).forget_drop(object.cast());
            into.old.note_drop(to);
        }
    }
    to
}

impl Core {
    /// Says of all old objects whether they move.
    fn set_ages(&mut self, age: Age) {
        for run in self.old.runs() {
            // SAFETY: the run is this region's. Of one that is longer than a chunk the object begins in the first page.
            unsafe {
                let page = run.page();
                let pages = match page.kind {
                    Kind::Large => 1,
                    _ => page.pages as usize,
                };
                set_ages(run.start(), pages, age);
            }
        }
    }
}
