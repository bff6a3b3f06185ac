//! Reading an image.

use super::super::image::{Image, Records};
use super::header::Header;
use super::not_read::NotRead;
use super::record_kind::RecordKind;
use super::shapes_record::ShapesRecord;
use super::unchanged::Unchanged;
use vivant_codec::from_bytes;

/// Reads all records of an image.
pub(crate) fn read(image: &vivant_journal::Image) -> Result<(Header, Image), NotRead> {
    let header = Header::decode(image.metadata()).map_err(NotRead::NotASnapshot)?;
    let header = header.map_err(NotRead::OtherVersion)?;
    let (mut system, mut shapes, mut kinds, mut shared) = (None, None, None, None);
    let mut records = Records::default();
    let mut objects = None;
    let mut unchanged = Unchanged::default();
    for record in image.reader().values() {
        let record = record?;
        let (id, value) = (record.id, &record.value[..]);
        let wrong = |error| NotRead::Record { id, error };
        match RecordKind::of(record.kind) {
            Some(RecordKind::System) => {
                let before = system.replace(from_bytes(value).map_err(wrong)?);
                once(before.is_none(), "the system")?;
            }
            Some(RecordKind::Shapes) => {
                let record: ShapesRecord = from_bytes(value).map_err(wrong)?;
                let before = shapes.replace(record.shapes);
                once(before.is_none(), "shapes")?;
            }
            Some(RecordKind::Shared) => {
                let before = shared.replace(from_bytes(value).map_err(wrong)?);
                once(before.is_none(), "what is shared")?;
            }
            Some(RecordKind::Kinds) => {
                let before = kinds.replace(from_bytes(value).map_err(wrong)?);
                once(before.is_none(), "kinds of messages")?;
            }
            Some(RecordKind::Step) => records.steps.push(from_bytes(value).map_err(wrong)?),
            Some(RecordKind::Actor) => records.actors.push(from_bytes(value).map_err(wrong)?),
            Some(RecordKind::Waiting) => records.waiting.push(from_bytes(value).map_err(wrong)?),
            Some(RecordKind::Supervised) => {
                records.supervised.push(from_bytes(value).map_err(wrong)?);
            }
            Some(RecordKind::Spans) => records.spans.push(from_bytes(value).map_err(wrong)?),
            Some(RecordKind::Unchanged) => unchanged.add(from_bytes(value).map_err(wrong)?),
            Some(RecordKind::Objects) => {
                let before = objects.replace(from_bytes(value).map_err(wrong)?);
                once(before.is_none(), "types of objects")?;
            }
            None => {
                let kind = record.kind;
                return Err(NotRead::NoKind { id, kind });
            }
        }
    }
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
    Ok((header, Image::of(system, shapes, kinds, shared, records)))
}

fn once(is_first: bool, what: &'static str) -> Result<(), NotRead> {
    match is_first {
        true => Ok(()),
        false => Err(NotRead::NotOnce(what)),
    }
}
