//! [`Walker`]: goes through a value by the shapes of its file.
//!
//! It keeps its own stack, so it does not recurse. Values of hostile shapes may have more parts
//! than bytes, or contain themselves without any byte: the walker counts its steps, and frames.

use crate::bytes::reader::Reader;
use crate::errors::load_error::{LoadError, LoadErrorKind};
use crate::shape::primitive::Primitive;
use crate::table::shapes::Shapes;
use crate::table::stored::{ShapeId, StoredField, StoredKind, StoredShape};

/// Frames of a walk: [`DEPTH_MAX`](crate::DEPTH_MAX) levels, with structures and options within
/// structures between them.
const FRAMES_MAX: usize = 4096;

/// Steps of a walk that any value may take.
const STEPS_MIN: u64 = 1 << 20;
/// Steps for each byte of the value: fields without bytes, structures within structures.
const STEPS_PER_BYTE: u64 = 256;

/// What [`walk`](crate::walk()) meets, in the order of the bytes. Names are those of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<'s, 'a> {
    /// The field of this name follows. Fields without a name are `0`, `1` …
    Field(&'s str),
    /// The key of a map's pair follows.
    Key,
    /// The value of a map's pair follows.
    Value,
    /// Parts follow, up to the matching `End`.
    Begin(Group<'s>),
    /// The group has no more parts.
    End(Group<'s>),
    /// An option without a value.
    None,
    /// A `bool`.
    Bool(bool),
    /// An integer of an unsigned type.
    Unsigned(u128),
    /// An integer of a signed type.
    Signed(i128),
    /// An `f32`.
    F32(f32),
    /// An `f64`.
    F64(f64),
    /// A `char`.
    Char(char),
    /// A text.
    Text(&'a str),
    /// A sequence of `u8`.
    Bytes(&'a [u8]),
    /// Bytes of serde, without a shape.
    Opaque(&'a [u8]),
}

/// A value with parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group<'s> {
    /// The value of an option.
    Some,
    /// A sequence of primitive values.
    Row,
    /// A sequence of other values.
    Sequence,
    /// A map: for each pair `Key`, the key, `Value`, the value.
    Map,
    /// A tuple or an array.
    Tuple,
    /// A struct of this name, with a `Field` before each part.
    Structure(&'s str),
    /// A variant of an enum, with a `Field` before each part.
    Variant {
        /// The name of the enum.
        of: &'s str,
        /// The number of the variant.
        number: u32,
        /// The name of the variant.
        variant: &'s str,
    },
    /// A reference of this name, with one part that says to what.
    Reference(&'s str),
}

/// The part of a group that comes next.
enum Frame<'s> {
    Same {
        shape: ShapeId,
        left: u64,
    },
    Pairs {
        key: ShapeId,
        value: ShapeId,
        left: u64,
        is_value_next: bool,
    },
    Fields(&'s [StoredField]),
    Parts(&'s [ShapeId]),
}

/// The number of steps that walks through a value may take.
#[derive(Debug)]
pub(crate) struct Steps(u64);

impl Steps {
    /// The steps for a value of `bytes` bytes.
    pub(crate) fn of(bytes: usize) -> Steps {
        Steps(STEPS_MIN.saturating_add((bytes as u64).saturating_mul(STEPS_PER_BYTE)))
    }
}

/// A walk through one value.
pub(crate) struct Walker<'s, 'a, 'w> {
    shapes: &'s Shapes,
    input: &'w mut Reader<'a>,
    steps: &'w mut Steps,
    frames: Vec<(Group<'s>, Frame<'s>)>,
}

impl<'s, 'a, 'w> Walker<'s, 'a, 'w> {
    pub(crate) fn new(
        shapes: &'s Shapes,
        input: &'w mut Reader<'a>,
        steps: &'w mut Steps,
    ) -> Walker<'s, 'a, 'w> {
        Walker {
            shapes,
            input,
            steps,
            frames: Vec::new(),
        }
    }

    /// Walks through the value. What it meets goes to `visit`.
    pub(crate) fn walk<E: From<LoadError>>(
        mut self,
        shape: ShapeId,
        visit: &mut impl FnMut(Event<'s, 'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.value(shape, visit)?;
        while let Some((group, frame)) = self.frames.last_mut() {
            match frame.next() {
                Some((label, shape)) => {
                    if let Some(label) = label {
                        visit(label)?;
                    }
                    self.value(shape, visit)?;
                }
                None => {
                    visit(Event::End(*group))?;
                    self.frames.pop();
                }
            }
        }
        Ok(())
    }

    /// A value without parts, or the begin of a group.
    fn value<E: From<LoadError>>(
        &mut self,
        shape: ShapeId,
        visit: &mut impl FnMut(Event<'s, 'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.steps.0.checked_sub(1) {
            Some(left) => self.steps.0 = left,
            None => return Err(self.input.error(LoadErrorKind::TooManySteps).into()),
        }
        let Some(shape) = self.shapes.get(shape) else {
            return Err(self.input.error(LoadErrorKind::NoShape(shape.0)).into());
        };
        let group = match &shape.kind {
            StoredKind::Primitive(primitive) => return visit(self.primitive(*primitive)?),
            StoredKind::Opaque => return visit(Event::Opaque(self.input.counted()?)),
            StoredKind::Option(part) => match self.input.is_some()? {
                true => (Group::Some, Frame::same(*part, 1)),
                false => return visit(Event::None),
            },
            StoredKind::Sequence(part) => {
                let group = match self.shapes.get(*part).map(|part| &part.kind) {
                    Some(StoredKind::Primitive(Primitive::U8)) => {
                        return visit(Event::Bytes(self.input.counted()?));
                    }
                    Some(StoredKind::Primitive(_)) => Group::Row,
                    _ => Group::Sequence,
                };
                (group, Frame::same(*part, self.input.varint(64)?))
            }
            StoredKind::Map(key, value) => {
                let count = self.input.varint(64)?;
                let pairs = Frame::Pairs {
                    key: *key,
                    value: *value,
                    left: count,
                    is_value_next: false,
                };
                (Group::Map, pairs)
            }
            StoredKind::Tuple(parts) => (Group::Tuple, Frame::Parts(parts)),
            StoredKind::Array(part, count) => (Group::Tuple, Frame::same(*part, *count)),
            StoredKind::Structure(fields) => (Group::Structure(&shape.name), Frame::Fields(fields)),
            StoredKind::Enum(_) => self.variant(shape)?,
            StoredKind::Reference(part) => (Group::Reference(&shape.name), Frame::same(*part, 1)),
        };
        if self.frames.len() == FRAMES_MAX {
            return Err(self.input.error(LoadErrorKind::TooDeep).into());
        }
        visit(Event::Begin(group.0))?;
        self.frames.push(group);
        Ok(())
    }

    fn variant(&mut self, shape: &'s StoredShape) -> Result<(Group<'s>, Frame<'s>), LoadError> {
        let number = self.input.varint(32)? as u32;
        let variants = match &shape.kind {
            StoredKind::Enum(variants) => variants.as_slice(),
            _ => &[],
        };
        let Some(variant) = variants.get(number as usize) else {
            let variants = variants.len();
            return Err(self
                .input
                .error(LoadErrorKind::NoVariant { number, variants }));
        };
        let (of, variant_name) = (&shape.name, &variant.name);
        let group = Group::Variant {
            of,
            number,
            variant: variant_name,
        };
        Ok((group, Frame::Fields(&variant.fields)))
    }

    fn primitive(&mut self, primitive: Primitive) -> Result<Event<'s, 'a>, LoadError> {
        let input = &mut *self.input;
        Ok(match primitive {
            Primitive::Bool => Event::Bool(input.bool()?),
            Primitive::U8 => Event::Unsigned(input.byte()?.into()),
            Primitive::U16 => Event::Unsigned(input.varint(16)?.into()),
            Primitive::U32 => Event::Unsigned(input.varint(32)?.into()),
            Primitive::U64 => Event::Unsigned(input.varint(64)?.into()),
            Primitive::U128 => Event::Unsigned(input.varint_128()?),
            Primitive::I8 => Event::Signed((input.byte()? as i8).into()),
            Primitive::I16 => Event::Signed(input.zigzag(16)?.into()),
            Primitive::I32 => Event::Signed(input.zigzag(32)?.into()),
            Primitive::I64 => Event::Signed(input.zigzag(64)?.into()),
            Primitive::I128 => Event::Signed(input.zigzag_128()?),
            Primitive::F32 => Event::F32(f32::from_le_bytes(input.array()?)),
            Primitive::F64 => Event::F64(f64::from_le_bytes(input.array()?)),
            Primitive::Char => Event::Char(input.char()?),
            Primitive::Text => Event::Text(input.text()?),
        })
    }
}

impl<'s> Frame<'s> {
    fn same(shape: ShapeId, left: u64) -> Frame<'s> {
        Frame::Same { shape, left }
    }

    /// The next part, and what it is.
    fn next<'a>(&mut self) -> Option<(Option<Event<'s, 'a>>, ShapeId)> {
        match self {
            Frame::Same { shape, left } => {
                *left = left.checked_sub(1)?;
                Some((None, *shape))
            }
            Frame::Pairs {
                value,
                is_value_next,
                ..
            } if *is_value_next => {
                *is_value_next = false;
                Some((Some(Event::Value), *value))
            }
            Frame::Pairs {
                key,
                left,
                is_value_next,
                ..
            } => {
                *left = left.checked_sub(1)?;
                *is_value_next = true;
                Some((Some(Event::Key), *key))
            }
            Frame::Fields(fields) => {
                let (first, rest) = fields.split_first()?;
                *fields = rest;
                Some((Some(Event::Field(&first.name)), first.shape))
            }
            Frame::Parts(parts) => {
                let (first, rest) = parts.split_first()?;
                *parts = rest;
                Some((None, *first))
            }
        }
    }
}
