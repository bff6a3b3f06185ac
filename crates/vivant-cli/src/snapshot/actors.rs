//! [`Ordered`]: the actors and messages of an image, in order.

use super::cut::{Cut, cut_line};
use super::file::SnapshotFile;
use super::heap::is_heap_record;
use super::parts::{Parts, needed};
use super::problem::Problem;
use std::collections::BTreeMap;
use vivant_journal::Record;

/// Bytes of records, or of their text, that are ordered in memory.
pub(super) const BYTES_MAX: u64 = 1 << 30;

/// The records of an image, in memory.
#[derive(Debug, Default)]
pub(super) struct Ordered {
    pub(super) records: Vec<Record>,
    /// By path, so that children stand behind their parents.
    pub(super) actors: Vec<Actor>,
    /// By the number of the actor; those of one actor in the order of its mailbox.
    pub(super) waiting: BTreeMap<u64, Vec<Waiting>>,
    /// Records of heaps: their positions.
    pub(super) heaps: Vec<usize>,
    /// Records of other kinds: their positions.
    pub(super) others: Vec<usize>,
}

/// An actor's record.
#[derive(Debug)]
pub(super) struct Actor {
    pub(super) record: usize,
    pub(super) id: u64,
    pub(super) class: String,
    pub(super) path: Vec<u64>,
}

/// A record of messages that wait at one place of a mailbox.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) record: usize,
    pub(super) actor: u64,
    /// Number and name.
    pub(super) place: (u32, String),
    pub(super) ordinal: u64,
    /// The number of messages.
    pub(super) messages: u64,
}

/// What a record is to a reader of snapshots.
pub(super) enum Role {
    Actor,
    Waiting,
    /// Of the image as a whole.
    Image,
    Heap,
    Other,
}

impl Role {
    pub(super) fn of(file: &SnapshotFile, record: &Record) -> Role {
        match file.type_of(record.kind) {
            Some("vivant::ActorRecord") => Role::Actor,
            Some("vivant::WaitingRecord") => Role::Waiting,
            Some(
                "vivant::SystemRecord" | "vivant::ShapesRecord" | "vivant::MessageKindsRecord",
            ) => Role::Image,
            name if is_heap_record(name) => Role::Heap,
            _ => Role::Other,
        }
    }
}

impl Ordered {
    /// Reads the whole image.
    pub(super) fn read(file: &SnapshotFile) -> Result<Ordered, Problem> {
        let bytes = file.header().bytes;
        if bytes > BYTES_MAX {
            return Err(file.too_large(bytes, BYTES_MAX));
        }
        let mut ordered = Ordered::default();
        for (at, record) in file.records().enumerate() {
            let record = record?;
            let events = file.events(&record)?.unwrap_or_default();
            match Role::of(file, &record) {
                Role::Actor => ordered
                    .actors
                    .push(Actor::of(at, record.id, Parts(&events))?),
                Role::Waiting => {
                    let waiting = Waiting::of(at, &record, Parts(&events))?;
                    let of_actor = ordered.waiting.entry(waiting.actor);
                    of_actor.or_default().push(waiting);
                }
                Role::Image => {}
                Role::Heap => ordered.heaps.push(at),
                Role::Other => ordered.others.push(at),
            }
            drop(events);
            ordered.records.push(record);
        }
        ordered
            .actors
            .sort_by(|a, b| (&a.path, a.id).cmp(&(&b.path, b.id)));
        for waiting in ordered.waiting.values_mut() {
            waiting.sort_by_key(|it| (it.place.0, it.ordinal));
        }
        Ok(ordered)
    }

    /// The records of messages that wait at this actor.
    pub(super) fn waiting_at(&self, actor: u64) -> &[Waiting] {
        self.waiting.get(&actor).map_or(&[], Vec::as_slice)
    }
}

impl Actor {
    pub(super) fn of(at: usize, id: u64, parts: Parts<'_>) -> Result<Actor, Problem> {
        let path = |path: Parts<'_>| path.elements().map(Parts::number).collect();
        Ok(Actor {
            record: at,
            id: needed(id, parts, "id", Parts::number)?,
            class: needed(id, parts, "class", Parts::text)?.to_owned(),
            path: needed(id, parts, "path", path)?,
        })
    }

    /// Its path as the runtime prints it, with its type.
    pub(super) fn name(&self) -> String {
        let path: String = self
            .path
            .iter()
            .map(|number| format!("/{number}"))
            .collect();
        format!("{}{path}", self.class.escape_debug())
    }
}

impl Waiting {
    pub(super) fn of(at: usize, record: &Record, parts: Parts<'_>) -> Result<Waiting, Problem> {
        let (place, name) = needed(record.id, parts, "place", Parts::variant)?;
        let messages = |it: Parts<'_>| it.is_sequence().then(|| it.elements().count() as u64);
        Ok(Waiting {
            record: at,
            actor: needed(record.id, parts, "actor", Parts::number)?,
            // Each of many messages is printed with it.
            place: (place, cut_line(name, Cut::Short)),
            ordinal: needed(record.id, parts, "ordinal", Parts::number)?,
            messages: needed(record.id, parts, "messages", messages)?,
        })
    }
    /// The messages of such a record, in their order.
    pub(super) fn messages(parts: Parts<'_>) -> impl Iterator<Item = Parts<'_>> {
        let messages = parts.field("messages");
        messages.into_iter().flat_map(Parts::elements)
    }
}
