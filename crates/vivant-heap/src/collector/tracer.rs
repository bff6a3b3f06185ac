//! Marking: what the roots reach is of the present epoch when it is done.

use super::prefetch::Ahead;
use crate::header::{Header, Table};
use crate::old::Epoch;
use crate::orca::{Counts, Owner};
use crate::pages::chunk::state_of;
use crate::pieces::Pieces;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::sync::Ordering;
use crate::types::Object;
use std::ops::Range;
use std::ptr::NonNull;

/// Goes from object to object. What [`Object::trace`](crate::Object::trace) reports to.
pub struct Tracer<'a> {
    epoch: Epoch,
    purpose: Purpose<'a>,
    /// Met, and not yet gone through. Explicit, so that deep structures need no deep stack (H12).
    grey: Vec<NonNull<Header>>,
    /// How many objects the mark has met.
    met: u64,
    /// Bytes of the cells and large objects that were met.
    pub(super) alive: usize,
    /// What is gone through, if it is an object.
    object: Option<NonNull<Header>>,
    /// Weak references that were gone through.
    weak: Vec<NonNull<Header>>,
    private: Option<Private>,
}

/// While only what nobody else can reach is gone through.
#[derive(Default)]
struct Private {
    /// Objects that were met and may show something.
    showing: Pieces<NonNull<Header>>,
    /// Shared objects of its own that were met: they are gone through later.
    put_off: Vec<NonNull<Header>>,
}

/// What becomes of the references that are met.
enum Purpose<'a> {
    /// Those that the mark has not met are marked, and gone through. Of shared objects only those
    /// of this owner; foreign ones are noted.
    Mark {
        own: NonNull<Owner>,
        imports: &'a mut Counts,
        /// Seen, and not yet met.
        ahead: Ahead,
    },
    /// All are listed, and none is followed.
    List { shared: Vec<NonNull<Header>> },
    /// Those to shared objects are told, in a value that has no others.
    Tell(&'a mut dyn FnMut(NonNull<Header>)),
}

/// The references that something reports, in its order.
pub(crate) struct Listed {
    /// To objects of its own heap.
    pub(crate) own: Vec<NonNull<Header>>,
    /// To shared objects, whoever owns them.
    pub(crate) shared: Vec<NonNull<Header>>,
}

/// What was written down of one object: references to objects of its own heap, to shared ones, and
/// the object itself if it is a weak reference.
pub(super) struct Scanned<'a> {
    pub(super) own: &'a mut Vec<NonNull<Header>>,
    pub(super) shared: &'a mut Vec<NonNull<Header>>,
    pub(super) weak: &'a mut Vec<NonNull<Header>>,
}

/// Whether shared objects are gone through later.
#[cfg(not(test))]
fn puts_off(_: &&mut Private) -> bool {
    true
}

#[cfg(test)]
fn puts_off(_: &&mut Private) -> bool {
    !is_planted(Planted::SharedShown)
}

impl<'a> Tracer<'a> {
    /// Marks for this owner.
    pub(super) fn new(epoch: Epoch, own: NonNull<Owner>, imports: &'a mut Counts) -> Self {
        let ahead = Ahead::default();
        Tracer::with(
            epoch,
            Purpose::Mark {
                own,
                imports,
                ahead,
            },
        )
    }

    fn with(epoch: Epoch, purpose: Purpose<'a>) -> Self {
        Tracer {
            epoch,
            purpose,
            grey: Vec::new(),
            met: 0,
            alive: 0,
            object: None,
            weak: Vec::new(),
            private: None,
        }
    }

    /// Writes down the references of one object after the other, while a mark runs beside its
    /// actor.
    pub(super) fn scanning() -> Tracer<'static> {
        let shared = Vec::new();
        Tracer::with(Epoch::FIRST, Purpose::List { shared })
    }

    /// Writes down the references of an object.
    ///
    /// # Safety
    ///
    /// It is there, of this type, and nobody changes it.
    #[inline]
    pub(super) unsafe fn scan(&mut self, object: NonNull<Header>, table: &Table) {
        self.object = Some(object);
        // SAFETY: the caller's; the value follows the header.
        unsafe { (table.trace)(object.add(1).cast(), self) };
    }

    /// Writes down the references of some elements of a slice.
    ///
    /// # Safety
    ///
    /// It is there, has as many, and nobody changes it.
    pub(super) unsafe fn scan_part(&mut self, slice: NonNull<Header>, elements: Range<usize>) {
        // SAFETY: the caller's; the length follows the header.
        unsafe {
            if let Some(trace_part) = slice.as_ref().table().trace_part {
                trace_part(slice.add(1).cast(), elements, self);
            }
        }
    }

    /// What was written down, for the caller to take.
    #[inline]
    pub(super) fn scanned(&mut self) -> Scanned<'_> {
        let Purpose::List { shared } = &mut self.purpose else {
            unreachable!("it scans")
        };
        Scanned {
            own: &mut self.grey,
            shared,
            weak: &mut self.weak,
        }
    }

    /// The references that something reports, in its order.
    pub(crate) fn list(report: impl FnOnce(&mut Tracer<'_>)) -> Listed {
        let shared = Vec::new();
        let mut tracer = Tracer::with(Epoch::FIRST, Purpose::List { shared });
        report(&mut tracer);
        let Tracer {
            grey: own, purpose, ..
        } = tracer;
        match purpose {
            Purpose::List { shared } => Listed { own, shared },
            Purpose::Mark { .. } | Purpose::Tell(_) => unreachable!("nobody changes it"),
        }
    }

    /// Tells of the references to shared objects in a value that has no others.
    #[inline]
    pub(crate) fn tell<'gc>(value: &impl Object<'gc>, mut each: impl FnMut(NonNull<Header>)) {
        value.trace(&mut Tracer::with(Epoch::FIRST, Purpose::Tell(&mut each)));
    }

    /// A reference to this object, which is shared: perhaps another heap's.
    #[inline]
    pub(crate) fn shared(&mut self, object: NonNull<Header>) {
        match &mut self.purpose {
            Purpose::List { shared } => shared.push(object),
            Purpose::Tell(each) => each(object),
            Purpose::Mark { own, imports, .. } => {
                // SAFETY: a reference that was reported is to a living object, which its owner
                // keeps until this mark has ended.
                if unsafe { Owner::of(object) } != *own {
                    imports.meet(object);
                } else if let Some(private) = self.private.as_mut().filter(puts_off) {
                    private.put_off.push(object);
                } else {
                    self.edge(object);
                }
            }
        }
    }

    /// A reference to this object.
    #[inline]
    pub(crate) fn edge(&mut self, object: NonNull<Header>) {
        let ready = match &mut self.purpose {
            // SAFETY: a reference that was reported is to a living object.
            Purpose::Mark { ahead, .. } => unsafe { ahead.push(object) },
            Purpose::List { .. } => {
                self.grey.push(object);
                None
            }
            Purpose::Tell(_) => None,
        };
        if let Some(ready) = ready {
            self.meet(ready);
        }
    }

    /// It was referred to a while ago.
    #[inline]
    fn meet(&mut self, object: NonNull<Header>) {
        // SAFETY: a reference that was reported is to a living object, and old: the nursery is
        // empty when a mark runs. Relaxed: one thread marks.
        let state = unsafe { state_of(object.cast()) };
        if state.load(Ordering::Relaxed) == self.epoch.0 {
            return;
        }
        state.store(self.epoch.0, Ordering::Relaxed);
        self.met += 1;
        // SAFETY: as above.
        let table = unsafe { object.as_ref() }.table();
        // SAFETY: as above.
        self.alive += unsafe { table.room(object) };
        #[cfg(test)]
        if is_planted(Planted::ForgottenChildren) {
            return;
        }
        if table.show.is_some()
            && let Some(private) = &mut self.private
        {
            private.showing.push(object);
        }
        if table.needs_trace {
            self.grey.push(object);
        }
    }

    /// Marks what the roots reach, but not by shared objects; then those shared objects are met.
    /// The others that may show something.
    pub(super) fn private<'gc>(&mut self, roots: &impl Object<'gc>) -> Pieces<NonNull<Header>> {
        self.private = Some(Private::default());
        roots.trace(self);
        self.drain();
        let Private { showing, put_off } = self.private.take().unwrap_or_default();
        put_off.into_iter().for_each(|object| self.edge(object));
        showing
    }

    /// What is gone through is a weak reference.
    pub(crate) fn weak(&mut self) {
        self.weak.extend(self.object);
    }

    /// How many objects the mark has met until now.
    pub(super) fn met(&self) -> u64 {
        self.met
    }

    /// The weak references that were gone through.
    pub(super) fn weak_references(&mut self) -> Vec<NonNull<Header>> {
        std::mem::take(&mut self.weak)
    }

    /// Goes through what was met.
    pub(super) fn drain(&mut self) {
        while let Some(object) = self.next() {
            self.object = Some(object);
            // SAFETY: a living object; the value follows the header. No turn runs, so nobody
            // writes.
            unsafe { (object.as_ref().table().trace)(object.add(1).cast(), self) };
        }
    }

    /// The next one to go through. None if that was all.
    #[inline]
    fn next(&mut self) -> Option<NonNull<Header>> {
        loop {
            if let Some(object) = self.grey.pop() {
                return Some(object);
            }
            let Purpose::Mark { ahead, .. } = &mut self.purpose else {
                return None;
            };
            let ready = ahead.pop()?;
            self.meet(ready);
        }
    }
}

impl std::fmt::Debug for Tracer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tracer").finish_non_exhaustive()
    }
}
