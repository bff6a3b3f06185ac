//! [`Tables`]: how the records and values of an image are encoded.

use super::problem::Problem;
use std::collections::BTreeMap;
use vivant_codec::{Comparison, LoadError, Saved, ShapeId, Shapes, from_bytes, load_stored};
use vivant_journal::Image;

/// The number of the kind of the record that says how records are encoded.
const SHAPES: u16 = 2;

/// A record that was found by its type.
#[derive(Debug)]
pub(super) struct FoundRecord {
    pub(super) id: u64,
    pub(super) kind: u16,
    pub(super) value: Vec<u8>,
}

impl FoundRecord {
    /// Id, kind and value.
    pub(super) fn parts(&self) -> (u64, u16, &[u8]) {
        (self.id, self.kind, &self.value)
    }
}

/// The shapes of an image, and which of them its records have.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) shapes: Shapes,
    /// The shapes of records, by their kinds.
    records: BTreeMap<u16, ShapeId>,
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

impl Tables {
    /// Reads those of an image.
    pub(super) fn of(image: &Image) -> Result<Tables, Problem> {
        let number = image.number();
        let tables = image.records().filter(|it| it.kind == SHAPES);
        let table = only(tables).map_err(|found| Problem::NoShapes { number, found })?;
        let value = image.reader().value(table.id)?;
        let id = table.id;
        let wrong = |error: LoadError| Problem::Record { id, error };
        let ShapesRecord { shapes, records } = from_bytes(&value).map_err(wrong)?;
        let records = records.iter().map(|it| (it.kind, it.shape)).collect();
        Ok(Tables { shapes, records })
    }

    /// The shape of the records of this kind. `None`: the image does not say.
    pub(super) fn shape_of(&self, kind: u16) -> Option<ShapeId> {
        self.records.get(&kind).copied()
    }

    /// The type of the records of this kind, such as `vivant::ActorRecord`.
    pub(super) fn type_of(&self, kind: u16) -> Option<&str> {
        let (name, _) = self.shapes.name(self.shape_of(kind)?)?;
        Some(name)
    }

    /// The records of this type, in the order of their ids. The others are not read.
    pub(super) fn records<'i>(
        &'i self,
        image: &'i Image,
        type_name: &'static str,
    ) -> impl Iterator<Item = Result<FoundRecord, Problem>> {
        let infos = image.records();
        let infos = infos.filter(move |it| self.type_of(it.kind) == Some(type_name));
        let mut reader = image.reader();
        infos.map(move |info| {
            let (id, kind) = (info.id, info.kind);
            let value = reader.value(id)?;
            Ok(FoundRecord { id, kind, value })
        })
    }

    /// A record as a value of this command. Fields are found by their names.
    pub(super) fn load<T: for<'gc> Saved<'gc>>(
        &self,
        comparison: &Comparison<'_>,
        (id, kind, value): (u64, u16, &[u8]),
    ) -> Result<T, Problem> {
        let shape = self.shape_of(kind).unwrap_or(ShapeId::new(u32::MAX));
        let value = load_stored(value, comparison, shape);
        value.map_err(|error| Problem::Record { id, error })
    }
}

/// The only one, or how many there are.
pub(super) fn only<T>(mut all: impl Iterator<Item = T>) -> Result<T, usize> {
    match (all.next(), all.count()) {
        (Some(only), 0) => Ok(only),
        (None, _) => Err(0),
        (Some(_), more) => Err(more + 1),
    }
}
