//! [`gc::String`](crate::gc::String) in images.

use super::{PartOf, part};
use crate::gc::chunk::Chunk;
use crate::gc::items::Items;
use crate::gc::string::{String, Text};
use crate::gc::vec::Vec;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, shape_of};
use vivant_heap::Erased;
use vivant_heap::raw::restoring;

impl<'gc> Saved<'gc> for Text<'gc> {
    const SHAPE: &'static Shape = <PartOf<Items<u8>> as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        // SAFETY: the text has a chunk of bytes, which exists (C3).
        let chunk: PartOf<Items<u8>> = unsafe { part(self.0.raw(), out) };
        chunk.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let chunk = <PartOf<Items<u8>> as Saved<'gc>>::load(input)?;
        let bytes = chunk.content(input)?;
        if bytes.len() > Text::MOST || std::str::from_utf8(&bytes).is_err() {
            return Err(input.error("a chunk of text that is none"));
        }
        // SAFETY: the mutator makes this text alone (S1).
        unsafe {
            restoring(input, |m, _| {
                let capacity = bytes.len().next_power_of_two().max(Text::FIRST);
                let chunk: Chunk<'gc, Items<u8>> = Chunk::new(m, capacity.min(Text::MOST));
                chunk.touch(m);
                // SAFETY: there is room for the bytes; the chunk is new (C3).
                let first = chunk.slot(0).as_ptr();
                first.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                chunk.fill(0..bytes.len());
                Ok(Text(chunk))
            })
        }
    }
}

// SAFETY: its brand is replaced (X8).
unsafe impl Erased for Text<'_> {
    type Of<'gc> = Text<'gc>;
    type Static = Text<'static>;
}

impl<'gc> Saved<'gc> for String<'gc> {
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::gc::String",
        const {
            &[
                Field::new("full", shape_of::<'gc, Vec<'gc, Text<'gc>>>()),
                Field::new("last", shape_of::<'gc, Option<Text<'gc>>>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        self.full.save(out);
        self.last.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let full: Vec<'gc, Text<'gc>> = fields.field(0)?;
        let last: Option<Text<'gc>> = fields.field(1)?;
        fields.end()?;
        if full.iter().any(|chunk| chunk.as_str().is_empty())
            || (last.is_none() && !full.is_empty())
        {
            return Err(input.error("a text with an empty chunk"));
        }
        let len = full
            .iter()
            .chain(&last)
            .map(|chunk| chunk.as_str().len())
            .sum();
        Ok(String { full, last, len })
    }
}

// SAFETY: its brand is replaced (X8).
unsafe impl Erased for String<'_> {
    type Of<'gc> = String<'gc>;
    type Static = String<'static>;
}
