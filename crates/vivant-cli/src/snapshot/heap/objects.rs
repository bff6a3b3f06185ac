//! [`Heap`]: all objects of a heap that an image has, itself or by earlier ones.

use super::object_name::{ObjectName, PLACE_BYTES};
use super::records::{
    BlockRecord, HEAP, HeapRecord, Holds, OBJECTS, ObjectsRecord, SPANS, SpanRecord, SpansRecord,
    UNCHANGED, UnchangedRecord,
};
use super::unchanged::{LeftSpans, Unchanged};
use crate::snapshot::actors::BYTES_MAX;
use crate::snapshot::file::SnapshotFile;
use crate::snapshot::problem::Problem;
use crate::snapshot::tables::Tables;
use vivant_codec::{Comparison, LoadError, ShapeId};
use vivant_journal::Image;

/// A heap, in memory.
pub(super) struct Heap<'f> {
    pub(super) file: &'f SnapshotFile,
    pub(super) actor: u64,
    /// The number of the heap.
    pub(super) number: u64,
    /// The shapes of contents, by the numbers of the types.
    types: Vec<ShapeId>,
    /// By their names.
    objects: Vec<Object>,
    contents: Vec<u8>,
    /// The number of spans.
    pub(super) spans: u64,
    /// The number of those that earlier images have.
    pub(super) unchanged_spans: u64,
}

/// An object.
#[derive(Clone, Copy)]
pub(super) struct Object {
    pub(super) name: ObjectName,
    /// The number of its type.
    pub(super) object_type: u32,
    /// Bytes of its content.
    pub(super) bytes: u32,
    /// Bytes of its block. Of a large object those of its content, because a file does not say it.
    pub(super) memory: u32,
    /// Where its content begins.
    begin: usize,
}

impl<'f> Heap<'f> {
    /// Reads the heap of an actor. `None`: it has none.
    pub(super) fn read(file: &'f SnapshotFile, actor: u64) -> Result<Option<Heap<'f>>, Problem> {
        let Some(number) = number_of(file, actor)? else {
            return Ok(None);
        };
        let mut heap = Heap {
            file,
            actor,
            number,
            types: Vec::new(),
            objects: Vec::new(),
            contents: Vec::new(),
            spans: 0,
            unchanged_spans: 0,
        };
        let (image, tables) = (&file.image, &file.tables);
        let comparison = Comparison::new(&tables.shapes);
        for record in tables.records(image, OBJECTS) {
            let record: ObjectsRecord = tables.load(&comparison, record?.parts())?;
            heap.types = record.contents;
        }
        heap.add_spans(image, tables, |_| true)?;
        let mut unchanged = Unchanged::default();
        for record in tables.records(image, UNCHANGED) {
            let record: UnchangedRecord = tables.load(&comparison, record?.parts())?;
            if record.heap == number {
                unchanged.add(record);
            }
        }
        let twice = |(image, span)| heap.wrong(image, span, "is there twice");
        for (image, spans) in unchanged.images().map_err(twice)? {
            heap.add_unchanged(image, &spans)?;
        }
        heap.objects.sort_unstable_by_key(|object| object.name);
        let mut pairs = heap.objects.iter().zip(heap.objects.iter().skip(1));
        if let Some((object, _)) = pairs.find(|(before, object)| before.name == object.name) {
            let span = u32::try_from(object.name.span()).unwrap_or(u32::MAX);
            return Err(heap.wrong(image.number(), span, "is there twice"));
        }
        Ok((heap.spans > 0).then_some(heap))
    }

    /// Adds the spans that an earlier image has.
    fn add_unchanged(&mut self, number: u64, spans: &LeftSpans) -> Result<(), Problem> {
        let mut needed = self.file.image.needed().iter();
        let mut found = Vec::new();
        if let Some(image) = needed.find(|image| image.number() == number) {
            let tables = Tables::of(image)?;
            self.add_spans(image, &tables, |span| {
                let is_left = spans.has(span);
                if is_left {
                    found.push(span);
                }
                is_left
            })?;
        }
        found.sort_unstable();
        self.unchanged_spans += found.len() as u64;
        match spans.first_missing(&found) {
            None => Ok(()),
            Some(span) => Err(self.wrong(number, span, "is not there, and a later image needs it")),
        }
    }

    /// Adds the spans of this heap that an image has, as far as they are wanted.
    fn add_spans(
        &mut self,
        image: &Image,
        tables: &Tables,
        mut is_wanted: impl FnMut(u32) -> bool,
    ) -> Result<(), Problem> {
        let comparison = Comparison::new(&tables.shapes);
        for record in tables.records(image, SPANS) {
            let record: SpansRecord = tables.load(&comparison, record?.parts())?;
            if record.heap != self.number {
                continue;
            }
            for span in record.spans {
                if is_wanted(span.number) {
                    self.add_span(image.number(), &span)?;
                }
            }
        }
        Ok(())
    }

    fn add_span(&mut self, image: u64, span: &SpanRecord) -> Result<(), Problem> {
        let wrong = |heap: &Heap<'_>, why| Err(heap.wrong(image, span.number, why));
        let mut begin = self.contents.len();
        for block in &span.blocks {
            let Some(name) = name_of(span, *block) else {
                return wrong(self, "has a block in a wrong place");
            };
            if block.object as usize >= self.types.len() {
                return wrong(self, "has an object of a type that the image does not list");
            }
            self.objects.push(Object {
                name,
                object_type: block.object,
                bytes: block.bytes,
                memory: match span.holds {
                    Holds::Blocks(size) => size,
                    Holds::Large => block.bytes,
                },
                begin,
            });
            begin += block.bytes as usize;
        }
        self.contents.extend_from_slice(&span.content);
        if begin != self.contents.len() {
            return wrong(self, "has contents of another length than its blocks");
        }
        self.spans += 1;
        let bytes = self.contents.len() + size_of_val(&self.objects[..]);
        match bytes as u64 > BYTES_MAX {
            true => Err(self.file.too_large(bytes as u64, BYTES_MAX)),
            false => Ok(()),
        }
    }

    fn wrong(&self, image: u64, span: u32, why: &'static str) -> Problem {
        let actor = self.actor;
        Problem::Span {
            image,
            actor,
            span,
            why,
        }
    }

    /// The content of an object is no value of its shape.
    pub(super) fn unreadable(&self, object: ObjectName, error: LoadError) -> Problem {
        let actor = self.actor;
        Problem::Object {
            actor,
            object,
            error,
        }
    }

    /// All objects, in the order of their names.
    pub(super) fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// Where the object of this name is among all.
    pub(super) fn find(&self, name: ObjectName) -> Option<usize> {
        let found = self
            .objects
            .binary_search_by_key(&name, |object| object.name);
        found.ok()
    }

    /// Shape and bytes of a content.
    pub(super) fn content(&self, object: &Object) -> (ShapeId, &[u8]) {
        let bytes = object.begin..object.begin + object.bytes as usize;
        (self.shape(object.object_type), &self.contents[bytes])
    }

    /// The number of types.
    pub(super) fn types(&self) -> usize {
        self.types.len()
    }

    /// The shape of the contents of the objects of a type.
    pub(super) fn shape(&self, object_type: u32) -> ShapeId {
        self.types[object_type as usize]
    }

    /// Bytes of all contents.
    pub(super) fn bytes(&self) -> usize {
        self.contents.len()
    }
}

/// The name of the object in a block. `None`: no block is there.
fn name_of(span: &SpanRecord, block: BlockRecord) -> Option<ObjectName> {
    let number = u64::from(block.block);
    let size = match span.holds {
        Holds::Blocks(size) => u64::from(size),
        Holds::Large if number == 0 => PLACE_BYTES,
        Holds::Large => return None,
    };
    ObjectName::at(span.number, number * size).filter(|_| size > 0)
}

/// The number of an actor's heap.
fn number_of(file: &SnapshotFile, actor: u64) -> Result<Option<u64>, Problem> {
    let (image, tables) = (&file.image, &file.tables);
    let comparison = Comparison::new(&tables.shapes);
    for record in tables.records(image, HEAP) {
        let record: HeapRecord = tables.load(&comparison, record?.parts())?;
        if record.actor == Some(actor) {
            return Ok(Some(record.heap));
        }
    }
    Ok(None)
}
