//! [`String`]: persistent text.

mod chunks;
mod join;
mod node;
mod slice;

pub use chunks::Chunks;

use super::version::version;
use crate::text::text;
use crate::val::checks::Checks;
pub(super) use node::{Node, SizedNode};
use std::ops::{Bound, RangeBounds};
use vivant_heap::{Fault, Mutator, Object};

/// Text that never changes: a rope, a tree of chunks of whole characters, at most 512 bytes each.
/// Four words, `Copy`.
///
/// | operation | costs | allocates |
/// |---|---|---|
/// | [`concat`](String::concat) | `O(log n)` | one node or two for each level at which the trees differ |
/// | [`push_str`](String::push_str) of `k` bytes | `O(k + log n)` | as above, and chunks of the text |
/// | [`slice`](String::slice) | `O(log n)` | a few nodes for each level |
/// | [`chunk_at`](String::chunk_at), [`chunks`](String::chunks) for each | `O(log n)` | nothing |
///
/// Short text that does not change is a `Val<str>`, by
/// [`Mutator::val_str`](vivant_heap::Mutator::val_str).
///
/// ```
/// use vivant_collections::val;
/// use vivant_heap::Mutator;
///
/// fn page<'gc>(m: &Mutator<'gc>) -> val::String<'gc> {
///     let body = val::String::from_str(m, "rain").push_str(m, " in the north");
///     let page = body.concat(m, body);
///     assert_eq!(body, "rain in the north");
///     assert_eq!(page.slice(m, 8..25).unwrap(), "the northrain in ");
///     page
/// }
/// ```
#[derive(Object)]
pub struct String<'gc> {
    pub(super) root: Option<Node<'gc>>,
    pub(super) len: usize,
}

impl<'gc> String<'gc> {
    /// An empty text. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        String { root: None, len: 0 }
    }

    /// Creates a text.
    ///
    /// # Panics
    ///
    /// There is no memory. The same holds for all functions that update.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "it needs the mutator")]
    pub fn from_str(m: &Mutator<'gc>, text: &str) -> Self {
        String {
            root: Node::of_text(m, text),
            len: text.len(),
        }
    }

    /// Returns a version with text appended.
    #[must_use]
    pub fn push_str(self, m: &Mutator<'gc>, text: &str) -> Self {
        self.concat(m, String::from_str(m, text))
    }

    /// Returns this text with another one appended.
    #[must_use]
    pub fn concat(self, m: &Mutator<'gc>, other: Self) -> Self {
        let root = match (self.root, other.root) {
            (Some(one), Some(other)) => Some(one.join(m, other)),
            (one, other) => one.or(other),
        };
        String {
            root,
            len: self.len + other.len,
        }
    }

    /// The text of a byte range; `None` if the range exceeds the text, or would cut a character in
    /// two.
    #[must_use]
    pub fn slice(self, m: &Mutator<'gc>, range: impl RangeBounds<usize>) -> Option<Self> {
        let from = match range.start_bound() {
            Bound::Included(&from) => from,
            Bound::Excluded(before) => before.checked_add(1)?,
            Bound::Unbounded => 0,
        };
        let to = match range.end_bound() {
            Bound::Included(last) => last.checked_add(1)?,
            Bound::Excluded(&to) => to,
            Bound::Unbounded => self.len,
        };
        if from > to || !self.is_char_boundary(from) || !self.is_char_boundary(to) {
            return None;
        }
        let len = to - from;
        let root = self.root.filter(|_| len > 0);
        let root = root.map(|root| root.child().slice(m, from..to));
        Some(String { root, len })
    }

    /// Whether a character begins at this byte, or the text ends there.
    #[must_use]
    pub fn is_char_boundary(self, at: usize) -> bool {
        match self.chunk_at(at) {
            Some((chunk, at)) => chunk.is_char_boundary(at),
            None => at == self.len,
        }
    }

    /// The chunk that contains the byte at `at`, and the byte's offset in the chunk.
    #[must_use]
    pub fn chunk_at(self, at: usize) -> Option<(&'gc str, usize)> {
        self.root?.chunk_at(at)
    }

    /// The text, chunk by chunk, from either end. Equal texts may have different chunk boundaries.
    #[must_use]
    pub fn chunks(self) -> Chunks<'gc> {
        Chunks::new(self.root, self.len)
    }

    /// The characters, from either end.
    pub fn chars(self) -> impl DoubleEndedIterator<Item = char> {
        self.chunks().flat_map(str::chars)
    }

    /// The bytes, from either end.
    pub fn bytes(self) -> impl DoubleEndedIterator<Item = u8> {
        self.chunks().flat_map(str::bytes)
    }

    /// Whether both are one version, or empty. The text is not compared.
    #[must_use]
    pub fn ptr_eq(self, other: Self) -> bool {
        match (self.root, other.root) {
            (Some(one), Some(other)) => one.address() == other.address(),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    /// Checks the shape of every node.
    ///
    /// # Errors
    ///
    /// A rule is violated, which is a defect of this crate.
    pub fn verify(self) -> Result<(), Fault> {
        self.check(Checks::All)
    }

    pub(super) fn check(self, checks: Checks<'_>) -> Result<(), Fault> {
        let bytes = match self.root {
            Some(root) => root.check(checks)?,
            None => 0,
        };
        match bytes == self.len {
            true => Ok(()),
            false => Err(Fault::new(
                "J6",
                "the text says another length than its chunks have",
                self.root.map_or(0, Node::address),
            )),
        }
    }
}

version!([] String, "bytes");
text!(String);

impl PartialEq for String<'_> {
    /// Takes constant time if both are the same version.
    fn eq(&self, other: &Self) -> bool {
        self.ptr_eq(*other) || (self.len == other.len && self.bytes().eq(other.bytes()))
    }
}
