//! Reading an image.

use super::super::heap_records::{HeapRecord, ObjectsRecord};
use super::super::image::{Image, Records, SharedRecord, SystemRecord};
use super::super::message_kinds::MessageKindsRecord;
use super::header::Header;
use super::not_read::NotRead;
use super::record_kind::RecordKind;
use super::shapes_record::ShapesRecord;
use super::unchanged::Unchanged;
use std::collections::BTreeSet;
use vivant_codec::{Shapes, from_bytes};

/// Reads all records of an image.
pub(crate) fn read(image: &vivant_journal::Image) -> Result<(Header, Image), NotRead> {
    let header = header(image)?;
    let mut read = ReadRecords::default();
    for record in image.reader().values() {
        let record = record?;
        read.add(record.id, record.kind, &record.value)?;
    }
    Ok((header, read.image(image)?))
}

/// Reads what an image has of one actor and of what its state may need. `None`: the image lacks the
/// actor.
///
/// Costs a look at each record of a state, a step or a heap, and of the values the decoding of
/// those of the actor, and of all heaps of which others have objects.
pub(crate) fn read_actor(
    image: &vivant_journal::Image,
    actor: u64,
) -> Result<Option<Image>, NotRead> {
    header(image)?;
    let mut read = ReadRecords::default();
    let mut values = image.reader();
    let system = RecordKind::System.number();
    for info in image.records().filter(|info| info.kind == system) {
        let read = from_bytes(&values.value(info.id)?);
        let system: SystemRecord = read.map_err(|error| NotRead::Record { id: info.id, error })?;
        if system.numbers.0 <= actor {
            // The actor is younger.
            return Ok(None);
        }
    }
    let mut wanted = BTreeSet::new();
    for info in image.records() {
        let value = match RecordKind::of(info.kind) {
            Some(RecordKind::Heap | RecordKind::Shared) => values.value(info.id)?,
            _ => continue,
        };
        read.add(info.id, info.kind, &value)?;
    }
    let own = read.records.heaps.iter();
    let own = own.filter(|heap| heap.actor == Some(actor));
    wanted.extend(own.map(|heap| heap.heap));
    wanted.extend(read.shared.iter().flat_map(|shared| &shared.named_heaps));
    read.records.heaps.retain(|it| wanted.contains(&it.heap));
    for info in image.records() {
        let Some(kind) = RecordKind::of(info.kind) else {
            let (id, kind) = (info.id, info.kind);
            return Err(NotRead::NoKind { id, kind });
        };
        if matches!(
            kind,
            RecordKind::Waiting | RecordKind::Supervised | RecordKind::Heap | RecordKind::Shared
        ) {
            continue;
        }
        let value = values.value(info.id)?;
        let is_wanted = match (kind.actor_of(&value), kind.heap_of(&value)) {
            (Some(of), _) => of == actor,
            (None, Some(heap)) => wanted.contains(&heap),
            (None, None) => true,
        };
        if is_wanted {
            read.add(info.id, info.kind, &value)?;
        }
    }
    match read.records.actors.is_empty() {
        true => Ok(None),
        false => read.image(image).map(Some),
    }
}

fn header(image: &vivant_journal::Image) -> Result<Header, NotRead> {
    let header = Header::decode(image.metadata()).map_err(NotRead::NotASnapshot)?;
    header.map_err(NotRead::OtherVersion)
}

/// The records that were read so far.
#[derive(Default)]
struct ReadRecords {
    system: Option<SystemRecord>,
    shapes: Option<Shapes>,
    kinds: Option<MessageKindsRecord>,
    shared: Option<SharedRecord>,
    objects: Option<ObjectsRecord>,
    records: Records,
    unchanged: Unchanged,
    /// The numbers of the heaps.
    heaps: BTreeSet<u64>,
}

impl ReadRecords {
    fn add(&mut self, id: u64, kind: u16, value: &[u8]) -> Result<(), NotRead> {
        let wrong = |error| NotRead::Record { id, error };
        let records = &mut self.records;
        match RecordKind::of(kind) {
            Some(RecordKind::System) => {
                let before = self.system.replace(from_bytes(value).map_err(wrong)?);
                once(before.is_none(), "the system")?;
            }
            Some(RecordKind::Shapes) => {
                let record: ShapesRecord = from_bytes(value).map_err(wrong)?;
                let before = self.shapes.replace(record.shapes);
                once(before.is_none(), "shapes")?;
            }
            Some(RecordKind::Shared) => {
                let before = self.shared.replace(from_bytes(value).map_err(wrong)?);
                once(before.is_none(), "what is shared")?;
            }
            Some(RecordKind::Kinds) => {
                let before = self.kinds.replace(from_bytes(value).map_err(wrong)?);
                once(before.is_none(), "kinds of messages")?;
            }
            Some(RecordKind::Objects) => {
                let before = self.objects.replace(from_bytes(value).map_err(wrong)?);
                once(before.is_none(), "types of objects")?;
            }
            Some(RecordKind::Step) => records.steps.push(from_bytes(value).map_err(wrong)?),
            Some(RecordKind::Actor) => records.actors.push(from_bytes(value).map_err(wrong)?),
            Some(RecordKind::Waiting) => records.waiting.push(from_bytes(value).map_err(wrong)?),
            Some(RecordKind::Supervised) => {
                records.supervised.push(from_bytes(value).map_err(wrong)?);
            }
            Some(RecordKind::Spans) => records.spans.push(from_bytes(value).map_err(wrong)?),
            Some(RecordKind::Heap) => {
                let heap: HeapRecord = from_bytes(value).map_err(wrong)?;
                once(self.heaps.insert(heap.heap), "each heap")?;
                records.heaps.push(heap);
            }
            Some(RecordKind::Unchanged) => self.unchanged.add(from_bytes(value).map_err(wrong)?),
            None => return Err(NotRead::NoKind { id, kind }),
        }
        Ok(())
    }

    /// Adds what `image` leaves to earlier ones.
    fn image(self, image: &vivant_journal::Image) -> Result<Image, NotRead> {
        let ReadRecords {
            system,
            shapes,
            kinds,
            shared,
            objects,
            mut records,
            unchanged,
            ..
        } = self;
        unchanged.read(image, &mut records.spans)?;
        once(
            objects.is_some() || records.spans.is_empty(),
            "types of objects",
        )?;
        records.objects = objects.unwrap_or_default();
        let system = system.ok_or(NotRead::NotOnce("the system"))?;
        let shapes = shapes.ok_or(NotRead::NotOnce("shapes"))?;
        let kinds = kinds.ok_or(NotRead::NotOnce("kinds of messages"))?;
        let shared = shared.ok_or(NotRead::NotOnce("what is shared"))?;
        Ok(Image::of(system, shapes, kinds, shared, records))
    }
}

fn once(is_first: bool, what: &'static str) -> Result<(), NotRead> {
    match is_first {
        true => Ok(()),
        false => Err(NotRead::NotOnce(what)),
    }
}
