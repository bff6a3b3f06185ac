//! [`ImageBarrier`]: what an image does that is written while turns run, before what it has not
//! written yet is changed (S8, S9).

use super::span_numbers::SpanNumbers;
use crate::alloc::header::Header;
use crate::pages::page::Span;
use std::ptr::NonNull;

/// An image that is being written. Its methods are called by the holder of the heap.
pub(crate) trait ImageBarrier: Send {
    /// Blocks of a span are about to be taken.
    ///
    /// # Safety
    ///
    /// The span is one of the heap. Blocks that are in use hold objects, unless they were taken
    /// after this was called for the span.
    unsafe fn before_fill(&mut self, span: Span);

    /// An object is about to change for the first time since the last minor collection.
    ///
    /// # Safety
    ///
    /// It is an old object of the heap, and is not borrowed mutably.
    unsafe fn before_write(&mut self, object: NonNull<Header>);

    /// Writes the next spans: of at least this many bytes, or all that are left.
    ///
    /// # Safety
    ///
    /// The spans are those of the heap, and no turn runs.
    unsafe fn advance(&mut self, spans: &SpanNumbers, bytes: usize);

    /// How far it has come.
    fn progress(&self) -> ImageProgress;

    /// Bytes that the pre-images of objects take, and may take.
    fn pre_images(&self) -> (usize, usize);

    /// Gives the image up.
    fn give_up(&mut self, reason: GivenUp);
}

/// How far an image has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ImageProgress {
    /// It has more to write, and has written spans of so many bytes.
    Writes(usize),
    /// It has more to write, but what was written is not taken fast enough.
    Waits,
    /// It is complete, or was given up.
    Over,
}

/// Why an image is given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GivenUp {
    /// Pages are short.
    NoMemory,
    /// The heap has grown by too much, while what was written was not taken.
    TooSlow,
}
