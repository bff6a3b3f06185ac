//! Reading an image.

use super::super::image::{Image, Records};
use super::header::{FORMAT, Header};
use super::record_kind::RecordKind;
use super::shapes_record::ShapesRecord;
use std::fmt;
use vivant_codec::{LoadError, from_bytes};

/// Why an image of a store is no image of a system.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotRead {
    /// The store failed, or the image is damaged.
    Store(vivant_journal::Error),
    /// The image was written in another version of the format, with this number.
    OtherVersion(u32),
    /// The metadata of the image are not those of a snapshot.
    NotASnapshot(LoadError),
    /// A record is not what its kind says.
    Record {
        /// The record's id.
        id: u64,
        /// Why.
        error: LoadError,
    },
    /// A record is of a kind that this version of the format does not have.
    NoKind {
        /// The record's id.
        id: u64,
        /// The number of the kind.
        kind: u16,
    },
    /// The image has not one record of the system, one of shapes, one of kinds of messages, and one
    /// of what is shared.
    NotOnce(&'static str),
}

/// Reads all records of an image.
pub(crate) fn read(image: &vivant_journal::Image) -> Result<(Header, Image), NotRead> {
    let header = Header::decode(image.metadata()).map_err(NotRead::NotASnapshot)?;
    let header = header.map_err(NotRead::OtherVersion)?;
    let (mut system, mut shapes, mut kinds, mut shared) = (None, None, None, None);
    let mut records = Records::default();
    let mut objects = None;
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

impl From<vivant_journal::Error> for NotRead {
    fn from(error: vivant_journal::Error) -> NotRead {
        NotRead::Store(error)
    }
}

impl fmt::Display for NotRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotRead::Store(error) => write!(f, "{error}"),
            NotRead::OtherVersion(found) => write!(
                f,
                "the image has version {found} of the format, and this program reads version {FORMAT}; use the version \
                 of vivant that wrote it"
            ),
            NotRead::NotASnapshot(error) => write!(
                f,
                "the image is no snapshot of a system: its metadata cannot be read: {error}"
            ),
            NotRead::Record { id, error } => write!(
                f,
                "the record {id} of the image cannot be read: {error}; restore an older image"
            ),
            NotRead::NoKind { id, kind } => write!(
                f,
                "the record {id} of the image is of the kind {kind}, which snapshots do not have; restore an older \
                 image"
            ),
            NotRead::NotOnce(what) => write!(
                f,
                "the image has not one record of {what}; restore an older image"
            ),
        }
    }
}

impl std::error::Error for NotRead {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NotRead::Store(error) => Some(error),
            NotRead::NotASnapshot(error) | NotRead::Record { error, .. } => Some(error),
            NotRead::OtherVersion(_) | NotRead::NoKind { .. } | NotRead::NotOnce(_) => None,
        }
    }
}
