//! Nodes: the chunks above the segments of a hash map, and the links in them.

use crate::gc::chunk::{Content, HEAD, Raw, SLOTS_MAX};
use std::ops::Range;
use std::ptr::NonNull;
use vivant_heap::{Evacuator, Tracer};

/// A tagged reference: to a node, tagged with the number of hash bits by which the node selects; or
/// to a segment, tagged with 0.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Link(NonNull<u8>);

/// Chunks are aligned to eight bytes, so the low three bits are free.
const LOW: usize = 7;

/// The largest number of bits by which a node selects.
pub(super) const BITS_MAX: u32 = SLOTS_MAX.ilog2();

const _: () = assert!(BITS_MAX as usize <= LOW);

impl Link {
    pub(super) fn new(chunk: Raw, bits: u32) -> Link {
        let tagged = chunk.address().map_addr(|address| address | bits as usize);
        Link(tagged)
    }

    #[inline]
    pub(super) fn bits(self) -> u32 {
        (self.0.addr().get() & LOW) as u32
    }

    /// The chunk; the caller has the tag bits.
    #[inline]
    pub(super) fn chunk(self, bits: u32) -> Raw {
        debug_assert_eq!(bits, self.bits());
        // SAFETY: the bits were added to the address of the chunk (X4).
        unsafe { Raw::at(self.0.byte_sub(bits as usize)) }
    }

    /// # Safety
    ///
    /// As for [`Raw::trace`].
    pub(super) unsafe fn trace(self, tracer: &mut Tracer<'_>) {
        // SAFETY: guaranteed by the caller (C3).
        unsafe { self.chunk(self.bits()).trace(tracer) };
    }

    /// # Safety
    ///
    /// As for [`Raw::evacuated`].
    pub(super) unsafe fn evacuated(self, evacuator: &mut Evacuator<'_>) -> Link {
        let bits = self.bits();
        // SAFETY: guaranteed by the caller (C3).
        Link::new(unsafe { self.chunk(bits).evacuated(evacuator) }, bits)
    }
}

/// The content of nodes: links, a power of two of them, all filled. Several adjacent links may
/// refer to the same segment, if fewer bits of the hash select it.
pub(crate) struct Node;

/// A node or a segment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Child {
    Node(Raw),
    Segment(Raw),
}

impl Link {
    pub(super) fn child(self) -> Child {
        match self.bits() {
            0 => Child::Segment(self.chunk(0)),
            bits => Child::Node(self.chunk(bits)),
        }
    }
}

/// The children of a node in their order, each with the number of slots that lead to it.
///
/// # Safety
///
/// The chunk is a node.
pub(crate) unsafe fn children(node: Raw) -> Vec<(u32, Child)> {
    let mut children: Vec<(u32, Child)> = Vec::new();
    // SAFETY: guaranteed by the caller (C3).
    for number in unsafe { node.filled() } {
        // SAFETY: the filled slots have links (C3).
        let child = unsafe { slot(node, number).read() }.child();
        match children.last_mut() {
            Some((slots, last)) if *last == child => *slots += 1,
            _ => children.push((1, child)),
        }
    }
    children
}

/// # Safety
///
/// The chunk is a node, and has this slot.
#[inline]
pub(super) unsafe fn slot(node: Raw, slot: usize) -> NonNull<Link> {
    // SAFETY: guaranteed by the caller (C3).
    unsafe { node.behind::<Link>(HEAD).add(slot) }
}

// SAFETY: the content is the references in the slots (C3).
unsafe impl<'gc> Content<'gc> for Node {
    type Static = Node;
    const NEEDS_TRACE: bool = true;
    const NEEDS_DROP: bool = false;

    fn bytes(capacity: usize) -> usize {
        HEAD + capacity * size_of::<Link>()
    }

    unsafe fn trace(chunk: Raw, tracer: &mut Tracer<'_>) {
        // SAFETY: guaranteed by the caller (C3).
        unsafe {
            for number in chunk.filled() {
                slot(chunk, number).read().trace(tracer);
            }
        }
    }

    unsafe fn evacuate(chunk: Raw, written: Range<usize>, evacuator: &mut Evacuator<'_>) {
        // SAFETY: guaranteed by the caller (C3).
        unsafe {
            for number in written {
                let link = slot(chunk, number);
                link.write(link.read().evacuated(evacuator));
            }
        }
    }

    unsafe fn end(_: Raw) {}
}

/// The link to a child.
pub(super) fn link_to(child: Child) -> Link {
    match child {
        Child::Segment(chunk) => Link::new(chunk, 0),
        Child::Node(chunk) => {
            // SAFETY: a node, which exists; all its slots are filled (C3).
            let bits = unsafe { chunk.filled() }.len().ilog2();
            Link::new(chunk, bits)
        }
    }
}
