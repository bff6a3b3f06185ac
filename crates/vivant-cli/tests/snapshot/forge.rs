//! [`Forge`]: writes images as a later version of the format would have them, and wrong ones.

use crate::printed;
use crate::store::MemoryStore;
use std::time::{Duration, SystemTime};
use vivant_cli::snapshot::{SnapshotFile, Verdict, verify};
use vivant_codec::{Saved, Shape, ShapeId, Shapes, shape_of, to_bytes};

#[derive(Saved, Clone)]
#[saved(name = "vivant::Encoded")]
pub(crate) struct Encoded {
    pub(crate) shape: ShapeId,
    pub(crate) bytes: Vec<u8>,
}

/// A later version: another order of the fields, and one more.
#[derive(Saved, Clone)]
#[saved(name = "vivant::ActorRecord")]
pub(crate) struct ActorRecord {
    pub(crate) names: Vec<String>,
    pub(crate) path: Vec<u32>,
    pub(crate) class: String,
    pub(crate) content: Content,
    pub(crate) id: u64,
}

#[derive(Saved, Clone)]
#[saved(name = "vivant::Content")]
pub(crate) enum Content {
    Frozen { since: u64, value: Encoded },
    State(Encoded),
}

#[derive(Saved)]
#[saved(name = "vivant::WaitingRecord")]
pub(crate) struct WaitingRecord {
    pub(crate) place: Place,
    pub(crate) ordinal: u64,
    pub(crate) messages: Vec<MessageData>,
    pub(crate) actor: u64,
}

#[derive(Saved, Clone, Copy)]
#[saved(name = "vivant::WaitingPlace")]
pub(crate) enum Place {
    Urgent,
    Inbox,
}

#[derive(Saved, Clone)]
#[saved(name = "vivant::MessageData")]
pub(crate) struct MessageData {
    pub(crate) priority: u8,
    pub(crate) bytes: Vec<u8>,
    pub(crate) kind: u32,
}

#[derive(Saved, Clone)]
#[saved(name = "vivant::MessageKindsRecord")]
pub(crate) struct MessageKindsRecord {
    pub(crate) kinds: Vec<MessageKindRecord>,
}

#[derive(Saved, Clone)]
#[saved(name = "vivant::MessageKindRecord")]
pub(crate) struct MessageKindRecord {
    pub(crate) shape: ShapeId,
    pub(crate) what: What,
    pub(crate) tags: Vec<String>,
}

#[derive(Saved, Clone)]
#[saved(name = "vivant::WaitingKind")]
pub(crate) enum What {
    Message(KindRecord),
    Broadcast,
}

#[derive(Saved, Clone)]
#[saved(name = "vivant::KindRecord")]
pub(crate) struct KindRecord {
    pub(crate) form: Form,
    pub(crate) name: String,
}

#[derive(Saved, Clone, Copy)]
#[saved(name = "vivant::SavedForm")]
pub(crate) enum Form {
    Urgent,
}

#[derive(Saved)]
#[saved(name = "vivant::TimerRecord")]
pub(crate) struct TimerRecord {
    pub(crate) due: Duration,
    pub(crate) value: Encoded,
}

#[derive(Saved)]
#[saved(name = "vivant::SystemRecord")]
pub(crate) struct SystemRecord {
    pub(crate) numbers: (u64, u32),
}

#[derive(Saved)]
#[saved(name = "vivant::ShapesRecord")]
pub(crate) struct ShapesRecord {
    pub(crate) shapes: Shapes,
    pub(crate) records: Vec<RecordShape>,
}

#[derive(Saved)]
#[saved(name = "vivant::RecordShape")]
pub(crate) struct RecordShape {
    pub(crate) kind: u16,
    pub(crate) shape: ShapeId,
}

/// The header of today, and a field of tomorrow.
pub(crate) type Header = (u32, String, u64, SystemTime, (u64, u64, u64, u64), u64);

/// A reference to an actor.
pub(crate) struct Reference(pub(crate) u64);

impl<'gc> Saved<'gc> for Reference {
    const SHAPE: &'static Shape = &Shape::reference("bank::Account", shape_of::<'gc, u64>());

    fn save(&self, out: &mut vivant_codec::Encoder<'_>) {
        self.0.save(out);
    }

    fn load(input: &mut vivant_codec::Decoder<'gc, '_>) -> Result<Self, vivant_codec::LoadError> {
        Ok(Reference(input.reference(Self::SHAPE)?))
    }
}

/// What a resolver is in a file.
#[derive(Saved)]
#[saved(name = "vivant::PromiseName")]
pub(crate) enum PromiseName {
    Of { number: u64, owner: u64 },
}

/// A name that makes the text of a value much longer than its bytes.
pub(crate) const LONG: &str = match std::str::from_utf8(&[b'x'; 10_000]) {
    Ok(name) => name,
    Err(_) => "",
};

pub(crate) struct Long;

impl<'gc> Saved<'gc> for Long {
    const SHAPE: &'static Shape = &Shape::reference(LONG, shape_of::<'gc, u8>());

    fn save(&self, out: &mut vivant_codec::Encoder<'_>) {
        0_u8.save(out);
    }

    fn load(input: &mut vivant_codec::Decoder<'gc, '_>) -> Result<Self, vivant_codec::LoadError> {
        let _: u8 = input.reference(Self::SHAPE)?;
        Ok(Long)
    }
}

/// An image that is being forged.
pub(crate) struct Forge {
    pub(crate) shapes: Shapes,
    pub(crate) records: Vec<(u64, u16, Vec<u8>)>,
    pub(crate) record_shapes: Vec<RecordShape>,
    pub(crate) kinds: Vec<MessageKindRecord>,
    pub(crate) actors: u64,
    pub(crate) messages: u64,
}

impl Forge {
    pub(crate) fn new() -> Forge {
        let mut forge = Forge {
            shapes: Shapes::default(),
            records: Vec::new(),
            record_shapes: Vec::new(),
            kinds: Vec::new(),
            actors: 0,
            messages: 0,
        };
        forge.kind::<u8>("broadcast");
        forge.record(1, &SystemRecord { numbers: (10, 1) });
        forge
    }

    pub(crate) fn encoded<T: for<'gc> Saved<'gc>>(&mut self, value: &T) -> Encoded {
        Encoded {
            shape: self.shapes.add(T::SHAPE).expect("there are few"),
            bytes: to_bytes(value).expect("it is small"),
        }
    }

    pub(crate) fn record<T: for<'gc> Saved<'gc>>(&mut self, kind: u16, value: &T) {
        let shape = self.shapes.add(T::SHAPE).expect("there are few");
        if self.record_shapes.iter().all(|it| it.kind != kind) {
            self.record_shapes.push(RecordShape { kind, shape });
        }
        let id = self.records.last().map_or(1, |(id, ..)| id + 1);
        let value = to_bytes(value).expect("it is small");
        self.records.push((id, kind, value));
    }

    pub(crate) fn actor<T: for<'gc> Saved<'gc>>(&mut self, id: u64, state: &T) {
        self.actors += 1;
        let content = Content::State(self.encoded(state));
        let record = ActorRecord {
            names: vec!["the \"first\"".to_owned(), "\u{1b}[31m".to_owned()],
            path: vec![0, id as u32],
            class: "bank::Account".to_owned(),
            content,
            id,
        };
        self.record(3, &record);
    }

    /// Adds a kind of messages of which the content is such a value. Returns its number.
    pub(crate) fn kind<T: for<'gc> Saved<'gc>>(&mut self, name: &str) -> u32 {
        let (form, name) = (Form::Urgent, name.to_owned());
        self.kinds.push(MessageKindRecord {
            shape: self.shapes.add(T::SHAPE).expect("there are few"),
            what: What::Message(KindRecord { form, name }),
            tags: Vec::new(),
        });
        self.kinds.len() as u32 - 1
    }

    /// A record of these messages, each a kind and a content.
    pub(crate) fn messages(
        &mut self,
        actor: u64,
        place: Place,
        ordinal: u64,
        messages: &[(u32, Vec<u8>)],
    ) {
        self.messages += messages.len() as u64;
        let messages = messages.iter().map(|(kind, bytes)| MessageData {
            priority: 3,
            bytes: bytes.clone(),
            kind: *kind,
        });
        let messages = messages.collect();
        let record = WaitingRecord {
            place,
            ordinal,
            messages,
            actor,
        };
        self.record(4, &record);
    }

    pub(crate) fn message(&mut self, actor: u64, place: Place, ordinal: u64) {
        self.messages(actor, place, ordinal, &[(0, vec![7])]);
    }

    /// The record of kinds, under this id.
    pub(crate) fn kinds_record(&mut self, id: u64) {
        let kinds = self.kinds.clone();
        self.record(7, &MessageKindsRecord { kinds });
        if let Some(record) = self.records.last_mut() {
            record.0 = id;
        }
    }

    /// Writes the image with its kinds of messages. Returns its number.
    pub(crate) fn write(mut self, store: &MemoryStore) -> u64 {
        self.kinds_record(999);
        self.write_without_kinds(store)
    }

    /// Writes the image. Returns its number.
    pub(crate) fn write_without_kinds(mut self, store: &MemoryStore) -> u64 {
        let (mut shapes, mut records) = (self.shapes, self.record_shapes);
        let shape = shapes.add(ShapesRecord::SHAPE).expect("there are few");
        records.push(RecordShape { kind: 2, shape });
        let table = to_bytes(&ShapesRecord { shapes, records }).expect("it is small");
        self.records.push((1_000, 2, table));
        let counts = (self.actors, 0, 0, self.messages);
        let header: Header = (2, "bank".to_owned(), 4, SystemTime::UNIX_EPOCH, counts, 99);
        store.write(&to_bytes(&header).expect("it is small"), &self.records)
    }

    pub(crate) fn open(self) -> SnapshotFile {
        let store = MemoryStore::default();
        let number = self.write(&store);
        SnapshotFile::open(&store.catalog(), number).expect("it is intact")
    }

    pub(crate) fn verified(self) -> (String, Verdict) {
        let store = MemoryStore::default();
        let number = self.write(&store);
        printed(|out| verify(&store.catalog(), number, out)).expect("memory does not fail")
    }
}
