//! [`SnapshotFile`]: an image, opened.

use super::header::Header;
use super::parts::Parts;
use super::problem::Problem;
use std::collections::BTreeMap;
use vivant_codec::{Event, LoadError, Saved, ShapeId, Shapes, from_bytes, walk};
use vivant_journal::{Catalog, Image, Record};

/// The number of the kind of the record that says how records are encoded.
const SHAPES: u16 = 2;

/// Parts of a record that any program may write.
const PARTS_MIN: usize = 1 << 14;
/// Parts of a record for each of its bytes.
const PARTS_PER_BYTE: usize = 256;
/// Parts of a record that are held in memory; the values in it are not.
const PARTS_MAX: usize = 1 << 22;

/// A snapshot that is read without its program.
#[derive(Debug)]
pub struct SnapshotFile {
    image: Image,
    header: Header,
    shapes: Shapes,
    /// The shapes of records, by their kinds.
    kinds: BTreeMap<u16, ShapeId>,
}

#[derive(Saved)]
#[saved(name = "vivant::ShapesRecord")]
struct ShapesRecord {
    shapes: Shapes,
    records: Vec<RecordShape>,
}

#[derive(Saved)]
#[saved(name = "vivant::RecordShape")]
struct RecordShape {
    kind: u16,
    shape: ShapeId,
}

/// The numbers of all images, newest first, of damaged ones too.
///
/// # Errors
///
/// There is none, or the store fails.
pub fn numbers(catalog: &Catalog) -> Result<Vec<u64>, Problem> {
    let images = catalog.images()?;
    let intact = images.intact.iter().map(|it| it.number);
    let unreadable = images.unreadable.iter().map(|it| it.number);
    let mut numbers: Vec<u64> = intact.chain(unreadable).collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    match numbers.is_empty() {
        true => Err(Problem::NoImage),
        false => Ok(numbers),
    }
}

impl SnapshotFile {
    /// Opens the image of this number: its header and its table of shapes.
    ///
    /// # Errors
    ///
    /// The image is damaged, is no snapshot, or has another version of the format.
    pub fn open(catalog: &Catalog, number: u64) -> Result<SnapshotFile, Problem> {
        SnapshotFile::of(catalog.image(number)?)
    }

    /// The snapshot of this image.
    ///
    /// # Errors
    ///
    /// As those of [`SnapshotFile::open`].
    pub fn of(image: Image) -> Result<SnapshotFile, Problem> {
        let header = Header::of(image.summary())?;
        let tables: Vec<_> = image.records().filter(|it| it.kind == SHAPES).collect();
        let [table] = tables[..] else {
            let (number, found) = (header.number, tables.len());
            return Err(Problem::NoShapes { number, found });
        };
        let value = image.reader().value(table.id)?;
        let id = table.id;
        let wrong = |error: LoadError| Problem::Record { id, error };
        let record: ShapesRecord = from_bytes(&value).map_err(wrong)?;
        let kinds = record.records.iter().map(|it| (it.kind, it.shape));
        Ok(SnapshotFile {
            image,
            header,
            shapes: record.shapes,
            kinds: kinds.collect(),
        })
    }

    /// What the image says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The shapes of all values.
    pub fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    /// The shape of the records of this kind. `None`: the image does not say.
    pub fn shape_of(&self, kind: u16) -> Option<ShapeId> {
        self.kinds.get(&kind).copied()
    }

    /// The type of the records of this kind, such as `vivant::ActorRecord`.
    pub fn type_of(&self, kind: u16) -> Option<&str> {
        let (name, _) = self.shapes.name(self.shape_of(kind)?)?;
        Some(name)
    }

    /// All records, in the order in which they were written.
    pub fn records(&self) -> impl Iterator<Item = Result<Record, Problem>> {
        self.image
            .reader()
            .values()
            .map(|record| Ok::<_, Problem>(record?))
    }

    pub(super) fn too_large(&self, bytes: u64, limit: u64) -> Problem {
        let number = self.header.number;
        Problem::TooLarge {
            number,
            bytes,
            limit,
        }
    }

    /// Reads a record without the values in it, which stay encoded. `None`: its kind is unknown.
    pub(super) fn events<'f>(
        &'f self,
        record: &'f Record,
    ) -> Result<Option<Vec<Event<'f, 'f>>>, Problem> {
        let Some(shape) = self.shape_of(record.kind) else {
            return Ok(None);
        };
        let mut events = Vec::new();
        self.walk(
            record.id,
            &mut Steps::of(record),
            shape,
            &record.value,
            |event| {
                events.push(event);
                events.len() <= PARTS_MAX
            },
        )?;
        Ok(Some(events))
    }

    /// Walks through a value of the record `id`. A walk has too many parts if the steps of its
    /// record are used up, or `visit` returns false.
    pub(super) fn walk<'f>(
        &'f self,
        id: u64,
        steps: &mut Steps,
        shape: ShapeId,
        bytes: &'f [u8],
        mut visit: impl FnMut(Event<'f, 'f>) -> bool,
    ) -> Result<(), Problem> {
        let walked = walk(&self.shapes, shape, bytes, |event| {
            match steps.take() && visit(event) {
                true => Ok(()),
                false => Err(Stop::TooManyParts),
            }
        });
        walked.map_err(|stop| match stop {
            Stop::Load(error) => Problem::Record { id, error },
            Stop::TooManyParts => steps.used_up(id),
        })
    }

    /// Goes through parts of a record, with the values in them in place of their bytes.
    pub(super) fn visit<'f>(
        &'f self,
        record: &'f Record,
        parts: Parts<'f>,
        mut visit: impl FnMut(Event<'f, 'f>) -> bool,
    ) -> Result<(), Problem> {
        let mut steps = Steps::of(record);
        let mut rest = parts;
        while let [first, after @ ..] = rest.0 {
            let Some(((shape, bytes), after)) = rest.encoded_first() else {
                if !visit(*first) {
                    return Err(steps.used_up(record.id));
                }
                rest = Parts(after);
                continue;
            };
            self.walk(record.id, &mut steps, shape, bytes, &mut visit)?;
            rest = after;
        }
        Ok(())
    }
}

/// The parts that a record may have, with those of the values in it. The codec limits each value;
/// this limits a record with many.
#[derive(Debug)]
pub(super) struct Steps {
    left: usize,
    bytes: usize,
}

impl Steps {
    pub(super) fn of(record: &Record) -> Steps {
        let bytes = record.value.len();
        Steps {
            left: PARTS_MIN.saturating_add(bytes.saturating_mul(PARTS_PER_BYTE)),
            bytes,
        }
    }

    fn used_up(&self, id: u64) -> Problem {
        let bytes = self.bytes;
        Problem::TooManyParts { id, bytes }
    }

    fn take(&mut self) -> bool {
        let left = self.left.checked_sub(1);
        self.left = left.unwrap_or(0);
        left.is_some()
    }
}

/// Why a walk ends early.
enum Stop {
    Load(LoadError),
    TooManyParts,
}

impl From<LoadError> for Stop {
    fn from(error: LoadError) -> Stop {
        Stop::Load(error)
    }
}
