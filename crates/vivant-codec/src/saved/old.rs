//! Values of a file of which the shapes differ from the program's: they are read by name.
//!
//! While a decoder has an [`Old`], each `load` compares the shape of the file at this place with
//! its own. Below a pair of equal shapes the decoder has none, and reads without comparing.

use crate::errors::load_error::{LoadError, LoadErrorKind};
use crate::saved::decoder::Decoder;
use crate::saved::saved_trait::Saved;
use crate::shape::primitive::Primitive;
use crate::shape::{Field, Kind, Shape, Variant};
use crate::table::comparison::{Comparison, Plan};
use crate::table::stored::{ShapeId, StoredField, StoredKind, StoredShape};
use crate::walk::skip::skip_value;
use crate::walk::walker::Steps;

/// The shape of a file at the place of a decoder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Old<'a> {
    comparison: &'a Comparison<'a>,
    shape: ShapeId,
    name: NameCheck,
}

/// Whether the name of a type must be one of the program's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameCheck {
    Compared,
    /// It is an older version, of which the type has a name of its own.
    AlreadyKnown,
}

/// The fields of a structure or variant of a file.
#[derive(Debug)]
pub(crate) struct OldFields<'a> {
    old: Old<'a>,
    stored: &'a [StoredField],
    plan: Plan,
    /// The offset of each field that was read or skipped. The next field begins where the decoder
    /// is.
    passed: Vec<usize>,
}

/// A field that is read.
#[derive(Debug)]
pub(crate) struct BegunField<'a> {
    /// The shape outside of the field.
    outside: Option<Old<'a>>,
    /// Where the decoder continues, if it has gone back for the field.
    next: Option<usize>,
}

impl<'gc, 'a> Decoder<'gc, 'a> {
    /// Reads a value that was written with the shapes of a file.
    ///
    /// # Errors
    ///
    /// As [`load_stored`](crate::load_stored), without the end of the bytes.
    pub fn stored<T: Saved<'gc>>(
        &mut self,
        comparison: &'a Comparison<'a>,
        shape: ShapeId,
    ) -> Result<T, LoadError> {
        self.stored_by(comparison, shape, T::SHAPE, T::load)
    }

    /// As [`stored`](Decoder::stored), by the shape and the function of a type.
    ///
    /// # Errors
    ///
    /// As there.
    #[doc(hidden)]
    pub fn stored_by<T>(
        &mut self,
        comparison: &'a Comparison<'a>,
        shape: ShapeId,
        current: &'static Shape,
        load: impl FnOnce(&mut Self) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        let before = self.old;
        let is_equal = comparison.is_equal(shape, current);
        self.old = (!is_equal).then_some(Old {
            comparison,
            shape,
            name: NameCheck::Compared,
        });
        let loaded = load(self);
        self.old = before;
        loaded
    }

    /// Reads a part: of the stored shape, if what it is a part of is read by name. Its code exists
    /// for each type, so what is seldom done is elsewhere.
    #[inline]
    pub(crate) fn part<T>(
        &mut self,
        stored: Option<ShapeId>,
        current: &'static Shape,
        load: impl FnOnce(&mut Self) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        let before = stored.map(|shape| self.enter_part(shape, current));
        let loaded = load(self);
        if let Some(before) = &before {
            self.leave_part(before);
        }
        loaded
    }

    /// The decoder is at a part of this stored shape. Returns what `leave_part` gets.
    #[cold]
    fn enter_part(&mut self, shape: ShapeId, current: &'static Shape) -> Box<Option<Old<'a>>> {
        Box::new(self.go_to_part(shape, current))
    }

    fn go_to_part(&mut self, shape: ShapeId, current: &'static Shape) -> Option<Old<'a>> {
        let before = self.old;
        self.old = before.and_then(|old| old.part(shape, current));
        before
    }

    #[cold]
    fn leave_part(&mut self, before: &Option<Old<'a>>) {
        self.old = *before;
    }

    /// The version of the file, if it is another than the program's.
    #[doc(hidden)]
    pub fn other_version(&self, shape: &'static Shape) -> Option<u32> {
        let stored = self.old?.stored()?;
        (stored.version != shape.version() && shape.is_named(&stored.name))
            .then_some(stored.version)
    }

    /// Reads an older version of the type with this shape.
    #[doc(hidden)]
    pub fn earlier<T: Saved<'gc>>(&mut self, shape: &'static Shape) -> Result<T, LoadError> {
        debug_assert!(self.other_version(shape).is_some());
        let before = self.old;
        self.old = before.map(|old| Old {
            name: NameCheck::AlreadyKnown,
            ..old
        });
        let loaded = T::load(self);
        self.old = before;
        loaded
    }

    #[cold]
    pub(crate) fn old_structure(
        &mut self,
        old: Old<'a>,
        shape: &'static Shape,
        fields: &'static [Field],
    ) -> Result<Box<OldFields<'a>>, LoadError> {
        match old.stored() {
            Some(StoredShape {
                kind: StoredKind::Structure(stored),
                ..
            }) => {
                self.check_name(old, shape)?;
                let plan = old
                    .comparison
                    .plan((old.shape, None), stored, shape, fields);
                Ok(OldFields::new(old, stored, plan))
            }
            _ => Err(self.other_type(old, shape)),
        }
    }

    /// The number of the variant in the program's shape, and its fields in the file.
    #[cold]
    pub(crate) fn old_variant(
        &mut self,
        old: Old<'a>,
        shape: &'static Shape,
        variants: &'static [Variant],
    ) -> Result<(u32, Box<OldFields<'a>>), LoadError> {
        let Some(StoredShape {
            kind: StoredKind::Enum(stored),
            ..
        }) = old.stored()
        else {
            return Err(self.other_type(old, shape));
        };
        self.check_name(old, shape)?;
        let number = self.input.varint(32)? as u32;
        let Some(stored) = stored.get(number as usize) else {
            return Err(self.no_variant(number, stored.len()));
        };
        let by_name = variants.iter().position(|it| it.name() == stored.name);
        let place = by_name.or_else(|| variants.iter().position(|it| it.is_named(&stored.name)));
        let Some(place) = place else {
            let kind = LoadErrorKind::GoneVariant(stored.name.escape_debug().to_string());
            let name = stored.name.escape_debug().to_string();
            return Err(self.input.error(kind).within(shape.name(), name));
        };
        let fields = variants[place].fields();
        let stored_variant = (old.shape, Some(number));
        let plan = old
            .comparison
            .plan(stored_variant, &stored.fields, shape, fields);
        Ok((place as u32, OldFields::new(old, &stored.fields, plan)))
    }

    #[cold]
    pub(crate) fn old_reference(
        &mut self,
        old: Old<'a>,
        shape: &'static Shape,
    ) -> Result<Option<ShapeId>, LoadError> {
        match old.stored() {
            Some(StoredShape {
                kind: StoredKind::Reference(part),
                ..
            }) => {
                self.check_name(old, shape)?;
                Ok(Some(*part))
            }
            _ => Err(self.other_type(old, shape)),
        }
    }

    #[cold]
    pub(crate) fn old_option(
        &mut self,
        old: Old<'a>,
        shape: &'static Shape,
    ) -> Result<ShapeId, LoadError> {
        match old.stored().map(|stored| &stored.kind) {
            Some(StoredKind::Option(part)) => Ok(*part),
            _ => Err(self.other_type(old, shape)),
        }
    }

    #[cold]
    pub(crate) fn old_tuple(
        &mut self,
        old: Old<'a>,
        shape: &'static Shape,
    ) -> Result<&'a [ShapeId], LoadError> {
        match (old.stored().map(|stored| &stored.kind), shape.kind()) {
            (Some(StoredKind::Tuple(parts)), Kind::Tuple(current))
                if parts.len() == current.len() =>
            {
                Ok(parts)
            }
            _ => Err(self.other_type(old, shape)),
        }
    }

    #[cold]
    pub(crate) fn old_array(
        &mut self,
        old: Old<'a>,
        count: usize,
        shape: &'static Shape,
    ) -> Result<ShapeId, LoadError> {
        match old.stored().map(|stored| &stored.kind) {
            Some(StoredKind::Array(part, stored)) if *stored == count as u64 => Ok(*part),
            _ => Err(self.other_type(old, shape)),
        }
    }

    #[cold]
    pub(crate) fn old_sequence(&mut self, old: Old<'a>) -> Result<ShapeId, LoadError> {
        match old.stored().map(|stored| &stored.kind) {
            Some(StoredKind::Sequence(part)) => Ok(*part),
            _ => Err(self.other(old, "a sequence".to_owned())),
        }
    }

    #[cold]
    pub(crate) fn old_map(&mut self, old: Old<'a>) -> Result<(ShapeId, ShapeId), LoadError> {
        match old.stored().map(|stored| &stored.kind) {
            Some(StoredKind::Map(key, value)) => Ok((*key, *value)),
            _ => Err(self.other(old, "a map".to_owned())),
        }
    }

    #[cfg(feature = "serde")]
    #[cold]
    pub(crate) fn old_opaque(
        &mut self,
        old: Old<'a>,
        shape: &'static Shape,
    ) -> Result<(), LoadError> {
        match old.stored().map(|stored| &stored.kind) {
            Some(StoredKind::Opaque) => Ok(()),
            _ => Err(self.other_type(old, shape)),
        }
    }

    /// The file has this kind here.
    #[cold]
    pub(crate) fn old_exactly(
        &mut self,
        old: Old<'a>,
        current: Primitive,
    ) -> Result<(), LoadError> {
        match old.stored().map(|stored| &stored.kind) {
            Some(StoredKind::Primitive(stored)) if *stored == current => Ok(()),
            _ => Err(self.other(old, format!("`{}`", current.name()))),
        }
    }

    /// The kind that the file has here, if each of its values is one of `current` too.
    #[cold]
    pub(crate) fn old_number(
        &mut self,
        old: Old<'a>,
        current: Primitive,
    ) -> Result<Primitive, LoadError> {
        match old.stored().map(|stored| &stored.kind) {
            Some(StoredKind::Primitive(stored)) if stored.fits_into(current) => Ok(*stored),
            _ => Err(self.other(old, format!("`{}`", current.name()))),
        }
    }

    /// The file has another type here.
    #[cold]
    pub(crate) fn other_type(&self, old: Old<'a>, shape: &'static Shape) -> LoadError {
        self.other(old, shape.description())
    }

    #[cold]
    fn other(&self, old: Old<'a>, expected: String) -> LoadError {
        let found = old.stored().map(StoredShape::description);
        match found {
            Some(found) => self
                .input
                .error(LoadErrorKind::OtherType { found, expected }),
            None => self.input.error(LoadErrorKind::NoShape(old.shape.0)),
        }
    }

    /// Name and version are those of the program.
    fn check_name(&self, old: Old<'a>, shape: &'static Shape) -> Result<(), LoadError> {
        let Some(stored) = old.stored() else {
            return Ok(());
        };
        if old.name == NameCheck::Compared && !shape.is_named(&stored.name) {
            return Err(self.other_type(old, shape));
        }
        match stored.version == shape.version() {
            true => Ok(()),
            false => Err(self.input.error(LoadErrorKind::OtherVersion {
                found: stored.version,
                expected: shape.version(),
            })),
        }
    }
}

impl<'a> Old<'a> {
    fn stored(self) -> Option<&'a StoredShape> {
        self.comparison.shapes().get(self.shape)
    }

    /// The shape of a part, if it differs from the program's.
    fn part(self, shape: ShapeId, current: &'static Shape) -> Option<Old<'a>> {
        let part = Old {
            shape,
            name: NameCheck::Compared,
            ..self
        };
        (!self.comparison.is_equal(shape, current)).then_some(part)
    }
}

impl<'a> BegunField<'a> {
    #[cold]
    pub(crate) fn end(&self, input: &mut Decoder<'_, 'a>) {
        input.leave_part(&self.outside);
        if let Some(next) = self.next {
            input.input.seek(next);
        }
    }
}

impl<'a> OldFields<'a> {
    fn new(old: Old<'a>, stored: &'a [StoredField], plan: Plan) -> Box<OldFields<'a>> {
        Box::new(OldFields {
            old,
            stored,
            plan,
            passed: Vec::new(),
        })
    }

    /// Begins field `index` of the program, if the file has it. Returns what ends it.
    #[cold]
    pub(crate) fn begin_field(
        &mut self,
        index: usize,
        input: &mut Decoder<'_, 'a>,
        current: &'static Shape,
    ) -> Result<Option<Box<BegunField<'a>>>, LoadError> {
        let Some(place) = self.plan.get(index).copied().flatten() else {
            return Ok(None);
        };
        let next = match self.passed.get(place) {
            Some(offset) => {
                let next = input.offset();
                input.input.seek(*offset);
                Some(next)
            }
            None => {
                self.skip_to(place, input)?;
                self.passed.push(input.offset());
                None
            }
        };
        let outside = input.go_to_part(self.stored[place].shape, current);
        Ok(Some(Box::new(BegunField { outside, next })))
    }

    /// Skips the fields that are left.
    #[cold]
    pub(crate) fn end(&mut self, input: &mut Decoder<'_, 'a>) -> Result<(), LoadError> {
        self.skip_to(self.stored.len(), input)
    }

    fn skip_to(&mut self, place: usize, input: &mut Decoder<'_, 'a>) -> Result<(), LoadError> {
        let bytes = input.input.len();
        while self.passed.len() < place {
            let shape = self.stored[self.passed.len()].shape;
            self.passed.push(input.offset());
            let steps = input.steps.get_or_insert_with(|| Steps::of(bytes));
            skip_value(self.old.comparison.shapes(), shape, &mut input.input, steps)?;
        }
        Ok(())
    }
}
