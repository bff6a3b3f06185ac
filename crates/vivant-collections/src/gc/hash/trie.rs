//! The trie above the segments: the directory of the hash map.

use super::node::{BITS_MAX, Child, Link, Node, link_to, slot};
use super::segment::Segment;
use crate::gc::chunk::{Chunk, Raw};
use std::marker::PhantomData;
use std::ptr::NonNull;
use vivant_heap::{Evacuator, Mutator, Object, Tracer};

/// The number of bits of a hash that select segments: the highest ones. The others are for tags.
const DEPTH_MAX: u32 = u64::BITS - u8::BITS;

/// Segments, selected by the highest bits of hashes.
///
/// Each segment contains the entries with hashes that begin with certain bits; the number of these
/// bits is its depth, which is stored in its note. A full segment is split in two by the next bit.
/// If the slots of its node do not distinguish the halves, the node gets twice as many slots; a
/// node with the largest number of slots gets a node below it. So growth works on one segment at a
/// time. When the bits are used up, segments are chained.
pub(crate) struct Trie<'gc, K, V> {
    root: Option<Link>,
    what: PhantomData<Segment<'gc, K, V>>,
}

// SAFETY: as for `Chunk`: it goes to another thread with the heap, and its content may go.
unsafe impl<K, V> Send for Trie<'static, K, V> {}

/// The result of a search for a key.
pub(crate) enum Lookup<'gc, K, V> {
    /// Its segment and slot.
    Entry(Segment<'gc, K, V>, usize),
    /// Where its entry would be: the first segment of a chain, if there is a segment.
    Vacant(Option<Segment<'gc, K, V>>),
}

/// The path to a segment.
struct Path<'gc, K, V> {
    segment: Segment<'gc, K, V>,
    /// The node that refers to it, with the number of its bits, and the number of bits consumed
    /// before it.
    node: Option<(Chunk<'gc, Node>, u32, u32)>,
    /// The node above that one, with the same numbers.
    above: Option<(Chunk<'gc, Node>, u32, u32)>,
}

/// The slot of a node for a hash.
#[inline]
fn slot_for(hash: u64, used: u32, bits: u32) -> usize {
    debug_assert!(bits > 0 && used < u64::BITS);
    ((hash << used) >> (u64::BITS - bits)) as usize
}

impl<K, V> Trie<'_, K, V> {
    pub(crate) const fn new() -> Self {
        Trie {
            root: None,
            what: PhantomData,
        }
    }
}

impl<'gc, K, V> Trie<'gc, K, V> {
    /// The largest number of bits by which a node selects.
    pub(crate) const NODE_BITS_MAX: u32 = BITS_MAX;
    /// The number of bits of a hash that select segments.
    pub(crate) const BITS: u32 = DEPTH_MAX;

    pub(crate) fn root_chunk(&self) -> Option<Child> {
        self.root.map(Link::child)
    }

    /// Sets the root of an empty trie. What is below it is of this map alone.
    pub(crate) fn set_root(&mut self, root: Child) {
        self.root = Some(link_to(root));
    }

    /// A node of so many bits with these children, each for so many slots.
    pub(crate) fn node(m: &Mutator<'gc>, bits: u32, children: &[(u32, Child)]) -> Raw {
        let new: Chunk<'gc, Node> = Chunk::new(m, 1 << bits);
        new.touch(m);
        let links = children
            .iter()
            .flat_map(|(slots, child)| (0..*slots).map(|_| link_to(*child)));
        let mut count = 0;
        for (number, link) in links.enumerate().take(1 << bits) {
            // SAFETY: the node has the slot, and is not yet linked.
            unsafe { slot(new.raw(), number).write(link) };
            count = number + 1;
        }
        assert_eq!(count, 1 << bits, "each slot of a node has a link");
        // SAFETY: all slots have links; the chunk has passed the barrier.
        unsafe { new.fill(0..count) };
        new.raw()
    }
}

impl<'gc, K: Object<'gc>, V: Object<'gc>> Trie<'gc, K, V> {
    /// The segment for a hash; of a chain, the first one.
    #[inline]
    pub(crate) fn segment(&self, hash: u64) -> Option<Segment<'gc, K, V>> {
        let mut link = self.root?;
        let mut rest = hash;
        // SAFETY: chunks of this map; the last one is a segment.
        unsafe {
            loop {
                let bits = link.bits();
                if bits == 0 {
                    return Some(Chunk::of(link.chunk(0)));
                }
                let number = (rest >> (u64::BITS - bits)) as usize;
                rest <<= bits;
                link = slot(link.chunk(bits), number).read();
            }
        }
    }

    fn path(&self, hash: u64) -> Option<Path<'gc, K, V>> {
        let mut link = self.root?;
        let mut used = 0;
        let (mut node, mut above) = (None, None);
        // SAFETY: chunks of this map; the one with the tag 0 is a segment.
        unsafe {
            loop {
                let bits = link.bits();
                let chunk = link.chunk(bits);
                if bits == 0 {
                    let segment = Chunk::of(chunk);
                    return Some(Path {
                        segment,
                        node,
                        above,
                    });
                }
                above = node;
                node = Some((Chunk::of(chunk), bits, used));
                link = slot(chunk, slot_for(hash, used, bits)).read();
                used += bits;
            }
        }
    }

    /// Finds the entry for which `is` returns true.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is: impl FnMut(&K) -> bool) -> Lookup<'gc, K, V> {
        let Some(first) = self.segment(hash) else {
            return Lookup::Vacant(None);
        };
        match first.find_in_chain(hash, is) {
            Some((segment, slot)) => Lookup::Entry(segment, slot),
            None => Lookup::Vacant(Some(first)),
        }
    }

    /// Adds an entry with a key that is not in the map; `first` is the segment in which it was
    /// searched. `hashes` is foreign code: it hashes a key of the map.
    #[inline]
    pub(crate) fn push(
        &mut self,
        m: &Mutator<'gc>,
        first: Option<Segment<'gc, K, V>>,
        hash: u64,
        entry: (K, V),
        hashes: impl Fn(&K) -> u64,
    ) -> NonNull<(K, V)> {
        let segment = match first {
            Some(first) if first.to() < first.capacity() => first,
            _ => self.make_room(m, hash, hashes),
        };
        segment.push(m, hash, entry)
    }

    /// Makes room for an entry in the segment that it returns. Each step leaves a valid map: the
    /// steps before stay if there is no memory for the next, or if a hash function panics.
    #[cold]
    #[inline(never)]
    fn make_room(
        &mut self,
        m: &Mutator<'gc>,
        hash: u64,
        hashes: impl Fn(&K) -> u64,
    ) -> Segment<'gc, K, V> {
        loop {
            let Some(path) = self.path(hash) else {
                let first = Chunk::new(m, Segment::<K, V>::FIRST);
                self.root = Some(Link::new(first.raw(), 0));
                return first;
            };
            let segment = path.segment;
            if segment.to() < segment.capacity() {
                return segment;
            }
            let depth = segment.note() as u32;
            if segment.capacity() < Segment::<K, V>::MOST {
                self.widen_segment(m, hash, &path);
            } else if depth >= DEPTH_MAX {
                return chain_with_room(m, segment);
            } else {
                match path.node {
                    Some((node, bits, used)) if depth < used + bits => {
                        split(m, hash, segment, (node, bits, used), &hashes);
                    }
                    Some((_, bits, _)) if bits < BITS_MAX => self.widen_node(m, hash, &path),
                    node => self.deepen(m, hash, segment, node),
                }
            }
        }
    }

    /// Replaces a full segment by a larger one.
    fn widen_segment(&mut self, m: &Mutator<'gc>, hash: u64, path: &Path<'gc, K, V>) {
        let old = path.segment;
        let capacity = (old.capacity() * 2).min(Segment::<K, V>::MOST);
        let new: Segment<'gc, K, V> = Chunk::new(m, capacity);
        new.set_note(old.note());
        old.move_to(m, new, u128::MAX);
        let link = Link::new(new.raw(), 0);
        match path.node {
            None => self.root = Some(link),
            Some(node) => redirect(m, hash, node, old.note() as u32, link),
        }
    }

    /// Replaces a node by one with twice the slots.
    fn widen_node(&mut self, m: &Mutator<'gc>, hash: u64, path: &Path<'gc, K, V>) {
        let Some((node, bits, _)) = path.node else {
            return;
        };
        let slots = 1 << bits;
        let new: Chunk<'gc, Node> = Chunk::new(m, slots * 2);
        // SAFETY: both have these slots. The content of the old node stays; the old node is
        // garbage. The new node is not yet linked.
        unsafe {
            for number in 0..slots {
                let link = slot(node.raw(), number).read();
                slot(new.raw(), 2 * number).write(link);
                slot(new.raw(), 2 * number + 1).write(link);
            }
            new.fill(0..slots * 2);
        }
        let link = Link::new(new.raw(), bits + 1);
        match path.above {
            None => self.root = Some(link),
            Some((above, bits, used)) => redirect(m, hash, (above, bits, used), used + bits, link),
        }
    }

    /// Puts a node of one bit above a segment.
    fn deepen(
        &mut self,
        m: &Mutator<'gc>,
        hash: u64,
        segment: Segment<'gc, K, V>,
        node: Option<(Chunk<'gc, Node>, u32, u32)>,
    ) {
        let new: Chunk<'gc, Node> = Chunk::new(m, 2);
        // SAFETY: it has two slots, and is not yet linked.
        unsafe {
            slot(new.raw(), 0).write(Link::new(segment.raw(), 0));
            slot(new.raw(), 1).write(Link::new(segment.raw(), 0));
            new.fill(0..2);
        }
        let link = Link::new(new.raw(), 1);
        match node {
            None => self.root = Some(link),
            Some((node, bits, used)) => redirect(m, hash, (node, bits, used), used + bits, link),
        }
    }

    pub(crate) fn trace(&self, tracer: &mut Tracer<'_>) {
        if let Some(root) = self.root {
            // SAFETY: the trie has the reference; a trie of this brand exists within turns only, or
            // in the collector.
            unsafe { root.trace(tracer) };
        }
    }

    pub(crate) fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        if let Some(root) = &mut self.root {
            // SAFETY: the trie has the reference; a trie of this brand exists within turns only, or
            // in the collector.
            *root = unsafe { root.evacuated(evacuator) };
        }
    }
}

/// Makes all slots of a node for hashes that begin with the same `depth` bits as this hash refer to
/// `to`.
fn redirect<'gc>(
    m: &Mutator<'gc>,
    hash: u64,
    (node, bits, used): (Chunk<'gc, Node>, u32, u32),
    depth: u32,
    to: Link,
) {
    node.touch(m);
    let count = 1 << (used + bits - depth);
    let first = slot_for(hash, used, bits) & !(count - 1);
    for number in first..first + count {
        // SAFETY: the node has 2 to the power of `bits` slots, and has passed the barrier.
        unsafe { slot(node.raw(), number).write(to) };
    }
}

/// Splits a full segment by the next bit. The node distinguishes the halves.
fn split<'gc, K: Object<'gc>, V: Object<'gc>>(
    m: &Mutator<'gc>,
    hash: u64,
    segment: Segment<'gc, K, V>,
    node: (Chunk<'gc, Node>, u32, u32),
    hashes: &impl Fn(&K) -> u64,
) {
    let depth = segment.note() as u32;
    let bit = 1 << (u64::BITS - 1 - depth);
    let mut moves: u128 = 0;
    for number in 0..segment.to() {
        // SAFETY: there is an entry; foreign code reads it while the map is not written, and
        // nothing has changed yet.
        let key = unsafe { &segment.entry(number).as_ref().0 };
        moves |= u128::from(hashes(key) & bit != 0) << number;
    }
    // Few entries: most keys of this segment collide.
    let capacity = match moves.count_ones() as usize {
        few if few < Segment::<K, V>::MOST / 8 => few.max(Segment::<K, V>::FIRST),
        _ => Segment::<K, V>::MOST,
    };
    let other: Segment<'gc, K, V> = Chunk::new(m, capacity);
    segment.move_to(m, other, moves);
    segment.set_note(depth as usize + 1);
    other.set_note(depth as usize + 1);
    redirect(m, hash | bit, node, depth + 1, Link::new(other.raw(), 0));
}

/// Room in a chain of segments with keys that have the same hash but for its lowest bits.
fn chain_with_room<'gc, K: Object<'gc>, V: Object<'gc>>(
    m: &Mutator<'gc>,
    first: Segment<'gc, K, V>,
) -> Segment<'gc, K, V> {
    let mut segment = first;
    while let Some(next) = segment.next() {
        if next.to() < next.capacity() {
            return next;
        }
        segment = next;
    }
    let more = Chunk::new(m, Segment::<K, V>::MOST);
    first.chain(m, more);
    more
}

/// A walk over all segments, in the order of the bits that select them. Its position is a number,
/// so it needs no stack.
pub(crate) struct Walk<'gc, K, V> {
    /// The beginning of the hashes of the next segment.
    next: Option<u64>,
    /// The rest of the current chain, which comes first.
    chain: Option<Segment<'gc, K, V>>,
}

impl<'gc, K: Object<'gc>, V: Object<'gc>> Walk<'gc, K, V> {
    pub(crate) fn new() -> Self {
        Walk::from(0)
    }

    /// Starts at the segment for this hash.
    pub(crate) fn from(hash: u64) -> Self {
        Walk {
            next: Some(hash),
            chain: None,
        }
    }

    /// Whether the last segment was the end of its chain.
    pub(crate) fn is_at_chain_end(&self) -> bool {
        self.chain.is_none()
    }

    /// The beginning of the hashes of the next segment that starts a chain.
    pub(crate) fn next(&self) -> Option<u64> {
        self.next
    }

    /// The next segment. The trie is the same in each call, and has not grown meanwhile.
    pub(crate) fn step(&mut self, trie: &Trie<'gc, K, V>) -> Option<Segment<'gc, K, V>> {
        if let Some(segment) = self.chain {
            self.chain = segment.next();
            return Some(segment);
        }
        let here = self.next?;
        let segment = trie.segment(here)?;
        self.chain = segment.next();
        let step = 1_u64.checked_shl(u64::BITS - segment.note() as u32);
        self.next = step.and_then(|step| here.checked_add(step));
        Some(segment)
    }
}

impl<K, V> Default for Trie<'_, K, V> {
    fn default() -> Self {
        Trie::new()
    }
}

const _: () = assert!(size_of::<Trie<'_, (), ()>>() == size_of::<usize>());
