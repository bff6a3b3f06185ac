//! [`Evacuator`]: the evacuator of minor collections. Objects that the roots and the remembered set
//! reach move out of the nursery (H3).

use super::weak_target::WeakTarget;
use crate::alloc::header::{Header, young_size};
use crate::alloc::nursery::Nursery;
use crate::alloc::old::Old;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::pages::chunk::{Owner, age_of};
use crate::pages::nursery_chunk_cache::NurseryChunkCache;
use crate::pages::page::Age;
use crate::pages::page_source::PageSource;
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// The barrier's bit in the flag of a mutable object: it is old, and was not written since the last
/// minor collection. The next write executes the barrier.
pub(crate) const CLEAN: u32 = 1 << 30;

/// The tenuring policy: where objects go that survive their first collection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TenuringPolicy {
    /// A mutable object stays young once more.
    Once,
    /// Every survivor is promoted: before a mark (H6).
    Never,
}

/// The parts of a heap that an evacuation reads and changes.
pub(crate) struct EvacuatedHeap<'a> {
    /// The nursery that is being emptied.
    pub(crate) nursery: &'a Nursery,
    pub(crate) old: &'a mut Old,
    /// The remembered set: an evacuation adds old objects that refer to survivors.
    pub(crate) remembered: &'a mut Vec<NonNull<Header>>,
    /// Old weak references to young objects.
    pub(crate) weak: &'a mut Vec<NonNull<Header>>,
    pub(crate) chunk_cache: &'a NurseryChunkCache,
    pub(crate) source: &'a PageSource,
    pub(crate) owner: NonNull<Owner>,
}

/// Evacuates objects. [`Object::evacuate`](crate::Object::evacuate) reports each reference to it.
pub struct Evacuator<'a> {
    heap: EvacuatedHeap<'a>,
    /// The survivor nursery: mutable objects that have survived once.
    survivors: Nursery,
    tenuring: TenuringPolicy,
    /// Promoted, and not yet scanned.
    promoted: Vec<NonNull<Header>>,
    /// Survivors that stay young, and are not yet scanned.
    aged: Vec<NonNull<Header>>,
    /// Weak references that were scanned.
    weak: Vec<NonNull<Header>>,
    /// The object that is being scanned, if it is one. `space` says where it lies,
    /// `refers_to_young` whether it refers to a young object.
    object: Option<NonNull<Header>>,
    space: Space,
    refers_to_young: bool,
    counts: Evacuated,
    /// Address of its value.
    value: usize,
}

/// A container with fewer elements costs a minor collection next to nothing.
const CONTAINER_MIN: usize = 1_000;

/// The evacuated objects of a minor collection.
#[derive(Clone, Copy, Default)]
pub(crate) struct Evacuated {
    pub(crate) objects: u64,
    pub(crate) aged: u64,
    pub(crate) promoted: u64,
    /// Elements of the largest container of `std` with references that was visited.
    pub(crate) container: usize,
}

impl Evacuated {
    /// Counts an object of `bytes` bytes that stays young.
    #[inline]
    fn aged(&mut self, bytes: usize) {
        self.objects += 1;
        self.aged += bytes as u64;
    }

    /// Counts an object of `bytes` bytes that is promoted.
    #[inline]
    fn promoted(&mut self, bytes: usize) {
        self.objects += 1;
        self.promoted += bytes as u64;
    }
}

/// Where the scanned object lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Space {
    Young,
    Old,
}

impl<'a> Evacuator<'a> {
    pub(crate) fn new(heap: EvacuatedHeap<'a>, tenuring: TenuringPolicy) -> Self {
        Evacuator {
            heap,
            survivors: Nursery::new(Age::Surviving),
            tenuring,
            promoted: Vec::new(),
            aged: Vec::new(),
            weak: Vec::new(),
            object: None,
            space: Space::Young,
            refers_to_young: false,
            counts: Evacuated::default(),
            value: 0,
        }
    }

    /// A container of `std` with this number of elements is visited as a whole. A small one is not
    /// noted: the compiler drops this call for an option.
    #[inline(always)]
    pub(crate) fn visits_container(&mut self, elements: usize) {
        if elements > CONTAINER_MIN {
            self.counts.container = self.counts.container.max(elements);
        }
    }

    /// Returns the present place of a referenced object, and evacuates it if it is still in the old
    /// nursery.
    #[inline]
    pub(crate) fn forward(&mut self, object: NonNull<Header>) -> NonNull<Header> {
        // SAFETY: a reported reference leads to a live object of a chunk.
        let age = unsafe { age_of(object.cast()) };
        if !age.is_young() {
            return object;
        }
        #[cfg(test)]
        if is_injected(InjectedFault::StaleSlot) && self.evacuate_young(object, age) != object {
            return object;
        }
        self.evacuate_young(object, age)
    }

    fn evacuate_young(&mut self, object: NonNull<Header>, age: Age) -> NonNull<Header> {
        // SAFETY: a reported reference leads to a live object; its old header stays valid until the
        // nursery is cleared.
        let header = unsafe { object.as_ref() };
        if let Some(to) = header.forwarded() {
            // SAFETY: a forwarding pointer leads to an object.
            self.refers_to_young |= unsafe { age_of(to.cast()) }.is_young();
            return to;
        }
        if age == Age::Surviving {
            // It was evacuated there in this collection.
            self.refers_to_young = true;
            return object;
        }
        let table = header.table();
        // SAFETY: it was not forwarded, so the live object is still here, with its table's type.
        let bytes = unsafe { table.bytes(object) };
        let ages = table.mutable && age == Age::New && self.tenuring == TenuringPolicy::Once;
        let to = if ages {
            self.refers_to_young = true;
            self.survivor(young_size(bytes))
        } else {
            let EvacuatedHeap {
                old, source, owner, ..
            } = &mut self.heap;
            // A young object is no larger than the largest size class.
            table
                .class(bytes)
                .and_then(|class| old.block(class, source, *owner))
        };
        let Some(to) = to else { out_of_memory() };
        // SAFETY: the object is copied bit for bit to a place that is large enough. Its old place
        // is used only for the forwarding pointer.
        unsafe { copy(object, to, young_size(bytes)) };
        header.forward_to(to);
        match ages {
            true => self.counts.aged(young_size(bytes)),
            false => self.counts.promoted(young_size(bytes)),
        }
        if table.needs_trace || table.mutable {
            let list = if ages {
                &mut self.aged
            } else {
                &mut self.promoted
            };
            list.push(to);
        }
        to
    }

    #[inline(never)]
    fn survivor(&mut self, bytes: usize) -> Option<NonNull<Header>> {
        loop {
            if let Some(room) = self.survivors.bump(bytes) {
                return Some(room.cast());
            }
            let EvacuatedHeap {
                chunk_cache,
                source,
                owner,
                ..
            } = &self.heap;
            if !self.survivors.grow(chunk_cache, source, *owner, bytes) {
                return None;
            }
        }
    }

    /// Visits the barrier's flag of a mutable part. The flag is set to [`CLEAN`] if the next write
    /// must be remembered. Only the flag at the beginning of an object is set: a value inside an
    /// object can be taken out of it, and become another object.
    #[inline]
    pub(crate) fn mutable(&self, flag: &Cell<u32>) {
        let guard = std::ptr::from_ref(flag).addr() == self.value;
        if guard && self.space == Space::Old && !self.refers_to_young {
            flag.set(CLEAN);
        }
    }

    /// Notes that the object that is being scanned is a weak reference.
    pub(crate) fn weak(&mut self) {
        self.weak.extend(self.object);
    }

    /// Scans a remembered object.
    pub(crate) fn scan_remembered(&mut self, object: NonNull<Header>) {
        self.scan(object, Space::Old);
    }

    /// Scans one object. It is remembered again if it is old and refers to a young one.
    #[inline]
    fn scan(&mut self, object: NonNull<Header>, space: Space) {
        self.space = space;
        self.refers_to_young = false;
        self.object = Some(object);
        // SAFETY: a live object, which no turn uses now; the value follows the header.
        unsafe {
            self.value = Header::value(object).addr().get();
            (object.as_ref().table().evacuate)(object.add(1).cast(), self);
        }
        #[cfg(test)]
        if is_injected(InjectedFault::ForgottenOld) {
            return;
        }
        if space == Space::Old && self.refers_to_young {
            self.heap.remembered.push(object);
        }
    }

    /// Scans all evacuated objects, until no new ones come.
    pub(crate) fn drain(&mut self) {
        loop {
            if let Some(object) = self.promoted.pop() {
                self.scan(object, Space::Old);
            } else if let Some(object) = self.aged.pop() {
                self.scan(object, Space::Young);
            } else {
                break;
            }
        }
    }

    /// Evacuation is complete: weak references follow their targets, or are cleared (H10). Those
    /// with targets that are still young are checked again in the next collection.
    pub(crate) fn clear_weak(&mut self) {
        let before = std::mem::take(self.heap.weak);
        // SAFETY: old objects of the heap, which are not freed yet (H10).
        unsafe { self.heap.old.note_changes(&before) };
        for reference in before.into_iter().chain(std::mem::take(&mut self.weak)) {
            // SAFETY: a weak reference that was reached, now or when it became old. A mark empties
            // this list, and a sweep frees only objects that the last mark has not marked. So since
            // then neither the reference nor its target has been freed.
            let young = unsafe {
                WeakTarget::of(reference).update(|object| match age_of(object.cast()) {
                    Age::New | Age::Survived => object.as_ref().forwarded(),
                    Age::Surviving | Age::Old => Some(object),
                })
            };
            let young = young.filter(|&object| {
                // SAFETY: the target's present place, in a chunk.
                unsafe { age_of(object.cast()) }.is_young()
            });
            if young.is_some() {
                self.heap.weak.push(reference);
            }
        }
    }

    /// What was evacuated until now.
    pub(crate) fn counts(&self) -> Evacuated {
        self.counts
    }

    /// Evacuation is complete: objects with a destructor that were not evacuated are dead and
    /// destroyed. Returns the survivor nursery.
    pub(crate) fn finish(self) -> Nursery {
        for object in self.heap.nursery.droppable() {
            // SAFETY: an object of the nursery.
            match unsafe { object.as_ref() }.forwarded() {
                // SAFETY: it was not reached, and its chunk is cleared.
                None => self.heap.old.panics += unsafe { crate::alloc::old::destroy(object) },
                // SAFETY: a forwarding pointer leads to an object.
                Some(to) => unsafe {
                    if age_of(to.cast()).is_young() {
                        self.survivors.note_drop(to);
                    } else {
                        self.heap.old.note_drop(to);
                    }
                },
            }
        }
        self.heap.old.flush_caches();
        self.survivors
    }
}

/// Copies an object of `bytes` bytes, a multiple of eight and at least sixteen. Most objects are
/// short: a call of `memcpy` would cost more than the copy.
///
/// # Safety
///
/// An object of this size lies at `from`. `to` has room for it, and does not overlap it.
#[inline]
unsafe fn copy(from: NonNull<Header>, to: NonNull<Header>, bytes: usize) {
    /// Copies the first words and the last ones, which may overlap: few branches for many sizes.
    ///
    /// # Safety
    ///
    /// As for `copy`, with at least `WORDS` words, and at most twice as many.
    #[inline]
    unsafe fn ends<const WORDS: usize>(from: NonNull<Header>, to: NonNull<Header>, bytes: usize) {
        let behind = bytes - 8 * WORDS;
        // SAFETY: the caller's contract.
        unsafe {
            let from = from.cast::<[MaybeUninit<u64>; WORDS]>();
            let to = to.cast::<[MaybeUninit<u64>; WORDS]>();
            let (first, last) = (from.read(), from.byte_add(behind).read());
            to.write(first);
            to.byte_add(behind).write(last);
        }
    }
    // SAFETY: the caller's contract; each arm gets between `WORDS` and twice as many words.
    unsafe {
        match bytes {
            0..=32 => ends::<2>(from, to, bytes),
            33..=64 => ends::<4>(from, to, bytes),
            65..=128 => ends::<8>(from, to, bytes),
            _ => to.cast::<u8>().copy_from_nonoverlapping(from.cast(), bytes),
        }
    }
}

impl std::fmt::Debug for Evacuator<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relocator").finish_non_exhaustive()
    }
}

/// Aborts the process: in the middle of a collection nothing can be undone.
#[cold]
pub(crate) fn out_of_memory() -> ! {
    eprintln!(
        "vivant-heap: no memory for the objects that survive a collection: the system gives none. In the middle of one nothing can be \
         undone, so the process ends; bound the source of pages below what the system has (`PageSource::bounded`), or give its heaps a \
         smaller `Pacing::nursery`"
    );
    std::process::abort()
}
