//! [`SpanEncoder`]: the blocks of a span as a record.

use super::not_saved::NotSaved;
use super::object_codec::{ObjectCodec, ObjectCodecs};
use super::saved_heap::SavedHeap;
use super::span_record::{BlockRecord, Holds, SpanRecord};
use crate::alloc::header::Header;
use crate::alloc::old::Epoch;
use crate::alloc::old::sweep::bits;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::object::table::Table;
use crate::pages::chunk::{name_of, state_of};
use crate::pages::page::{PageKind, Span};
use crate::sync::Ordering;
use std::collections::HashMap;
use vivant_codec::Encoder;

/// A bit for each block of a span.
pub(super) type Blocks = [u64; 4];

/// Encodes the objects of one heap.
#[derive(Default)]
pub(super) struct SpanEncoder {
    /// What was found of the types of objects, by the address of their tables.
    found: HashMap<usize, Found>,
    /// The type of the last object. Many of one type follow each other.
    last: Option<(&'static Table, Found)>,
}

/// The number and the codec of a type, if there is one.
type Found = Option<(u32, &'static ObjectCodec)>;

/// The blocks of a span that an image has: all in use, but those that the last mark has found dead.
/// They may refer to memory that was freed. `marked` is the epoch of the last mark that ended.
///
/// # Safety
///
/// The span is the caller's. Blocks in use hold objects.
pub(super) unsafe fn blocks_to_save(span: Span, marked: Epoch) -> Blocks {
    // SAFETY: the caller's contract (X1).
    let page = unsafe { span.page() };
    let mut blocks = page.occupied;
    #[cfg(test)]
    if is_injected(InjectedFault::SavedDead) {
        return blocks;
    }
    if page.swept == marked.0 {
        return blocks;
    }
    let size = page.block_size();
    for (word, set) in blocks.iter_mut().enumerate() {
        for bit in bits(*set) {
            // SAFETY: the block lies in the span (H4).
            let block = unsafe { span.start().add((word * 64 + bit) * size) };
            // Relaxed: no marker runs before all is swept.
            // SAFETY: the block lies in the span (H4).
            if unsafe { state_of(block) }.load(Ordering::Relaxed) != marked.0 {
                *set &= !(1 << bit);
            }
        }
    }
    blocks
}

/// The record of a span, without blocks.
///
/// # Safety
///
/// The span is the caller's, and has a number.
pub(super) unsafe fn empty_record(span: Span) -> SpanRecord {
    // SAFETY: the caller's contract (X1).
    let (page, number) = unsafe { (span.page(), name_of(span.start()).span()) };
    SpanRecord {
        number,
        holds: match page.kind {
            PageKind::Large => Holds::Large,
            _ => Holds::Blocks(page.block_size() as u32),
        },
        blocks: Vec::new(),
        content: Vec::new(),
    }
}

/// To what objects lead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leads {
    /// To objects of their heap alone.
    Within,
    /// Out of the heap: what is encoded of them may depend on more than their contents.
    Outside,
}

impl SpanEncoder {
    /// Appends these blocks to the record of their span.
    ///
    /// # Safety
    ///
    /// The span is the caller's, and these blocks hold objects, none of which the last mark has
    /// found dead. No guard borrows one mutably, and no other thread writes them.
    pub(super) unsafe fn add(
        &mut self,
        codecs: &ObjectCodecs,
        encoder: &Encoder<'_>,
        span: Span,
        blocks: Blocks,
        record: &mut SpanRecord,
    ) -> Result<Leads, NotSaved> {
        // SAFETY: the caller's contract (X1).
        let saved = unsafe { SavedHeap::of(span.start().cast()) };
        encoder.another().in_context(codecs, |encoder| {
            encoder.in_context(&saved, |encoder| {
                // SAFETY: the caller's contract (X1).
                unsafe { self.add_in(codecs, encoder, span, blocks, record) }
            })
        })
    }

    /// As `add`, with an encoder that has the heap as a context.
    ///
    /// # Safety
    ///
    /// As for `add`.
    unsafe fn add_in(
        &mut self,
        codecs: &ObjectCodecs,
        encoder: &Encoder<'_>,
        span: Span,
        blocks: Blocks,
        record: &mut SpanRecord,
    ) -> Result<Leads, NotSaved> {
        let content = std::mem::take(&mut record.content);
        let mut out = encoder.another().append_to(content);
        // SAFETY: the caller's contract (X1).
        let size = unsafe { span.page() }.block_size();
        for (word, set) in blocks.into_iter().enumerate() {
            for bit in bits(set) {
                let block = word * 64 + bit;
                // SAFETY: a block of the span that is in use (H4).
                let object = unsafe { span.start().add(block * size) }.cast::<Header>();
                // SAFETY: a block in use that is not dead holds an object (H4).
                let table = unsafe { object.as_ref() }.table();
                let Some((object_type, codec)) = self.codec(codecs, table) else {
                    continue;
                };
                let before = out.bytes_written();
                // SAFETY: an object of this type (S3), which nothing changes meanwhile (S6, S11).
                unsafe { (codec.save)(object.add(1).cast(), &mut out) };
                let of_type = |error| NotSaved {
                    type_name: (table.name)(),
                    error,
                };
                // Each object has the limits of a value.
                out.end_value().map_err(of_type)?;
                let bytes = out.bytes_written().checked_sub(before);
                let Some(bytes) = bytes.and_then(|bytes| u32::try_from(bytes).ok()) else {
                    let mut out = Encoder::new();
                    out.error("its content is longer than 4 GiB, or took bytes away");
                    return Err(of_type(out.finish().expect_err("it has an error")));
                };
                record.blocks.push(BlockRecord {
                    block: block as u8,
                    object: object_type,
                    bytes,
                });
            }
        }
        let leads = match out.has_used_contexts() {
            true => Leads::Outside,
            false => Leads::Within,
        };
        record.content = out.finish().map_err(|error| NotSaved {
            type_name: self.last_type(),
            error,
        })?;
        Ok(leads)
    }

    /// The type of the object that was encoded last, or is being encoded.
    pub(super) fn last_type(&self) -> &'static str {
        self.last.map_or("", |(table, _)| (table.name)())
    }

    #[inline]
    fn codec(&mut self, codecs: &ObjectCodecs, table: &'static Table) -> Found {
        if let Some((last, found)) = self.last
            && std::ptr::eq(last, table)
        {
            return found;
        }
        let entry = self.found.entry(std::ptr::from_ref(table).addr());
        let found = *entry.or_insert_with(|| codecs.find(table));
        self.last = Some((table, found));
        found
    }
}
