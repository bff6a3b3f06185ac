//! [`Contents`]: an image of which records are read with the values and kinds in them.

use super::budget::Budget;
use super::file::SnapshotFile;
use super::message::{Message, MessageKind};
use super::parts::Parts;
use super::problem::Problem;
use std::iter::once;
use vivant_codec::{Event, Group, ShapeId};

/// The name of a value with its shape, within a record.
const ENCODED: &str = "vivant::Encoded";
/// The name of a message with the number of its kind, within a record.
const MESSAGE: &str = "vivant::MessageData";

/// An image, and the kinds of its messages.
#[derive(Debug)]
pub(super) struct Contents<'f> {
    pub(super) file: &'f SnapshotFile,
    /// By their numbers.
    pub(super) kinds: Vec<MessageKind<'f>>,
}

/// What parts of a record begin with.
enum First<'c> {
    Encoded((ShapeId, &'c [u8])),
    Message(Message<'c>),
    Other(Event<'c, 'c>),
}

impl<'f> Contents<'f> {
    /// Reads the table of kinds.
    pub(super) fn of(file: &'f SnapshotFile) -> Result<Contents<'f>, Problem> {
        let (id, record) = file.kinds()?;
        let kinds = MessageKind::table(id, &record)?;
        Ok(Contents { file, kinds })
    }

    /// Goes through parts of a record, with the values in them in place of their bytes. A message
    /// has the fields of its kind, then its own ones, then `content`.
    ///
    /// A walk has too many parts if the budget of the record is used up, or `visit` returns false.
    pub(super) fn visit<'c>(
        &'c self,
        budget: &mut Budget,
        parts: Parts<'c>,
        mut visit: impl FnMut(Event<'c, 'c>) -> bool,
    ) -> Result<(), Problem> {
        let mut rest = parts;
        while let Some((first, after)) = self.first(budget, rest)? {
            let is_visited = match first {
                First::Other(event) => visit(event),
                First::Encoded(value) => {
                    self.file.walk(budget, value, &mut visit)?;
                    true
                }
                First::Message(message) => {
                    let group = Group::Structure(MESSAGE);
                    let fields = message.fields().flat_map(|(name, part)| {
                        let part = part.0.iter().copied();
                        once(Event::Field(name)).chain(part)
                    });
                    let begin = once(Event::Begin(group)).chain(fields);
                    let mut begin = begin.chain(once(Event::Field("content")));
                    begin.all(&mut visit) && {
                        self.file.walk(budget, message.content(), &mut visit)?;
                        visit(Event::End(group))
                    }
                }
            };
            if !is_visited {
                return Err(budget.used_up());
            }
            rest = after;
        }
        Ok(())
    }

    /// The first value or event, and what follows it. Values within values are not looked for.
    fn first<'c>(
        &'c self,
        budget: &mut Budget,
        parts: Parts<'c>,
    ) -> Result<Option<(First<'c>, Parts<'c>)>, Problem> {
        let Some((first, rest)) = parts.0.split_first() else {
            return Ok(None);
        };
        if let Event::Begin(Group::Structure(ENCODED | MESSAGE)) = first {
            let (value, after) = parts.split_first();
            if !budget.take_parts(value.0.len()) {
                return Err(budget.used_up());
            }
            let found = match encoded(value) {
                Some(value) => Some(First::Encoded(value)),
                None => self.message(budget, value)?.map(First::Message),
            };
            if let Some(found) = found {
                return Ok(Some((found, after)));
            }
        }
        Ok(Some((First::Other(*first), Parts(rest))))
    }

    /// The message that these parts are. `None`: they are something else.
    pub(super) fn message<'c>(
        &'c self,
        budget: &mut Budget,
        parts: Parts<'c>,
    ) -> Result<Option<Message<'c>>, Problem> {
        let Some(Event::Begin(Group::Structure(MESSAGE))) = parts.0.first() else {
            return Ok(None);
        };
        let Some((number, bytes)) = Message::read(parts) else {
            return Ok(None);
        };
        let found = usize::try_from(number).ok();
        let found = found.and_then(|number| self.kinds.get(number));
        let kind = found.ok_or(Problem::NoKind {
            id: budget.id(),
            kind: number,
            kinds: self.kinds.len(),
        })?;
        // A kind may be large, and have many messages.
        match budget.take_parts(kind.parts()) {
            true => Ok(Some(Message::new(kind, parts, bytes))),
            false => Err(budget.used_up()),
        }
    }
}

/// Shape and bytes of the encoded value that these parts are.
pub(super) fn encoded(parts: Parts<'_>) -> Option<(ShapeId, &[u8])> {
    let Event::Begin(Group::Structure(ENCODED)) = parts.0.first()? else {
        return None;
    };
    let shape = u32::try_from(parts.field("shape")?.number()?).ok()?;
    Some((ShapeId::new(shape), parts.field("bytes")?.bytes()?))
}
