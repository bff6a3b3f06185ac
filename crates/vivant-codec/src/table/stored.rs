//! [`StoredShape`]: a shape as a file has it. It refers to others by their numbers.

use crate::shape::primitive::Primitive;
use crate::shape::{Field, Kind, Shape, ShapeRef};

/// The number of a shape in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShapeId(pub(crate) u32);

impl ShapeId {
    /// The shape of this number: shapes are numbered from 0 on, in the order of their table.
    pub const fn new(number: u32) -> ShapeId {
        ShapeId(number)
    }

    /// The number.
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// A shape as a file has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StoredShape {
    pub(crate) name: String,
    pub(crate) version: u32,
    pub(crate) kind: StoredKind,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StoredKind {
    Primitive(Primitive),
    Option(ShapeId),
    Sequence(ShapeId),
    Map(ShapeId, ShapeId),
    Tuple(Vec<ShapeId>),
    Array(ShapeId, u64),
    Structure(Vec<StoredField>),
    Enum(Vec<StoredVariant>),
    Opaque,
    Reference(ShapeId),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StoredField {
    pub(crate) name: String,
    pub(crate) shape: ShapeId,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StoredVariant {
    pub(crate) name: String,
    pub(crate) fields: Vec<StoredField>,
}

impl StoredShape {
    /// The shape of the program, with its parts as numbers that `number` gives, in their order.
    pub(crate) fn of(shape: &Shape, mut number: impl FnMut(ShapeRef) -> ShapeId) -> StoredShape {
        let mut fields = |fields: &[Field]| -> Vec<StoredField> {
            let fields = fields.iter().map(|field| StoredField {
                name: field.name().to_owned(),
                shape: number(field.shape_ref()),
            });
            fields.collect()
        };
        let kind = match shape.kind() {
            Kind::Structure(all) => StoredKind::Structure(fields(all)),
            Kind::Enum(variants) => {
                let variants = variants.iter().map(|variant| StoredVariant {
                    name: variant.name().to_owned(),
                    fields: fields(variant.fields()),
                });
                StoredKind::Enum(variants.collect())
            }
            Kind::Primitive(primitive) => StoredKind::Primitive(*primitive),
            Kind::Option(part) => StoredKind::Option(number(*part)),
            Kind::Sequence(part) => StoredKind::Sequence(number(*part)),
            Kind::Map(key, value) => {
                let key = number(*key);
                StoredKind::Map(key, number(*value))
            }
            Kind::Tuple(parts) => {
                StoredKind::Tuple(parts.iter().map(|part| number(*part)).collect())
            }
            Kind::Array(part, count) => StoredKind::Array(number(*part), *count),
            Kind::Opaque => StoredKind::Opaque,
            Kind::Reference(part, _) => StoredKind::Reference(number(*part)),
        };
        StoredShape {
            name: shape.name().to_owned(),
            version: shape.version(),
            kind,
        }
    }

    /// The numbers of all parts, in their order.
    pub(crate) fn parts(&self) -> Vec<ShapeId> {
        let mut parts = Vec::new();
        self.clone().renumber(|part| {
            parts.push(part);
            part
        });
        parts
    }

    /// The same shape with other numbers of its parts.
    pub(crate) fn renumber(mut self, mut number: impl FnMut(ShapeId) -> ShapeId) -> StoredShape {
        let mut change = |part: &mut ShapeId| *part = number(*part);
        match &mut self.kind {
            StoredKind::Primitive(_) | StoredKind::Opaque => {}
            StoredKind::Option(part)
            | StoredKind::Sequence(part)
            | StoredKind::Array(part, _)
            | StoredKind::Reference(part) => change(part),
            StoredKind::Map(key, value) => {
                change(key);
                change(value);
            }
            StoredKind::Tuple(parts) => parts.iter_mut().for_each(change),
            StoredKind::Structure(fields) => {
                fields.iter_mut().for_each(|field| change(&mut field.shape));
            }
            StoredKind::Enum(variants) => {
                let fields = variants.iter_mut().flat_map(|it| &mut it.fields);
                fields.for_each(|field| change(&mut field.shape));
            }
        }
        self
    }

    /// The shape in words of an error.
    pub(crate) fn description(&self) -> String {
        match &self.kind {
            StoredKind::Primitive(primitive) => format!("`{}`", primitive.name()),
            StoredKind::Option(_) => "an option".to_owned(),
            StoredKind::Sequence(_) => "a sequence".to_owned(),
            StoredKind::Map(..) => "a map".to_owned(),
            StoredKind::Tuple(parts) => format!("a tuple of {}", parts.len()),
            StoredKind::Array(_, count) => format!("an array of {count}"),
            StoredKind::Structure(_) => format!("the structure `{}`", self.name.escape_debug()),
            StoredKind::Enum(_) => format!("the enum `{}`", self.name.escape_debug()),
            StoredKind::Opaque => "bytes of serde".to_owned(),
            StoredKind::Reference(_) => format!("a reference `{}`", self.name.escape_debug()),
        }
    }
}
