//! [`Parts`]: a record, of which fields are found by name.

use super::problem::Problem;
use vivant_codec::{Event, Group};

/// A value as its events, which are in the order of the bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts<'e>(pub(super) &'e [Event<'e, 'e>]);

impl<'e> Parts<'e> {
    /// The field of this name: of a struct, of a variant, or of what an option has.
    pub(super) fn field(self, name: &str) -> Option<Parts<'e>> {
        let mut fields = self.fields();
        fields.find_map(|(field, part)| (field == name).then_some(part))
    }

    /// All fields with their names, in their order.
    pub(super) fn fields(self) -> impl Iterator<Item = (&'e str, Parts<'e>)> {
        fields(self.0).map(|(name, part)| (name, Parts(part)))
    }

    /// All elements of a sequence or tuple, in their order.
    pub(super) fn elements(self) -> impl Iterator<Item = Parts<'e>> {
        elements(self.0).map(Parts)
    }

    /// The value with which these begin, and what follows it.
    pub(super) fn split_first(self) -> (Parts<'e>, Parts<'e>) {
        let (value, after) = self.0.split_at(end_of_first(self.0));
        (Parts(value), Parts(after))
    }

    /// Number and name of the variant.
    pub(super) fn variant(self) -> Option<(u32, &'e str)> {
        match self.0.first()? {
            Event::Begin(Group::Variant {
                number, variant, ..
            }) => Some((*number, variant)),
            _ => None,
        }
    }

    /// The number that this is, or that an option has.
    pub(super) fn number(self) -> Option<u64> {
        match self.0 {
            [Event::Begin(Group::Some), Event::Unsigned(value), ..]
            | [Event::Unsigned(value), ..] => u64::try_from(*value).ok(),
            _ => None,
        }
    }

    pub(super) fn text(self) -> Option<&'e str> {
        match self.0.first()? {
            Event::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn bytes(self) -> Option<&'e [u8]> {
        match self.0.first()? {
            Event::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns true for a sequence that may have values with parts.
    pub(super) fn is_sequence(self) -> bool {
        matches!(self.0.first(), Some(Event::Begin(Group::Sequence)))
    }

    /// Returns true for nothing, and for a sequence or map without elements.
    pub(super) fn is_empty(self) -> bool {
        match self.0.first() {
            Some(Event::Begin(Group::Sequence | Group::Row | Group::Map)) => self.0.len() == 2,
            Some(Event::Bytes(bytes)) => bytes.is_empty(),
            Some(Event::None) | None => true,
            Some(_) => false,
        }
    }
}

/// All fields of a struct, of a variant, or of what an option has, with their names.
pub(super) fn fields<'e, 'f>(
    value: &'e [Event<'f, 'f>],
) -> impl Iterator<Item = (&'f str, &'e [Event<'f, 'f>])> {
    let mut rest = content(value);
    std::iter::from_fn(move || {
        let (first, values) = rest.split_first()?;
        let Event::Field(name) = first else {
            return None;
        };
        let (part, after) = values.split_at(end_of_first(values));
        rest = after;
        Some((*name, part))
    })
}

/// All elements of a sequence or tuple, in their order.
pub(super) fn elements<'e, 'f>(
    value: &'e [Event<'f, 'f>],
) -> impl Iterator<Item = &'e [Event<'f, 'f>]> {
    let mut rest = content(value);
    std::iter::from_fn(move || {
        let (part, after) = rest.split_at(end_of_first(rest));
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

/// What stands between begin and end.
fn content<'e, 'f>(value: &'e [Event<'f, 'f>]) -> &'e [Event<'f, 'f>] {
    let value = match value {
        [Event::Begin(Group::Some), value @ ..] => value,
        value => value,
    };
    match value {
        [Event::Begin(_), ..] => &value[1..end_of_first(value).max(2) - 1],
        _ => &[],
    }
}

/// The number of events of the value with which these begin.
fn end_of_first(events: &[Event<'_, '_>]) -> usize {
    let mut depth = 0_usize;
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Begin(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            // What they name follows.
            Event::Field(_) | Event::Key | Event::Value => continue,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    events.len()
}

/// The field of this name, without which the records cannot be ordered.
pub(super) fn needed<'e, T>(
    id: u64,
    record: Parts<'e>,
    field: &'static str,
    get: impl FnOnce(Parts<'e>) -> Option<T>,
) -> Result<T, Problem> {
    let found = record.field(field).and_then(get);
    found.ok_or(Problem::NoField { id, field })
}
