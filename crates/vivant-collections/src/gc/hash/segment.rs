//! Segments: chunks of unordered entries, with a tag for each.

use super::group::{GROUP, equal, equal_64};
use crate::gc::chunk::{CHUNK_MAX, Chunk, Content, HEAD, Raw, SLOTS_MAX, end_elements};
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;
use vivant_heap::{Evacuator, ExternalEdges, Mutator, Object, Tracer};

/// The content of segments: a link to a further segment, tags, and entries behind them. The tags of
/// empty slots are unspecified.
pub(crate) struct Entries<K, V>(PhantomData<fn() -> (K, V)>);

/// A segment.
pub(crate) type Segment<'gc, K, V> = Chunk<'gc, Entries<K, V>>;

/// The offset of the tags: behind the link.
const TAGS: usize = HEAD + size_of::<Option<Raw>>();

/// The number of tags for `capacity` entries: one group, or a multiple of four groups, so that all
/// are compared without a branch in between.
#[inline]
const fn tags(capacity: usize) -> usize {
    if capacity <= GROUP {
        GROUP
    } else {
        capacity.next_multiple_of(4 * GROUP)
    }
}

/// The offset of the entries.
#[inline]
const fn entries(capacity: usize) -> usize {
    TAGS + tags(capacity)
}

/// # Safety
///
/// The chunk is a segment.
#[inline]
unsafe fn link(segment: Raw) -> NonNull<Option<Raw>> {
    // SAFETY: guaranteed by the caller.
    unsafe { segment.behind(HEAD) }
}

/// # Safety
///
/// The chunk is a segment of such entries.
#[inline]
unsafe fn first<K, V>(segment: Raw) -> NonNull<(K, V)> {
    // SAFETY: guaranteed by the caller.
    unsafe { segment.behind(entries(segment.capacity())) }
}

// SAFETY: the content is the entries in the slots, and the link.
unsafe impl<'gc, K: Object<'gc>, V: Object<'gc>> Content<'gc> for Entries<K, V> {
    type Static = Entries<K::Static, V::Static>;
    /// The link is a reference.
    const NEEDS_TRACE: bool = true;
    const NEEDS_DROP: bool = std::mem::needs_drop::<(K, V)>();
    const HAS_EXTERNAL_EDGES: bool = K::HAS_EXTERNAL_EDGES || V::HAS_EXTERNAL_EDGES;

    #[inline]
    fn bytes(capacity: usize) -> usize {
        entries(capacity) + capacity * size_of::<(K, V)>()
    }

    unsafe fn begin(chunk: Raw, capacity: usize) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            link(chunk).write(None);
            let first = chunk.behind::<u8>(TAGS);
            first.write_bytes(0, tags(capacity));
        }
    }

    unsafe fn trace(chunk: Raw, tracer: &mut Tracer<'_>) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            if let Some(next) = link(chunk).read() {
                next.trace(tracer);
            }
            if <(K, V) as Object<'gc>>::NEEDS_TRACE {
                for slot in chunk.filled() {
                    first::<K, V>(chunk).add(slot).as_ref().trace(tracer);
                }
            }
        }
    }

    unsafe fn evacuate(chunk: Raw, written: Range<usize>, evacuator: &mut Evacuator<'_>) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            if let Some(next) = link(chunk).read() {
                link(chunk).write(Some(next.evacuated(evacuator)));
            }
            if <(K, V) as Object<'gc>>::NEEDS_TRACE {
                for slot in written {
                    first::<K, V>(chunk).add(slot).as_mut().evacuate(evacuator);
                }
            }
        }
    }

    unsafe fn trace_external(chunk: Raw, edges: &mut ExternalEdges<'_>) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            for slot in chunk.filled() {
                first::<K, V>(chunk)
                    .add(slot)
                    .as_ref()
                    .trace_external(edges);
            }
        }
    }

    unsafe fn end(chunk: Raw) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let filled = chunk.filled();
            end_elements(first::<K, V>(chunk).add(filled.start), filled.len());
        }
    }
}

impl<'gc, K: Object<'gc>, V: Object<'gc>> Segment<'gc, K, V> {
    /// The largest number of entries of a segment. At most 128, because a split has a bit for each.
    pub(crate) const MOST: usize = {
        assert!(
            align_of::<(K, V)>() <= 8,
            "keys and values are aligned to 8 bytes at most; box what needs more"
        );
        let slots = if K::NEEDS_TRACE && V::NEEDS_TRACE {
            SLOTS_MAX / 2
        } else {
            SLOTS_MAX
        };
        let mut most = slots;
        while most > 1 && entries(most) + most * size_of::<(K, V)>() > CHUNK_MAX {
            most -= 1;
        }
        most
    };

    /// The number of entries of a map's first segment.
    pub(crate) const FIRST: usize = if Self::MOST < 4 { Self::MOST } else { 4 };

    #[inline]
    fn first(self) -> NonNull<(K, V)> {
        // SAFETY: a segment of such entries.
        unsafe { first(self.raw()) }
    }

    #[inline]
    fn tags(self) -> NonNull<u8> {
        // SAFETY: a segment has its tags there.
        unsafe { self.raw().behind(TAGS) }
    }

    /// The entry in this slot.
    #[inline]
    pub(crate) fn entry(self, slot: usize) -> NonNull<(K, V)> {
        debug_assert!(slot < self.capacity());
        // SAFETY: the segment has this slot.
        unsafe { self.first().add(slot) }
    }

    /// All entries.
    #[inline]
    pub(crate) fn entries(self) -> NonNull<[(K, V)]> {
        NonNull::slice_from_raw_parts(self.first(), self.to())
    }

    /// The next segment of the chain.
    #[inline]
    pub(crate) fn next(self) -> Option<Self> {
        // SAFETY: a segment of the same map.
        unsafe { link(self.raw()).read().map(|next| Chunk::of(next)) }
    }

    /// Inserts a segment into the chain, directly behind this one.
    pub(crate) fn chain(self, m: &Mutator<'gc>, more: Self) {
        self.touch(m);
        more.touch(m);
        // SAFETY: both have passed the barrier.
        unsafe {
            link(more.raw()).write(self.next().map(Chunk::raw));
            link(self.raw()).write(Some(more.raw()));
        }
    }

    /// The slots with the tag of this hash, a bit for each.
    #[inline]
    fn candidates(self, hash: u64) -> u128 {
        let (len, capacity, tag) = (self.to(), self.capacity(), hash as u8);
        let tags = self.tags();
        // SAFETY: there are tags for whole groups, and beyond one group for four groups at a time.
        let equal = unsafe {
            if capacity <= GROUP {
                u128::from(equal(tags, tag))
            } else if capacity <= 4 * GROUP {
                u128::from(equal_64(tags, tag))
            } else {
                let low = u128::from(equal_64(tags, tag));
                low | u128::from(equal_64(tags.add(4 * GROUP), tag)) << 64
            }
        };
        // Bytes behind the last entry are not tags.
        equal & below(len)
    }

    /// The slot of the entry with this hash for which `is` returns true, in this segment alone.
    ///
    /// `is` is foreign code: it may panic, and it reads entries that are not written meanwhile.
    #[inline]
    pub(crate) fn find(self, hash: u64, mut is: impl FnMut(&K) -> bool) -> Option<usize> {
        let mut candidates = self.candidates(hash);
        while candidates != 0 {
            let slot = candidates.trailing_zeros() as usize;
            // SAFETY: there is an entry in this slot. The segment is not written: code that may
            // write the map has lent it to this function.
            if is(unsafe { &self.entry(slot).as_ref().0 }) {
                return Some(slot);
            }
            candidates &= candidates - 1;
        }
        None
    }

    /// The same, in this segment and the rest of its chain.
    #[inline]
    pub(crate) fn find_in_chain(
        self,
        hash: u64,
        mut is: impl FnMut(&K) -> bool,
    ) -> Option<(Self, usize)> {
        let mut segment = self;
        loop {
            if let Some(slot) = segment.find(hash, &mut is) {
                return Some((segment, slot));
            }
            segment = segment.next()?;
        }
    }

    /// Adds an entry. There is a slot for it.
    pub(crate) fn push(self, m: &Mutator<'gc>, hash: u64, entry: (K, V)) -> NonNull<(K, V)> {
        let slot = self.to();
        debug_assert!(slot < self.capacity());
        self.touch_slot(m, slot);
        // SAFETY: the slot is empty; the chunk has passed the barrier.
        unsafe {
            self.tags().add(slot).write(hash as u8);
            self.entry(slot).write(entry);
            self.fill(0..slot + 1);
        }
        self.entry(slot)
    }

    /// Removes an entry and returns it. The last one takes its slot.
    pub(crate) fn take(self, m: &Mutator<'gc>, slot: usize) -> (K, V) {
        self.touch_slot(m, slot);
        let last = self.to() - 1;
        debug_assert!(slot <= last);
        // SAFETY: both slots contain entries, or are the same; the chunk has passed the barrier.
        // The entry that is read is no longer in the range of filled slots.
        unsafe {
            let entry = self.entry(slot).read();
            self.fill(0..last);
            if slot != last {
                self.copy(last, self, slot);
            }
            entry
        }
    }

    /// Moves the entries that have a bit in `moves` behind those of another segment. The last
    /// entries take their slots.
    pub(crate) fn move_to(self, m: &Mutator<'gc>, other: Self, moves: u128) {
        self.touch(m);
        other.touch(m);
        let moves = moves & below(self.to());
        let (mut len, mut there) = (self.to(), other.to());
        // SAFETY: both have passed the barrier, and the other one has enough slots. In the end each
        // entry is in one of them; nothing panics.
        unsafe {
            let mut rest = moves;
            while rest != 0 {
                self.copy(rest.trailing_zeros() as usize, other, there);
                there += 1;
                rest &= rest - 1;
            }
            // From the highest slot down: the entry that is then last stays.
            let mut rest = moves;
            while rest != 0 {
                let slot = rest.ilog2() as usize;
                len -= 1;
                if slot != len {
                    self.copy(len, self, slot);
                }
                rest ^= 1 << slot;
            }
            self.fill(0..len);
            other.fill(0..there);
        }
    }

    /// Copies an entry with its tag, bit for bit, to another slot.
    ///
    /// # Safety
    ///
    /// There is an entry in `slot`; both segments have passed the barrier; the other slot's entry,
    /// if it has one, was moved.
    unsafe fn copy(self, slot: usize, to: Self, at: usize) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            to.entry(at).copy_from_nonoverlapping(self.entry(slot), 1);
            to.tags().add(at).write(self.tags().add(slot).read());
        }
    }
}

/// A bit for each of the first `slots` slots.
#[inline]
fn below(slots: usize) -> u128 {
    match slots {
        SLOTS_MAX => u128::MAX,
        slots => (1 << slots) - 1,
    }
}
