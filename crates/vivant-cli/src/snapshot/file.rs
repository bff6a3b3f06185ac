//! [`SnapshotFile`]: an image, opened.

use super::budget::Budget;
use super::header::Header;
use super::problem::Problem;
use super::tables::{Tables, only};
use vivant_codec::{Event, LoadError, ShapeId, Shapes, walk};
use vivant_journal::{Catalog, Image, Record, RecordInfo};

/// The name of the record that says what messages have in common.
const KINDS: &str = "vivant::MessageKindsRecord";

/// Parts of a record that are held in memory; the values in it are not.
const PARTS_MAX: usize = 1 << 22;

/// A snapshot that is read without its program.
#[derive(Debug)]
pub struct SnapshotFile {
    pub(super) image: Image,
    header: Header,
    pub(super) tables: Tables,
    kinds: Kinds,
}

/// The record of kinds of messages, encoded.
#[derive(Debug)]
struct Kinds {
    id: u64,
    shape: ShapeId,
    value: Vec<u8>,
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
    /// Opens the image of this number: its header, its table of shapes, its table of kinds.
    ///
    /// # Errors
    ///
    /// The image is damaged, is no snapshot, has another version of the format, or lacks a table.
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
        let number = header.number;
        let tables = Tables::of(&image)?;
        let kinds_shape = |it: &RecordInfo| {
            let shape = tables.shape_of(it.kind)?;
            (tables.type_of(it.kind) == Some(KINDS)).then_some((it.id, shape))
        };
        let found = image.records().filter_map(|it| kinds_shape(&it));
        let (id, shape) = only(found).map_err(|found| Problem::NoKinds { number, found })?;
        let value = image.reader().value(id)?;
        let kinds = Kinds { id, shape, value };
        Ok(SnapshotFile {
            image,
            header,
            tables,
            kinds,
        })
    }

    /// What the image says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The shapes of all values.
    pub fn shapes(&self) -> &Shapes {
        &self.tables.shapes
    }

    /// The shape of the records of this kind. `None`: the image does not say.
    pub fn shape_of(&self, kind: u16) -> Option<ShapeId> {
        self.tables.shape_of(kind)
    }

    /// The type of the records of this kind, such as `vivant::ActorRecord`.
    pub fn type_of(&self, kind: u16) -> Option<&str> {
        self.tables.type_of(kind)
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
        self.events_in((record.id, record.kind, &record.value))
    }

    /// As `events`, of a record with this id, kind and value.
    pub(super) fn events_in<'f>(
        &'f self,
        (id, kind, value): (u64, u16, &'f [u8]),
    ) -> Result<Option<Vec<Event<'f, 'f>>>, Problem> {
        let shape = self.shape_of(kind);
        shape
            .map(|shape| self.events_of(id, (shape, value)))
            .transpose()
    }

    /// Id and parts of the record of kinds of messages.
    pub(super) fn kinds(&self) -> Result<(u64, Vec<Event<'_, '_>>), Problem> {
        let Kinds { id, shape, value } = &self.kinds;
        Ok((*id, self.events_of(*id, (*shape, value))?))
    }

    fn events_of<'f>(
        &'f self,
        id: u64,
        value: (ShapeId, &'f [u8]),
    ) -> Result<Vec<Event<'f, 'f>>, Problem> {
        let mut events = Vec::new();
        let mut budget = Budget::new(id, value.1.len());
        self.walk(&mut budget, value, |event| {
            events.push(event);
            events.len() <= PARTS_MAX
        })?;
        Ok(events)
    }

    /// Walks through a value of a record. A walk has too many parts if the budget of the record is
    /// used up, or `visit` returns false.
    pub(super) fn walk<'f>(
        &'f self,
        budget: &mut Budget,
        (shape, bytes): (ShapeId, &'f [u8]),
        mut visit: impl FnMut(Event<'f, 'f>) -> bool,
    ) -> Result<(), Problem> {
        let walked = walk(self.shapes(), shape, bytes, |event| {
            match budget.take_parts(1) && visit(event) {
                true => Ok(()),
                false => Err(Stop::TooManyParts),
            }
        });
        walked.map_err(|stop| match stop {
            Stop::Load(error) => {
                let id = budget.id();
                Problem::Record { id, error }
            }
            Stop::TooManyParts => budget.used_up(),
        })
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
