//! The form of a table of shapes in a file: it is a value like others.
//!
//! The README has it byte by byte.

use crate::errors::load_error::LoadError;
use crate::saved::decoder::Decoder;
use crate::saved::encoder::Encoder;
use crate::saved::saved_trait::{Saved, shape_of};
use crate::shape::primitive::Primitive;
use crate::shape::{Field, Shape, Variant};
use crate::table::shapes::Shapes;
use crate::table::stored::{ShapeId, StoredField, StoredKind, StoredShape, StoredVariant};

/// The number of this form, which begins each table.
const FORMAT: u8 = 1;

/// The number of the form, and the shapes.
impl<'gc> Saved<'gc> for Shapes {
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant_codec::Shapes",
        const {
            &[
                Field::new("format", shape_of::<'gc, u8>()),
                Field::new("shapes", shape_of::<'gc, Vec<StoredShape>>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        FORMAT.save(out);
        out.sequence(self.all().iter());
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Shapes, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let format: u8 = fields.field(0)?;
        if format != FORMAT {
            let why = format!("the table has format {format}, and this program reads {FORMAT}");
            return Err(fields.input().error(why));
        }
        let shapes = fields.field(1)?;
        fields.end()?;
        Shapes::read(shapes).map_err(|kind| input.input.error(kind))
    }
}

impl<'gc> Saved<'gc> for ShapeId {
    const SHAPE: &'static Shape = <u32 as Saved<'gc>>::SHAPE;

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        self.0.save(out);
    }

    #[inline]
    fn load(input: &mut Decoder<'gc, '_>) -> Result<ShapeId, LoadError> {
        Ok(ShapeId(u32::load(input)?))
    }
}

/// Name, version, kind.
impl<'gc> Saved<'gc> for StoredShape {
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant_codec::Shape",
        const {
            &[
                Field::new("name", shape_of::<'gc, String>()),
                Field::new("version", shape_of::<'gc, u32>()),
                Field::new("kind", shape_of::<'gc, StoredKind>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        self.name.save(out);
        self.version.save(out);
        self.kind.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<StoredShape, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let shape = StoredShape {
            name: fields.field(0)?,
            version: fields.field(1)?,
            kind: fields.field(2)?,
        };
        fields.end()?;
        Ok(shape)
    }
}

/// A variant with one field.
macro_rules! one {
    ($name:literal, $type:ty) => {
        Variant::new(
            $name,
            const { &[Field::new("0", shape_of::<'gc, $type>())] },
        )
    };
}

/// A variant with two fields.
macro_rules! two {
    ($name:literal, $first:ty, $second:ty) => {
        Variant::new(
            $name,
            const {
                &[
                    Field::new("0", shape_of::<'gc, $first>()),
                    Field::new("1", shape_of::<'gc, $second>()),
                ]
            },
        )
    };
}

impl<'gc> Saved<'gc> for StoredKind {
    const SHAPE: &'static Shape = &Shape::variants(
        "vivant_codec::Kind",
        const {
            &[
                one!("Primitive", u8),
                one!("Option", ShapeId),
                one!("Sequence", ShapeId),
                two!("Map", ShapeId, ShapeId),
                one!("Tuple", Vec<ShapeId>),
                two!("Array", ShapeId, u64),
                one!("Structure", Vec<StoredField>),
                one!("Enum", Vec<StoredVariant>),
                Variant::new("Opaque", &[]),
                one!("Reference", ShapeId),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        match self {
            StoredKind::Primitive(primitive) => {
                out.variant(0);
                (*primitive as u8).save(out);
            }
            StoredKind::Option(part) => {
                out.variant(1);
                part.save(out);
            }
            StoredKind::Sequence(part) => {
                out.variant(2);
                part.save(out);
            }
            StoredKind::Map(key, value) => {
                out.variant(3);
                key.save(out);
                value.save(out);
            }
            StoredKind::Tuple(parts) => {
                out.variant(4);
                parts.save(out);
            }
            StoredKind::Array(part, count) => {
                out.variant(5);
                part.save(out);
                count.save(out);
            }
            StoredKind::Structure(fields) => {
                out.variant(6);
                fields.save(out);
            }
            StoredKind::Enum(variants) => {
                out.variant(7);
                variants.save(out);
            }
            StoredKind::Opaque => out.variant(8),
            StoredKind::Reference(part) => {
                out.variant(9);
                part.save(out);
            }
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<StoredKind, LoadError> {
        let (variant, mut fields) = input.variant(Self::SHAPE)?;
        let kind = match variant {
            0 => {
                let number: u8 = fields.field(0)?;
                match Primitive::ALL.get(usize::from(number)) {
                    Some(primitive) => StoredKind::Primitive(*primitive),
                    None => {
                        let why = format!("there is no primitive kind {number}");
                        return Err(fields.input().error(why));
                    }
                }
            }
            1 => StoredKind::Option(fields.field(0)?),
            2 => StoredKind::Sequence(fields.field(0)?),
            3 => StoredKind::Map(fields.field(0)?, fields.field(1)?),
            4 => StoredKind::Tuple(fields.field(0)?),
            5 => StoredKind::Array(fields.field(0)?, fields.field(1)?),
            6 => StoredKind::Structure(fields.field(0)?),
            7 => StoredKind::Enum(fields.field(0)?),
            8 => StoredKind::Opaque,
            _ => StoredKind::Reference(fields.field(0)?),
        };
        fields.end()?;
        Ok(kind)
    }
}

/// Name, shape.
impl<'gc> Saved<'gc> for StoredField {
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant_codec::Field",
        const {
            &[
                Field::new("name", shape_of::<'gc, String>()),
                Field::new("shape", shape_of::<'gc, ShapeId>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        self.name.save(out);
        self.shape.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<StoredField, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let field = StoredField {
            name: fields.field(0)?,
            shape: fields.field(1)?,
        };
        fields.end()?;
        Ok(field)
    }
}

/// Name, fields.
impl<'gc> Saved<'gc> for StoredVariant {
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant_codec::Variant",
        const {
            &[
                Field::new("name", shape_of::<'gc, String>()),
                Field::new("fields", shape_of::<'gc, Vec<StoredField>>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        self.name.save(out);
        self.fields.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<StoredVariant, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let variant = StoredVariant {
            name: fields.field(0)?,
            fields: fields.field(1)?,
        };
        fields.end()?;
        Ok(variant)
    }
}
