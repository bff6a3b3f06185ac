//! [`String`]: text in chunks.

use super::chunk::Chunk;
use super::items::Items;
use super::vec::Vec;
use crate::text::text;
use std::fmt;
use vivant_heap::{Evacuator, Mutator, Object, Tracer};

/// Text in the heap, in chunks of at most 1 KiB, each of which is valid UTF-8.
///
/// It grows and shrinks at its end; existing text does not move. For short text that does not
/// change there is [`Mutator::alloc_str`](vivant_heap::Mutator::alloc_str), and `std`'s `String`
/// can be part of any object.
///
/// ```
/// use std::fmt::Write;
/// use vivant_collections::gc;
/// use vivant_heap::Mutator;
///
/// fn log<'gc>(m: &Mutator<'gc>) -> gc::String<'gc> {
///     let mut log = gc::String::new();
///     log.push_str(m, "started");
///     write!(log.writer(m), " after {} ms", 20).unwrap();
///     assert_eq!(log, "started after 20 ms");
///     log
/// }
/// ```
pub struct String<'gc> {
    /// The full chunks, none of them empty.
    pub(super) full: Vec<'gc, Text<'gc>>,
    /// The chunk to which text is added.
    pub(super) last: Option<Text<'gc>>,
    pub(super) len: usize,
}

/// A chunk of whole characters.
pub(super) struct Text<'gc>(pub(super) Chunk<'gc, Items<u8>>);

impl<'gc> Text<'gc> {
    pub(super) const MOST: usize = Chunk::<'gc, Items<u8>>::MOST;
    /// The number of bytes of the first chunk.
    pub(super) const FIRST: usize = 16;

    pub(super) fn as_str(&self) -> &str {
        let bytes = std::ptr::NonNull::slice_from_raw_parts(self.0.slot(0), self.0.to());
        // SAFETY: this number of bytes was written, in whole characters, and they are not written
        // while the string is borrowed.
        unsafe { std::str::from_utf8_unchecked(bytes.as_ref()) }
    }

    /// Adds as many whole characters as fit, and returns the rest of the text.
    fn push<'a>(&mut self, m: &Mutator<'gc>, text: &'a str) -> &'a str {
        let (len, capacity) = (self.0.to(), self.0.capacity());
        let mut fits = (capacity - len).min(text.len());
        while !text.is_char_boundary(fits) {
            fits -= 1;
        }
        self.0.touch(m);
        // SAFETY: there is room for `fits` bytes; the chunk has passed the barrier. They are whole
        // characters.
        unsafe {
            let to = self.0.slot(len).as_ptr();
            to.copy_from_nonoverlapping(text.as_ptr(), fits);
            self.0.fill(0..len + fits);
        }
        &text[fits..]
    }

    /// Removes all but the first `len` bytes, which are whole characters.
    fn truncate(&mut self, m: &Mutator<'gc>, len: usize) {
        debug_assert!(self.as_str().is_char_boundary(len));
        self.0.touch(m);
        // SAFETY: there are at least `len` bytes; the chunk has passed the barrier.
        unsafe { self.0.fill(0..len) };
    }
}

// SAFETY: it consists of the chunk.
unsafe impl<'gc> Object<'gc> for Text<'gc> {
    type Static = Text<'static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.0.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        self.0.evacuate(evacuator);
    }
}

impl<'gc> String<'gc> {
    /// An empty string. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        String {
            full: Vec::new(),
            last: None,
            len: 0,
        }
    }

    /// A copy of this text.
    ///
    /// # Panics
    ///
    /// There is no memory.
    pub fn from_str(m: &Mutator<'gc>, text: &str) -> Self {
        let mut string = String::new();
        string.push_str(m, text);
        string
    }

    /// The number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a character.
    ///
    /// # Panics
    ///
    /// There is no memory: the text is unchanged.
    pub fn push(&mut self, m: &Mutator<'gc>, character: char) {
        self.push_str(m, character.encode_utf8(&mut [0; 4]));
    }

    /// Appends text.
    ///
    /// # Panics
    ///
    /// There is no memory: a part of the text may have been appended.
    pub fn push_str(&mut self, m: &Mutator<'gc>, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let before = rest.len();
            if let Some(last) = &mut self.last {
                rest = last.push(m, rest);
                self.len += before - rest.len();
            }
            if !rest.is_empty() {
                self.grow(m, rest.len());
            }
        }
    }

    /// Makes room for at least one more character.
    fn grow(&mut self, m: &Mutator<'gc>, wanted: usize) {
        let Some(last) = &mut self.last else {
            let capacity = wanted.next_power_of_two().clamp(Text::FIRST, Text::MOST);
            let capacity = if self.full.is_empty() {
                capacity
            } else {
                Text::MOST
            };
            self.last = Some(Text(Chunk::new(m, capacity)));
            return;
        };
        let (len, capacity) = (last.0.to(), last.0.capacity());
        if capacity == Text::MOST {
            let next = Text(Chunk::new(m, Text::MOST));
            self.full.push(m, Text(last.0));
            self.last = Some(next);
            return;
        }
        let capacity = (len + wanted).next_power_of_two();
        let wider = Chunk::new(m, capacity.clamp(Text::FIRST, Text::MOST));
        last.0.touch(m);
        // SAFETY: both have passed the barrier.
        unsafe { last.0.move_to(wider, 0) };
        last.0 = wider;
    }

    /// Removes the last character and returns it.
    pub fn pop(&mut self, m: &Mutator<'gc>) -> Option<char> {
        let last = self.text(m)?;
        let character = last.as_str().chars().next_back()?;
        let len = last.0.to() - character.len_utf8();
        last.truncate(m, len);
        self.len -= character.len_utf8();
        Some(character)
    }

    /// The last chunk that is not empty, made the chunk to which text is added.
    fn text(&mut self, m: &Mutator<'gc>) -> Option<&mut Text<'gc>> {
        let empty = self.last.as_ref().is_none_or(|last| last.0.to() == 0);
        if empty && !self.full.is_empty() {
            self.last = self.full.pop(m);
        }
        self.last.as_mut()
    }

    /// Shortens it to `len` bytes, if it has more.
    ///
    /// # Panics
    ///
    /// `len` is within a character: the text behind that character may have been removed.
    #[track_caller]
    pub fn truncate(&mut self, m: &Mutator<'gc>, len: usize) {
        while self.len > len {
            let more = self.len - len;
            let Some(last) = self.text(m) else { return };
            let there = last.0.to();
            let keep = there.saturating_sub(more);
            assert!(
                last.as_str().is_char_boundary(keep),
                "a string cannot end within a character, at {len}"
            );
            last.truncate(m, keep);
            self.len -= there - keep;
        }
    }

    /// Removes all text.
    pub fn clear(&mut self) {
        *self = String::new();
    }

    /// The text, one string slice of each chunk.
    pub fn chunks(&self) -> impl DoubleEndedIterator<Item = &str> {
        let chunks = self.full.iter().chain(&self.last);
        chunks.map(Text::as_str)
    }

    /// The characters.
    pub fn chars(&self) -> impl DoubleEndedIterator<Item = char> {
        self.chunks().flat_map(str::chars)
    }

    /// The bytes.
    pub fn bytes(&self) -> impl DoubleEndedIterator<Item = u8> {
        self.chunks().flat_map(str::bytes)
    }

    /// A writer for `write!`.
    pub fn writer<'a>(&'a mut self, m: &'a Mutator<'gc>) -> Writer<'a, 'gc> {
        Writer {
            string: self,
            mutator: m,
        }
    }
}

/// Appends to a [`String`]; for `write!`.
pub struct Writer<'a, 'gc> {
    string: &'a mut String<'gc>,
    mutator: &'a Mutator<'gc>,
}

impl fmt::Write for Writer<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.string.push_str(self.mutator, text);
        Ok(())
    }
}

impl fmt::Debug for Writer<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

impl Default for String<'_> {
    fn default() -> Self {
        String::new()
    }
}

text!(String);

impl PartialEq for String<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.bytes().eq(other.bytes())
    }
}

// SAFETY: it consists of its chunks.
unsafe impl<'gc> Object<'gc> for String<'gc> {
    type Static = String<'static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.full.trace(tracer);
        self.last.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        self.full.evacuate(evacuator);
        self.last.evacuate(evacuator);
    }
}
