//! [`Message`]: a message of a record, with what the image's table of kinds says of it.

use super::parts::{Parts, elements, fields, needed};
use super::problem::Problem;
use vivant_codec::{Event, Group, ShapeId};

/// What messages of one kind have in common.
#[derive(Debug)]
pub(super) struct MessageKind<'f> {
    /// Of their content.
    pub(super) shape: ShapeId,
    /// What else it says, by name, as fields of a message.
    fields: Vec<(&'f str, Vec<Event<'f, 'f>>)>,
    parts: usize,
    /// Bytes of names and texts in the fields.
    text: usize,
}

/// A message as data, and its kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'c> {
    kind: &'c MessageKind<'c>,
    data: Parts<'c>,
    bytes: &'c [u8],
}

impl<'f> MessageKind<'f> {
    /// The kinds that the record `id` has, by their numbers.
    pub(super) fn table(
        id: u64,
        record: &[Event<'f, 'f>],
    ) -> Result<Vec<MessageKind<'f>>, Problem> {
        let kinds = fields(record).find(|(name, _)| *name == "kinds");
        let kinds = kinds.filter(|(_, kinds)| Parts(kinds).is_sequence());
        let (_, kinds) = kinds.ok_or(Problem::NoField { id, field: "kinds" })?;
        elements(kinds)
            .map(|kind| MessageKind::of(id, kind))
            .collect()
    }

    fn of(id: u64, kind: &[Event<'f, 'f>]) -> Result<MessageKind<'f>, Problem> {
        let shape = |shape: Parts<'_>| u32::try_from(shape.number()?).ok();
        let shape = ShapeId::new(needed(id, Parts(kind), "shape", shape)?);
        let fields = fields(kind).filter(|(name, _)| *name != "shape");
        let fields = fields.map(|(name, part)| match name {
            "what" => ("kind", part.to_vec()),
            name => (name, part.to_vec()),
        });
        let fields: Vec<(&str, Vec<_>)> = fields.collect();
        let parts = fields.iter().map(|(_, part)| part.len() + 1);
        let texts = fields.iter().map(|(name, part)| name.len() + text_of(part));
        let (parts, text) = (parts.sum(), texts.sum());
        Ok(MessageKind {
            shape,
            fields,
            parts,
            text,
        })
    }

    /// The number of parts that it adds to a message.
    pub(super) fn parts(&self) -> usize {
        self.parts
    }
}

/// The bytes of names and texts in these.
fn text_of(events: &[Event<'_, '_>]) -> usize {
    let text = events.iter().map(|event| match event {
        Event::Field(text) | Event::Text(text) => text.len(),
        Event::Begin(Group::Variant { variant: name, .. } | Group::Reference(name)) => name.len(),
        Event::Bytes(bytes) | Event::Opaque(bytes) => bytes.len(),
        _ => 0,
    });
    text.sum()
}

impl<'c> Message<'c> {
    /// The number of the kind, and the bytes of the content, of a message as data. `None`: it has
    /// none of these.
    pub(super) fn read(data: Parts<'c>) -> Option<(u64, &'c [u8])> {
        Some((data.field("kind")?.number()?, data.field("bytes")?.bytes()?))
    }

    pub(super) fn new(kind: &'c MessageKind<'c>, data: Parts<'c>, bytes: &'c [u8]) -> Message<'c> {
        Message { kind, data, bytes }
    }

    /// What it is and where it was made, then what it has itself. Not its content.
    pub(super) fn fields(self) -> impl Iterator<Item = (&'c str, Parts<'c>)> {
        let of_kind = self.kind.fields.iter();
        let of_kind = of_kind.map(|(name, part)| (*name, Parts(part)));
        let own = self.data.fields();
        of_kind.chain(own.filter(|(name, _)| !matches!(*name, "kind" | "bytes")))
    }

    /// The bytes of names and texts that its kind adds.
    pub(super) fn text(self) -> usize {
        self.kind.text
    }

    /// Shape and bytes of its content.
    pub(super) fn content(self) -> (ShapeId, &'c [u8]) {
        (self.kind.shape, self.bytes)
    }
}
