//! A radix tree of chunks: the common part of [`Vec`](super::vec::Vec) and
//! [`VecDeque`](super::deque::VecDeque).

use super::chunk::{Chunk, Raw, SLOTS_MAX};
use super::items::{Items, Links, link};
use std::ops::Range;
use std::ptr::NonNull;
use vivant_heap::{Evacuator, Mutator, Object, Tracer};

/// Elements at the positions from `start` to `start + len` of a position space with a size that the
/// height of the tree determines.
///
/// A chunk of the lowest level contains the elements of `MOST` positions; a chunk above it refers
/// to as many chunks as it has slots. On the way to an element each level consumes some bits of its
/// position. No chunk is empty except the first one of a tree without height.
pub(crate) struct Radix<'gc, T> {
    pub(super) root: Option<Chunk<'gc, Items<T>>>,
    /// The number of levels of links above the elements.
    pub(super) height: u32,
    start: usize,
    pub(super) len: usize,
}

/// The end at which an element is added.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Front,
    Back,
}

/// Bits of a position that one level of links consumes.
const BITS: u32 = SLOTS_MAX.ilog2();
/// The largest number of levels, by the number of bits in a position.
pub(super) const HEIGHT_MAX: usize = (usize::BITS / BITS) as usize + 2;

impl<T> Radix<'_, T> {
    pub(crate) const fn new() -> Self {
        Radix {
            root: None,
            height: 0,
            start: 0,
            len: 0,
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Drops the reference to its chunks: they are garbage.
    pub(crate) fn clear(&mut self) {
        *self = Radix::new();
    }
}

impl<'gc, T: Object<'gc>> Radix<'gc, T> {
    const MOST: usize = Chunk::<'gc, Items<T>>::MOST;
    /// Bits of a position within the lowest level.
    const LOW: u32 = Self::MOST.ilog2();

    /// The number of positions below a chunk of this level, as bits.
    #[inline]
    fn bits(level: u32) -> u32 {
        Self::LOW + BITS * level
    }

    /// The slot for a position in a chunk of this level of links; the lowest level of links is 1.
    #[inline]
    fn slot(level: u32, position: usize) -> usize {
        (position >> Self::bits(level - 1)) & (SLOTS_MAX - 1)
    }

    /// The number of positions in the space; `None` if that exceeds `usize`.
    fn capacity(&self) -> Option<usize> {
        1_usize.checked_shl(Self::bits(self.height))
    }

    /// The chunk of elements for a position.
    ///
    /// # Safety
    ///
    /// There is a chunk for this position.
    #[inline]
    unsafe fn leaf(&self, position: usize) -> Chunk<'gc, Items<T>> {
        // SAFETY: guaranteed by the caller: all chunks on the way to an element exist.
        unsafe {
            let mut at = self.root.unwrap_unchecked().raw();
            let mut level = self.height;
            while level > 0 {
                at = link(at, Self::slot(level, position)).read();
                level -= 1;
            }
            Chunk::of(at)
        }
    }

    /// A pointer to an element.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<NonNull<T>> {
        if index >= self.len {
            return None;
        }
        let position = self.start + index;
        // SAFETY: there is an element.
        Some(unsafe { self.leaf(position) }.slot(position & (Self::MOST - 1)))
    }

    /// A pointer to an element, for writing.
    #[inline]
    pub(crate) fn get_mut(&mut self, m: &Mutator<'gc>, index: usize) -> Option<NonNull<T>> {
        if index >= self.len {
            return None;
        }
        let position = self.start + index;
        // SAFETY: there is an element.
        let leaf = unsafe { self.leaf(position) };
        let slot = position & (Self::MOST - 1);
        leaf.touch_slot(m, slot);
        Some(leaf.slot(slot))
    }

    /// The elements of one chunk: the longest slice that begins at `range.start` and does not
    /// exceed the range.
    ///
    /// The caller ensures that they are not written meanwhile, or that no other code uses them.
    pub(crate) fn run(&self, range: Range<usize>) -> (Chunk<'gc, Items<T>>, NonNull<[T]>) {
        debug_assert!(range.start < range.end && range.end <= self.len);
        let position = self.start + range.start;
        // SAFETY: there is an element.
        let leaf = unsafe { self.leaf(position) };
        let slot = position & (Self::MOST - 1);
        let count = range.len().min(Self::MOST - slot);
        (leaf, NonNull::slice_from_raw_parts(leaf.slot(slot), count))
    }

    /// The elements of one chunk: the longest slice that ends at `range.end`.
    pub(crate) fn run_back(&self, range: Range<usize>) -> (Chunk<'gc, Items<T>>, NonNull<[T]>) {
        let last = (self.start + range.end - 1) & (Self::MOST - 1);
        let count = range.len().min(last + 1);
        self.run(range.end - count..range.end)
    }

    #[inline]
    pub(crate) fn push_back(&mut self, m: &Mutator<'gc>, value: T) {
        let leaf = self.leaf_with_room(m, End::Back);
        let (from, to) = (leaf.from(), leaf.to());
        // SAFETY: there is an empty slot behind the last element; the chunk has passed the barrier.
        unsafe {
            leaf.slot(to).write(value);
            leaf.fill(from..to + 1);
        }
        self.len += 1;
    }

    pub(crate) fn push_front(&mut self, m: &Mutator<'gc>, value: T) {
        let leaf = self.leaf_with_room(m, End::Front);
        let (from, to) = (leaf.from(), leaf.to());
        // SAFETY: there is an empty slot before the first element; the chunk has passed the
        // barrier.
        unsafe {
            leaf.slot(from - 1).write(value);
            leaf.fill(from - 1..to);
        }
        self.start -= 1;
        self.len += 1;
    }

    #[inline]
    pub(crate) fn pop_back(&mut self, m: &Mutator<'gc>) -> Option<T> {
        let last = self.len.checked_sub(1)?;
        let position = self.start + last;
        // SAFETY: there is an element, the last of its chunk; the chunk has passed the barrier. The
        // element is read, and is no longer in the range of filled slots.
        let (value, empty) = unsafe {
            let leaf = self.leaf(position);
            let (from, to) = (leaf.from(), leaf.to());
            leaf.touch_slot(m, to - 1);
            leaf.fill(from..to - 1);
            (leaf.slot(to - 1).read(), from == to - 1)
        };
        self.len = last;
        if empty {
            self.prune(m, position);
        }
        Some(value)
    }

    pub(crate) fn pop_front(&mut self, m: &Mutator<'gc>) -> Option<T> {
        let left = self.len.checked_sub(1)?;
        let position = self.start;
        // SAFETY: there is an element, the first of its chunk; the chunk has passed the barrier.
        // The element is read, and is no longer in the range of filled slots.
        let (value, empty) = unsafe {
            let leaf = self.leaf(position);
            let (from, to) = (leaf.from(), leaf.to());
            leaf.touch_slot(m, from);
            leaf.fill(from + 1..to);
            (leaf.slot(from).read(), from + 1 == to)
        };
        self.start += 1;
        self.len = left;
        if empty {
            self.prune(m, position);
        }
        Some(value)
    }

    /// Exchanges two elements.
    pub(crate) fn swap(&mut self, m: &Mutator<'gc>, one: usize, other: usize) -> Option<()> {
        let (one, other) = (self.get_mut(m, one)?, self.get_mut(m, other)?);
        // SAFETY: two elements, or twice the same; both chunks have passed the barrier.
        unsafe { std::ptr::swap(one.as_ptr(), other.as_ptr()) };
        Some(())
    }

    /// A chunk, which has passed the barrier, with an empty slot before or behind its elements for
    /// the next element.
    #[inline]
    fn leaf_with_room(&mut self, m: &Mutator<'gc>, end: End) -> Chunk<'gc, Items<T>> {
        if let Some(leaf) = self.end_leaf_with_room(end) {
            leaf.touch_slot(
                m,
                match end {
                    End::Back => leaf.to(),
                    End::Front => leaf.from() - 1,
                },
            );
            return leaf;
        }
        self.grow(m, end)
    }

    #[inline]
    fn end_leaf_with_room(&self, end: End) -> Option<Chunk<'gc, Items<T>>> {
        if self.len == 0 {
            return None;
        }
        let (neighbour, low) = match end {
            End::Back => {
                let last = self.start + self.len - 1;
                (last, last & (Self::MOST - 1))
            }
            End::Front => (self.start, self.start & (Self::MOST - 1)),
        };
        // SAFETY: there is an element.
        let leaf = unsafe { self.leaf(neighbour) };
        let there = match end {
            End::Back => low + 1 < leaf.capacity(),
            End::Front => low > 0,
        };
        there.then_some(leaf)
    }

    /// Makes room for an element. Nothing is changed before there is memory for it.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, m: &Mutator<'gc>, end: End) -> Chunk<'gc, Items<T>> {
        if self.height == 0
            && let Some(leaf) = self.grow_lowest(m, end)
        {
            return leaf;
        }
        loop {
            let inside = match end {
                End::Back => {
                    let next = self.start.checked_add(self.len);
                    let next = next.expect("more elements than can be counted");
                    self.capacity()
                        .is_none_or(|capacity| next < capacity)
                        .then_some(next)
                }
                End::Front => self.start.checked_sub(1),
            };
            match inside {
                Some(position) => return self.attach(m, position, end),
                None => self.raise(m, end),
            }
        }
    }

    /// Room in the only chunk, or in a larger chunk that replaces it; `None` if it is too full for
    /// that.
    fn grow_lowest(&mut self, m: &Mutator<'gc>, end: End) -> Option<Chunk<'gc, Items<T>>> {
        let old = self.root;
        let (len, capacity) = (self.len, old.map_or(0, Chunk::capacity));
        let new = match old {
            // At least half of it is empty, on the other side.
            Some(old) if len <= capacity / 2 => old,
            _ if capacity < Self::MOST => Chunk::new(
                m,
                (capacity * 2).clamp(Chunk::<Items<T>>::FIRST, Self::MOST),
            ),
            _ => return None,
        };
        // Elements go to the middle for an insertion at the front, otherwise to the beginning; at
        // least one slot is empty on each side that grows.
        let from = match end {
            End::Front => (new.capacity() - len).div_ceil(2),
            End::Back if self.start == 0 => 0,
            End::Back => (new.capacity() - len) / 2,
        };
        new.touch(m);
        // SAFETY: both have passed the barrier; elements are moved to empty slots of the other
        // chunk or, bit for bit, within one chunk.
        unsafe {
            match old {
                Some(old) if old.raw() != new.raw() => {
                    old.touch(m);
                    old.move_to(new, from);
                }
                Some(old) => {
                    old.slot(old.from()).copy_to(old.slot(from), len);
                    old.fill(from..from + len);
                }
                None => new.fill(from..from),
            }
        }
        self.root = Some(new);
        self.start = from;
        Some(new)
    }

    /// Adds a level: the space grows at this end.
    fn raise(&mut self, m: &Mutator<'gc>, end: End) {
        let Some(root) = self.root else { return };
        let slot = match end {
            End::Back => 0,
            End::Front => SLOTS_MAX / 2,
        };
        let bits = Self::bits(self.height);
        let before = slot
            .checked_shl(bits)
            .filter(|before| before >> bits == slot);
        let before = before.expect("more elements than can be counted");
        let top = links(m, slot, root.raw());
        // SAFETY: `top` is the root of a higher tree.
        self.root = Some(unsafe { Chunk::of(top.raw()) });
        self.height += 1;
        self.start += before;
    }

    /// Adds a chunk for a position beside those that have a chunk, with the links that lead to it.
    fn attach(&mut self, m: &Mutator<'gc>, position: usize, end: End) -> Chunk<'gc, Items<T>> {
        let Some(root) = self.root else {
            unreachable!("a tree with height has a root")
        };
        // The lowest chunk on the way that exists, and the link to it.
        let mut above: Option<(Chunk<'gc, Links>, usize)> = None;
        // SAFETY: links of the upper levels of the tree.
        let (node, slot, level) = unsafe {
            let mut node: Chunk<'gc, Links> = Chunk::of(root.raw());
            let mut level = self.height;
            loop {
                let slot = Self::slot(level, position);
                if !(node.from()..node.to()).contains(&slot) {
                    break (node, slot, level);
                }
                above = Some((node, slot));
                node = Chunk::of(link(node.raw(), slot).read());
                level -= 1;
                debug_assert!(level > 0, "it has its chunk");
            }
        };
        let leaf: Chunk<'gc, Items<T>> = Chunk::new(m, Self::MOST);
        let mut branch = leaf.raw();
        for level in 1..level {
            branch = links(m, Self::slot(level, position), branch).raw();
        }
        let node = match slot < node.capacity() {
            true => node,
            false => {
                let wider = Chunk::new(m, (slot + 1).next_power_of_two());
                // SAFETY: it has room for all the links. They stay in the old chunk too, which is
                // garbage. The chunk that refers to it has passed the barrier.
                unsafe {
                    let (from, to) = (node.from(), node.to());
                    link(node.raw(), from)
                        .copy_to_nonoverlapping(link(wider.raw(), from), to - from);
                    wider.fill(from..to);
                    match above {
                        None => self.root = Some(Chunk::of(wider.raw())),
                        Some((above, slot)) => {
                            above.touch(m);
                            link(above.raw(), slot).write(wider.raw());
                        }
                    }
                }
                wider
            }
        };
        node.touch(m);
        // SAFETY: the node has this slot, adjacent to the filled ones; it has passed the barrier.
        // The leaf is empty.
        unsafe {
            link(node.raw(), slot).write(branch);
            node.fill(node.from().min(slot)..node.to().max(slot + 1));
            let low = position & (Self::MOST - 1);
            let low = if end == End::Back { low } else { low + 1 };
            leaf.fill(low..low);
        }
        leaf
    }

    /// Removes the empty chunk of this position, with links that lead to nothing else, and levels
    /// that lead to one chunk alone.
    #[cold]
    #[inline(never)]
    fn prune(&mut self, m: &Mutator<'gc>, position: usize) {
        let Some(root) = self.root else { return };
        if self.height == 0 {
            // SAFETY: it is empty, and has passed the barrier.
            unsafe { root.fill(0..0) };
            self.start = 0;
            return;
        }
        // SAFETY: links of the upper levels of the tree.
        unsafe {
            let mut path = [root.raw(); HEIGHT_MAX];
            let top = self.height as usize;
            for level in (1..top).rev() {
                let slot = Self::slot(level as u32 + 1, position);
                path[level] = link(path[level + 1], slot).read();
            }
            for (level, &node) in (1..).zip(&path[1..=top]) {
                let node: Chunk<'gc, Links> = Chunk::of(node);
                let slot = Self::slot(level, position);
                node.touch(m);
                let (from, to) = (node.from(), node.to());
                debug_assert!(slot == from || slot == to - 1);
                if slot == from {
                    node.fill(from + 1..to);
                } else {
                    node.fill(from..to - 1);
                }
                if node.len() > 0 {
                    break;
                }
            }
        }
        self.lower();
    }

    fn lower(&mut self) {
        if self.len == 0 {
            self.clear();
            return;
        }
        // SAFETY: links of the upper levels of the tree.
        unsafe {
            while self.height > 0 {
                let Some(root) = self.root else { return };
                let node: Chunk<'gc, Links> = Chunk::of(root.raw());
                if node.len() > 1 {
                    return;
                }
                let slot = node.from();
                self.root = Some(Chunk::of(link(node.raw(), slot).read()));
                self.height -= 1;
                self.start -= slot << Self::bits(self.height);
            }
        }
    }

    pub(crate) fn trace(&self, tracer: &mut Tracer<'_>) {
        if let Some(root) = &self.root {
            root.trace(tracer);
        }
    }

    pub(crate) fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        if let Some(root) = &mut self.root {
            root.evacuate(evacuator);
        }
    }
}

/// Allocates a chunk with one link.
fn links<'gc>(m: &Mutator<'gc>, slot: usize, to: Raw) -> Chunk<'gc, Links> {
    let capacity = match slot {
        0 => 4,
        _ => SLOTS_MAX,
    };
    let chunk = Chunk::new(m, capacity);
    // SAFETY: it has the slot, and is new.
    unsafe {
        link(chunk.raw(), slot).write(to);
        chunk.fill(slot..slot + 1);
    }
    chunk
}
