//! A carved chunk: the span bitmap of one chunk, from which spans are taken.

use super::chunk::{CHUNK, Chunk, HEAD, HEAD_UNUSED, PAGE, PAGES, chunk_of};
use super::memory::{self, Mapping};
use std::ptr::NonNull;

/// The number of pages of a chunk that heaps can have.
pub(super) const USABLE: usize = PAGES - HEAD;

/// A bit for each page of a chunk.
type Bits = [u64; PAGES / 64];

/// A chunk from which spans are taken. It is longer than one chunk if it holds one object that is
/// larger than a chunk.
#[derive(Debug)]
pub(super) struct SpanBitmap {
    start: NonNull<Chunk>,
    pub(super) chunks: usize,
    /// The mapping, if it is longer than one chunk.
    pub(super) mapping: Option<Mapping>,
    free: Bits,
    /// The free pages that were in use before: their memory was not given back to the system.
    kept: Bits,
    left: usize,
}

// SAFETY: a chunk belongs to its source; the pointers are used under the source's lock.
unsafe impl Send for SpanBitmap {}

impl SpanBitmap {
    /// A chunk that was never used. `number` is its number in the source.
    pub(super) fn new(start: NonNull<u8>, chunks: usize, number: usize) -> SpanBitmap {
        let mut free = [0; PAGES / 64];
        set(&mut free, HEAD, USABLE);
        let bitmap = SpanBitmap {
            start: start.cast(),
            chunks,
            mapping: None,
            free,
            kept: [0; PAGES / 64],
            left: USABLE,
        };
        bitmap.set_number(number);
        bitmap
    }

    /// The number of the chunk in which a span begins.
    ///
    /// # Safety
    ///
    /// The span lies in a mapped chunk of a source, and the caller has that source's lock: the
    /// number is written under it.
    pub(super) unsafe fn number_of(start: NonNull<u8>) -> usize {
        // SAFETY: guaranteed by the caller.
        unsafe { (*chunk_of(start).as_ptr()).number as usize }
    }

    pub(super) fn set_number(&self, number: usize) {
        // SAFETY: this chunk is mapped as long as `self` exists, and `self` is accessed under the
        // source's lock only.
        unsafe { (*self.start.as_ptr()).number = number as u32 };
    }

    /// The number of free pages.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    fn page(&self, number: usize) -> NonNull<u8> {
        // SAFETY: within the mapping.
        unsafe { self.start.cast::<u8>().add(number * PAGE) }
    }

    /// Takes the first free span that is long enough. Returns its address, and how many of its
    /// pages were kept.
    pub(super) fn take(&mut self, pages: usize) -> Option<(NonNull<u8>, usize)> {
        let mut end = HEAD;
        loop {
            let first = next(&self.free, end, u64::MAX)?;
            end = next(&self.free, first, 0).unwrap_or(PAGES);
            if end - first >= pages {
                clear(&mut self.free, first, pages);
                self.left -= pages;
                let kept = clear(&mut self.kept, first, pages);
                return Some((self.page(first), kept));
            }
        }
    }

    /// Takes the whole chunk.
    pub(super) fn take_all(&mut self) -> NonNull<u8> {
        self.free = [0; PAGES / 64];
        self.left = 0;
        self.page(HEAD)
    }

    /// Takes a span back.
    pub(super) fn put_back(&mut self, start: NonNull<u8>, pages: usize) {
        let first = (start.addr().get() & (CHUNK - 1)) / PAGE;
        set(&mut self.free, first, pages);
        set(&mut self.kept, first, pages);
        self.left += pages;
    }

    /// Gives the memory of free pages back to the system. Returns the number of pages.
    pub(super) fn trim(&mut self) -> usize {
        let (mut pages, mut end) = (0, HEAD);
        while let Some(first) = next(&self.kept, end, u64::MAX) {
            end = next(&self.kept, first, 0).unwrap_or(PAGES);
            // SAFETY: the pages are free.
            unsafe { memory::discard(self.page(first), (end - first) * PAGE) };
            pages += end - first;
        }
        if pages != 0 && self.left == USABLE {
            // SAFETY: these are the states of blocks, and the chunk has no block.
            unsafe { memory::discard(self.start.cast(), HEAD_UNUSED) };
        }
        self.kept = [0; PAGES / 64];
        pages
    }
}

/// The first page from `from` on with the same bit as `like`.
fn next(bits: &Bits, from: usize, like: u64) -> Option<usize> {
    let mut word = from / 64;
    let mut found = !(bits.get(word)? ^ like) & (u64::MAX << (from % 64));
    while found == 0 {
        word += 1;
        found = !(bits.get(word)? ^ like);
    }
    Some(word * 64 + found.trailing_zeros() as usize)
}

/// For each word of a range of bits: its number, and those of its bits that are in the range.
fn words(first: usize, bits: usize) -> impl Iterator<Item = (usize, u64)> {
    (first / 64..(first + bits).div_ceil(64)).map(move |word| {
        let from = first.saturating_sub(word * 64);
        let to = (first + bits - word * 64).min(64);
        (word, u64::MAX << from & u64::MAX >> (64 - to))
    })
}

fn set(bits: &mut Bits, first: usize, length: usize) {
    words(first, length).for_each(|(word, range)| bits[word] |= range);
}

/// Clears a range. Returns the number of bits that were set.
fn clear(bits: &mut Bits, first: usize, length: usize) -> usize {
    let mut cleared = 0;
    for (word, range) in words(first, length) {
        cleared += (bits[word] & range).count_ones() as usize;
        bits[word] &= !range;
    }
    cleared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_bits_are_found_set_and_cleared() {
        for (first, length) in [
            (0, 1),
            (3, 5),
            (60, 8),
            (63, 1),
            (64, 64),
            (20, 236),
            (0, 256),
        ] {
            let mut bits = [0; PAGES / 64];
            set(&mut bits, first, length);
            assert_eq!(next(&bits, 0, u64::MAX), Some(first));
            let end = (first + length < PAGES).then_some(first + length);
            assert_eq!(next(&bits, first, 0), end);
            assert_eq!(
                bits.iter()
                    .map(|word| word.count_ones() as usize)
                    .sum::<usize>(),
                length
            );
            assert_eq!(clear(&mut bits, first, length), length);
            assert_eq!(bits, [0; PAGES / 64]);
        }
        assert_eq!(next(&[0; PAGES / 64], 7, u64::MAX), None);
    }
}
