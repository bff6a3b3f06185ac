//! Nodes: chunks of keys, values and, in inner nodes, children.

use crate::gc::chunk::{CHUNK_MAX, Chunk, Content, HEAD, Raw, SLOTS_MAX, end_elements};
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;
use vivant_heap::{Evacuator, ExternalEdges, Mutator, Object, Tracer};

/// The content of a leaf: keys, and values behind the room for keys.
pub(crate) struct Leaf<K, V>(PhantomData<fn() -> (K, V)>);

/// The content of an inner node: that of a leaf, and behind the room for values one child more than
/// there are keys.
pub(crate) struct Inner<K, V>(PhantomData<fn() -> (K, V)>);

/// A node of either kind: an inner node begins as a leaf does. The height at which it is reached
/// distinguishes them.
pub(crate) type Node<'gc, K, V> = Chunk<'gc, Leaf<K, V>>;

const KEYS: usize = HEAD;

#[inline]
const fn values<K>(capacity: usize) -> usize {
    KEYS + (capacity * size_of::<K>()).next_multiple_of(8)
}

#[inline]
const fn children<K, V>(capacity: usize) -> usize {
    values::<K>(capacity) + (capacity * size_of::<V>()).next_multiple_of(8)
}

/// # Safety
///
/// The chunk is a node of such keys and values, which is not written meanwhile.
unsafe fn trace<'gc, K: Object<'gc>, V: Object<'gc>>(node: Raw, tracer: &mut Tracer<'_>) {
    // SAFETY: guaranteed by the caller: `len` of each lie there.
    unsafe {
        let (len, capacity) = (node.filled().end, node.capacity());
        if K::NEEDS_TRACE {
            let keys = node.behind::<K>(KEYS);
            (0..len).for_each(|slot| keys.add(slot).as_ref().trace(tracer));
        }
        if V::NEEDS_TRACE {
            let values = node.behind::<V>(values::<K>(capacity));
            (0..len).for_each(|slot| values.add(slot).as_ref().trace(tracer));
        }
    }
}

/// # Safety
///
/// The chunk is a node of such keys and values, which no other code uses.
unsafe fn evacuate<'gc, K: Object<'gc>, V: Object<'gc>>(node: Raw, evacuator: &mut Evacuator<'_>) {
    // SAFETY: guaranteed by the caller: `len` of each lie there.
    unsafe {
        let (len, capacity) = (node.filled().end, node.capacity());
        if K::NEEDS_TRACE {
            let keys = node.behind::<K>(KEYS);
            (0..len).for_each(|slot| keys.add(slot).as_mut().evacuate(evacuator));
        }
        if V::NEEDS_TRACE {
            let values = node.behind::<V>(values::<K>(capacity));
            (0..len).for_each(|slot| values.add(slot).as_mut().evacuate(evacuator));
        }
    }
}

/// # Safety
///
/// As for `trace`.
unsafe fn trace_external<'gc, K: Object<'gc>, V: Object<'gc>>(
    node: Raw,
    edges: &mut ExternalEdges<'_>,
) {
    // SAFETY: guaranteed by the caller: `len` of each lie there.
    unsafe {
        let (len, capacity) = (node.filled().end, node.capacity());
        for slot in 0..len {
            node.behind::<K>(KEYS)
                .add(slot)
                .as_ref()
                .trace_external(edges);
            let values = node.behind::<V>(values::<K>(capacity));
            values.add(slot).as_ref().trace_external(edges);
        }
    }
}

/// # Safety
///
/// The chunk is a node of such keys and values, which is no longer used.
unsafe fn end<K, V>(node: Raw) {
    /// Drops the values, even if a key's destructor panics.
    struct Values<V>(NonNull<V>, usize);

    impl<V> Drop for Values<V> {
        fn drop(&mut self) {
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                // SAFETY: the values of the node, once.
                unsafe { end_elements(self.0, self.1) };
            }));
            if let Err(panic) = ended {
                if !std::thread::panicking() {
                    std::panic::resume_unwind(panic);
                }
                std::mem::forget(panic);
            }
        }
    }

    // SAFETY: guaranteed by the caller: `len` of each lie there.
    unsafe {
        let (len, capacity) = (node.filled().end, node.capacity());
        let _values = Values(node.behind::<V>(values::<K>(capacity)), len);
        end_elements(node.behind::<K>(KEYS), len);
    }
}

// SAFETY: the content is keys and values.
unsafe impl<'gc, K: Object<'gc>, V: Object<'gc>> Content<'gc> for Leaf<K, V> {
    type Static = Leaf<K::Static, V::Static>;
    const NEEDS_TRACE: bool = K::NEEDS_TRACE || V::NEEDS_TRACE;
    const NEEDS_DROP: bool = std::mem::needs_drop::<(K, V)>();
    const HAS_EXTERNAL_EDGES: bool = K::HAS_EXTERNAL_EDGES || V::HAS_EXTERNAL_EDGES;

    #[inline]
    fn bytes(capacity: usize) -> usize {
        children::<K, V>(capacity)
    }

    unsafe fn trace(chunk: Raw, tracer: &mut Tracer<'_>) {
        // SAFETY: guaranteed by the caller.
        unsafe { trace::<K, V>(chunk, tracer) };
    }

    unsafe fn evacuate(chunk: Raw, _: Range<usize>, evacuator: &mut Evacuator<'_>) {
        // SAFETY: guaranteed by the caller.
        unsafe { evacuate::<K, V>(chunk, evacuator) };
    }

    unsafe fn trace_external(chunk: Raw, edges: &mut ExternalEdges<'_>) {
        // SAFETY: guaranteed by the caller.
        unsafe { trace_external::<K, V>(chunk, edges) };
    }

    unsafe fn end(chunk: Raw) {
        // SAFETY: guaranteed by the caller.
        unsafe { end::<K, V>(chunk) };
    }
}

// SAFETY: the content is keys, values and children.
unsafe impl<'gc, K: Object<'gc>, V: Object<'gc>> Content<'gc> for Inner<K, V> {
    type Static = Inner<K::Static, V::Static>;
    const NEEDS_TRACE: bool = true;
    const NEEDS_DROP: bool = std::mem::needs_drop::<(K, V)>();
    const HAS_EXTERNAL_EDGES: bool = K::HAS_EXTERNAL_EDGES || V::HAS_EXTERNAL_EDGES;

    #[inline]
    fn bytes(capacity: usize) -> usize {
        children::<K, V>(capacity) + (capacity + 1) * size_of::<Raw>()
    }

    unsafe fn trace(chunk: Raw, tracer: &mut Tracer<'_>) {
        // SAFETY: guaranteed by the caller: there is one child more than there are keys; a node
        // that is new or empty has no child.
        unsafe {
            trace::<K, V>(chunk, tracer);
            let children = chunk.behind::<Raw>(children::<K, V>(chunk.capacity()));
            match chunk.filled().end {
                0 => {}
                len => (0..=len).for_each(|slot| children.add(slot).read().trace(tracer)),
            }
        }
    }

    unsafe fn evacuate(chunk: Raw, _: Range<usize>, evacuator: &mut Evacuator<'_>) {
        // SAFETY: guaranteed by the caller: there is one child more than there are keys; a node
        // that is new or empty has no child.
        unsafe {
            evacuate::<K, V>(chunk, evacuator);
            let children = chunk.behind::<Raw>(children::<K, V>(chunk.capacity()));
            match chunk.filled().end {
                0 => {}
                len => (0..=len).for_each(|slot| {
                    let child = children.add(slot);
                    child.write(child.read().evacuated(evacuator));
                }),
            }
        }
    }

    unsafe fn trace_external(chunk: Raw, edges: &mut ExternalEdges<'_>) {
        // SAFETY: guaranteed by the caller.
        unsafe { trace_external::<K, V>(chunk, edges) };
    }

    unsafe fn end(chunk: Raw) {
        // SAFETY: guaranteed by the caller.
        unsafe { end::<K, V>(chunk) };
    }
}

impl<'gc, K: Object<'gc>, V: Object<'gc>> Node<'gc, K, V> {
    /// The largest number of entries of a node. Three are needed for a split to leave one on each
    /// side.
    pub(crate) const MOST: usize = {
        assert!(
            align_of::<(K, V)>() <= 8,
            "keys and values are aligned to 8 bytes at most; box what needs more"
        );
        // Keys, values and children can have references.
        let mut most = (SLOTS_MAX - 1) / 3;
        while most > 3 && children::<K, V>(most) + (most + 1) * size_of::<Raw>() > CHUNK_MAX {
            most -= 1;
        }
        most
    };

    /// The smallest number of entries of a node other than the root: with fewer after a removal it
    /// takes some from a neighbour, or is merged with one.
    pub(crate) const LEAST: usize = if Self::MOST / 4 == 0 {
        1
    } else {
        Self::MOST / 4
    };

    /// The number of entries of a map's first leaf.
    pub(crate) const FIRST: usize = if Self::MOST < 4 { Self::MOST } else { 4 };

    /// Allocates a leaf, or an inner node of this height.
    pub(crate) fn at(m: &Mutator<'gc>, height: usize) -> Self {
        match height {
            0 => Chunk::new(m, Self::MOST),
            _ => {
                let inner: Chunk<'gc, Inner<K, V>> = Chunk::new(m, Self::MOST);
                // SAFETY: an inner node begins with the layout of a leaf.
                unsafe { Chunk::of(inner.raw()) }
            }
        }
    }

    #[inline]
    pub(crate) fn key(self, slot: usize) -> NonNull<K> {
        debug_assert!(slot <= self.capacity());
        // SAFETY: within the node.
        unsafe { self.raw().behind::<K>(KEYS).add(slot) }
    }

    #[inline]
    pub(crate) fn value(self, slot: usize) -> NonNull<V> {
        debug_assert!(slot <= self.capacity());
        // SAFETY: within the node.
        unsafe {
            let values = self.raw().behind::<V>(values::<K>(self.capacity()));
            values.add(slot)
        }
    }

    /// A pointer to the link to a child.
    ///
    /// # Safety
    ///
    /// It is an inner node.
    #[inline]
    unsafe fn place(self, slot: usize) -> NonNull<Raw> {
        debug_assert!(slot <= self.capacity() + 1);
        // SAFETY: within the node.
        unsafe {
            let children = self.raw().behind::<Raw>(children::<K, V>(self.capacity()));
            children.add(slot)
        }
    }

    /// The child before the key in this slot, or behind the last one.
    ///
    /// # Safety
    ///
    /// It is an inner node, and has this child.
    #[inline]
    pub(crate) unsafe fn child(self, slot: usize) -> Self {
        debug_assert!(slot <= self.to());
        // SAFETY: guaranteed by the caller: a node of this map.
        unsafe { Chunk::of(self.place(slot).read()) }
    }

    /// Sets the first child of a node that gets its first key next.
    ///
    /// # Safety
    ///
    /// It is an inner node, and new.
    pub(crate) unsafe fn begin(self, child: Self) {
        // SAFETY: guaranteed by the caller.
        unsafe { self.place(0).write(child.raw()) };
    }

    /// The keys.
    ///
    /// # Safety
    ///
    /// They are not written for as long as the result.
    #[inline]
    pub(crate) unsafe fn keys<'a>(self) -> &'a [K] {
        // SAFETY: this number of keys lies there; the caller guarantees the rest.
        unsafe { NonNull::slice_from_raw_parts(self.key(0), self.to()).as_ref() }
    }

    /// Inserts an entry at a slot, with the child behind it, and shifts those behind it by one.
    ///
    /// # Safety
    ///
    /// There is room; the node has passed the barrier; an inner node gets a child, and a leaf none.
    pub(crate) unsafe fn put(self, slot: usize, (key, value): (K, V), child: Option<Self>) {
        let len = self.to();
        debug_assert!(slot <= len && len < self.capacity());
        // SAFETY: guaranteed by the caller.
        unsafe {
            let behind = len - slot;
            self.key(slot).copy_to(self.key(slot + 1), behind);
            self.value(slot).copy_to(self.value(slot + 1), behind);
            self.key(slot).write(key);
            self.value(slot).write(value);
            if let Some(child) = child {
                let place = self.place(slot + 1);
                place.copy_to(self.place(slot + 2), behind);
                place.write(child.raw());
            }
            self.fill(0..len + 1);
        }
    }

    /// Removes the entry in a slot and returns it; in an inner node, removes the child behind it
    /// too.
    ///
    /// # Safety
    ///
    /// There is an entry; the node has passed the barrier; `height` is the node's.
    pub(crate) unsafe fn take(self, slot: usize, height: usize) -> (K, V) {
        let len = self.to();
        debug_assert!(slot < len);
        // SAFETY: guaranteed by the caller.
        unsafe {
            let entry = (self.key(slot).read(), self.value(slot).read());
            let behind = len - slot - 1;
            self.key(slot).copy_from(self.key(slot + 1), behind);
            self.value(slot).copy_from(self.value(slot + 1), behind);
            if height > 0 {
                let place = self.place(slot + 1);
                place.copy_from(self.place(slot + 2), behind);
            }
            self.fill(0..len - 1);
            entry
        }
    }

    /// Moves the entries from a slot on behind those of another node, in an inner node with the
    /// children behind them.
    ///
    /// # Safety
    ///
    /// Both have passed the barrier and the other one has room; both are at this height.
    pub(crate) unsafe fn move_end(self, slot: usize, other: Self, height: usize) {
        let (count, len) = (self.to() - slot, other.to());
        debug_assert!(len + count <= other.capacity());
        // SAFETY: guaranteed by the caller.
        unsafe {
            self.key(slot).copy_to_nonoverlapping(other.key(len), count);
            self.value(slot)
                .copy_to_nonoverlapping(other.value(len), count);
            if height > 0 {
                self.place(slot + 1)
                    .copy_to_nonoverlapping(other.place(len + 1), count);
            }
            self.fill(0..slot);
            other.fill(0..len + count);
        }
    }

    /// Inserts an entry at the first slot, and in an inner node a child before it.
    ///
    /// # Safety
    ///
    /// There is room; the node has passed the barrier; an inner node gets a child, and a leaf none.
    pub(crate) unsafe fn put_first(self, entry: (K, V), child: Option<Self>) {
        // SAFETY: guaranteed by the caller. The child that was first is behind the entry now.
        unsafe {
            let first = child.map(|_| self.child(0));
            self.put(0, entry, first);
            if let Some(child) = child {
                self.place(0).write(child.raw());
            }
        }
    }

    /// Removes the first entry and returns it, in an inner node with the child before it.
    ///
    /// # Safety
    ///
    /// There is an entry; the node has passed the barrier; `height` is the node's.
    pub(crate) unsafe fn take_first(self, height: usize) -> ((K, V), Option<Self>) {
        // SAFETY: guaranteed by the caller. The child behind the entry is the first now.
        unsafe {
            if height == 0 {
                return (self.take(0, 0), None);
            }
            let (first, second) = (self.child(0), self.child(1));
            let entry = self.take(0, height);
            self.place(0).write(second.raw());
            (entry, Some(first))
        }
    }
}
