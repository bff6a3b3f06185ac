//! [`Heap::save`]: a heap as bytes, span by span.

use super::object_codec::{ObjectCodec, ObjectCodecs};
use super::span_record::{BlockRecord, Holds, SpanRecord};
use crate::alloc::header::Header;
use crate::gc::heap::{Core, Heap, Root};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::object::evacuator::TenuringPolicy;
use crate::object::table::Table;
use crate::pages::chunk::{name_of, state_of};
use crate::pages::page::{PageKind, Span};
use crate::sync::Ordering;
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use vivant_codec::{Encoder, SaveError};

/// An object could not be saved.
#[derive(Debug)]
pub struct NotSaved {
    /// The type of the object.
    pub type_name: &'static str,
    /// Why.
    pub error: SaveError,
}

impl<R: Root> Heap<R> {
    /// Saves the heap as it is between two turns: `state` saves the state, and `span` gets one span
    /// after the other. An object has the name of its block in all of them.
    ///
    /// Contents are saved with the contexts of `encoder`. Young objects are promoted first. What
    /// the last mark has found dead is not saved; what died since is. Objects of types that
    /// `codecs` lacks are not saved: no saved value refers to them. Costs time in proportion to the
    /// live objects.
    ///
    /// # Errors
    ///
    /// A part of an object cannot be saved.
    pub fn save<T>(
        &mut self,
        codecs: &ObjectCodecs,
        encoder: &Encoder<'_>,
        state: impl for<'gc> FnOnce(&R::Of<'gc>) -> T,
        span: &mut dyn FnMut(SpanRecord),
    ) -> Result<T, NotSaved> {
        let (core, roots) = self.parts();
        core.minor(roots, TenuringPolicy::Never);
        let saved = self.turn(|_, roots| state(roots));
        let mut saver = SpanSaver {
            codecs,
            encoder,
            found: HashMap::new(),
            last: None,
        };
        self.check();
        let core = self.core();
        for one in core.old.spans() {
            // SAFETY: a span of this heap, between two turns (S6).
            let record = unsafe { saver.span(core, one)? };
            if record.objects() != 0 {
                span(record);
            }
        }
        Ok(saved)
    }
}

/// Saves one span after the other.
struct SpanSaver<'a> {
    codecs: &'a ObjectCodecs,
    encoder: &'a Encoder<'a>,
    /// What was found of the types of objects, by the address of their tables.
    found: HashMap<*const Table, Found>,
    /// Many objects of one type follow each other.
    last: Option<(*const Table, Found)>,
}

/// The number and the codec of a type, if there is one.
type Found = Option<(u32, &'static ObjectCodec)>;

impl SpanSaver<'_> {
    /// # Safety
    ///
    /// The span is one of the heap, and no turn runs.
    unsafe fn span(&mut self, core: &Core, span: Span) -> Result<SpanRecord, NotSaved> {
        // SAFETY: the caller's contract (X1).
        let (page, number) = unsafe { (span.page(), name_of(span.start()).span()) };
        let size = page.block_size();
        let mut content = Vec::new();
        let mut blocks = Vec::with_capacity(page.used.into());
        for block in 0..page.occupied.len() * 64 {
            if page.occupied[block / 64] >> (block % 64) & 1 == 0 {
                continue;
            }
            // SAFETY: a block of the span that is in use (H4).
            let object = unsafe { span.start().add(block * size) }.cast::<Header>();
            // What is dead may refer to what was freed already.
            // SAFETY: it lies in the span (H4). Relaxed: no marker runs before all is swept (H6).
            let is_dead = !core.old.is_swept(page)
                && unsafe { state_of(object.cast()) }.load(Ordering::Relaxed) != core.old.epoch.0;
            #[cfg(test)]
            let is_dead = is_dead && !is_injected(InjectedFault::SavedDead);
            if is_dead {
                continue;
            }
            // SAFETY: a block in use that is not dead holds an object (H4).
            let table = unsafe { object.as_ref() }.table();
            let Some((object_type, codec)) = self.codec(table) else {
                continue;
            };
            let before = content.len();
            // Each object has the limits of a value.
            let mut out = self.encoder.another().append_to(content);
            // SAFETY: an object of this type (S3), and no turn runs (S6).
            unsafe { (codec.save)(object.add(1).cast(), &mut out) };
            let of_type = |error| NotSaved {
                type_name: (table.name)(),
                error,
            };
            content = out.finish().map_err(of_type)?;
            let bytes = content.len().checked_sub(before);
            let Some(bytes) = bytes.and_then(|bytes| u32::try_from(bytes).ok()) else {
                let mut out = Encoder::new();
                out.error("its content is longer than 4 GiB, or took bytes away");
                return Err(of_type(out.finish().expect_err("it has an error")));
            };
            blocks.push(BlockRecord {
                block: block as u8,
                object: object_type,
                bytes,
            });
        }
        let holds = match page.kind {
            PageKind::Large => Holds::Large,
            _ => Holds::Blocks(size as u32),
        };
        Ok(SpanRecord {
            number,
            holds,
            blocks,
            content,
        })
    }

    #[inline]
    fn codec(&mut self, table: &'static Table) -> Found {
        let address: *const Table = table;
        if let Some((last, found)) = self.last
            && last == address
        {
            return found;
        }
        let codecs = self.codecs;
        let found = *self
            .found
            .entry(address)
            .or_insert_with(|| codecs.find(table));
        self.last = Some((address, found));
        found
    }
}

impl fmt::Display for NotSaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object `{}`: {}", self.type_name, self.error)
    }
}

impl Error for NotSaved {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.error)
    }
}
