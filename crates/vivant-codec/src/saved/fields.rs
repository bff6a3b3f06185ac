//! [`Fields`]: the fields of a structure or of a variant, as they are read.

use crate::errors::load_error::{LoadError, LoadErrorKind};
use crate::saved::decoder::Decoder;
use crate::saved::old::{BegunField, OldFields};
use crate::saved::saved_trait::Saved;
use crate::shape::{Field, Kind, Shape, Variant};
use crate::table::stored::ShapeId;

/// The fields of a structure or of a variant. They are read in the order of the shape, each once,
/// and then [`end`](Fields::end) is called.
#[derive(Debug)]
pub struct Fields<'d, 'gc, 'a> {
    input: &'d mut Decoder<'gc, 'a>,
    shape: &'static Shape,
    variant: Option<&'static Variant>,
    /// The fields of a file, if they differ. They are seldom there, and a pointer fits into a
    /// register.
    old: Option<Box<OldFields<'a>>>,
}

/// The parts of a tuple.
#[derive(Debug)]
pub(crate) struct Parts<'d, 'gc, 'a> {
    input: &'d mut Decoder<'gc, 'a>,
    /// The shapes of a file, if they differ.
    stored: Option<&'a [ShapeId]>,
}

impl<'d, 'gc, 'a> Parts<'d, 'gc, 'a> {
    #[inline]
    pub(crate) fn new(
        input: &'d mut Decoder<'gc, 'a>,
        stored: Option<&'a [ShapeId]>,
    ) -> Parts<'d, 'gc, 'a> {
        Parts { input, stored }
    }

    #[inline]
    pub(crate) fn part<T: Saved<'gc>>(&mut self, index: usize) -> Result<T, LoadError> {
        let stored = self.stored.and_then(|stored| stored.get(index)).copied();
        self.input.part(stored, T::SHAPE, T::load)
    }
}

impl<'d, 'gc, 'a> Fields<'d, 'gc, 'a> {
    #[inline]
    pub(crate) fn new(
        input: &'d mut Decoder<'gc, 'a>,
        shape: &'static Shape,
        variant: Option<&'static Variant>,
        old: Option<Box<OldFields<'a>>>,
    ) -> Fields<'d, 'gc, 'a> {
        Fields {
            input,
            shape,
            variant,
            old,
        }
    }

    /// Reads a field; `index` is its place in the shape.
    ///
    /// # Errors
    ///
    /// The bytes are no value of `T`, or the file was written without this field.
    #[inline]
    pub fn field<T: Saved<'gc>>(&mut self, index: usize) -> Result<T, LoadError> {
        self.part(index, T::SHAPE, T::load)
    }

    /// Reads a field, or makes its value if the file was written without it.
    ///
    /// # Errors
    ///
    /// The bytes are no value of `T`.
    #[inline]
    pub fn field_or<T: Saved<'gc>>(
        &mut self,
        index: usize,
        default: impl FnOnce() -> T,
    ) -> Result<T, LoadError> {
        self.part_or(index, T::SHAPE, T::load, default)
    }

    /// As [`Fields::field`], without a bound: `#[derive(Saved)]` names the type's impl.
    #[doc(hidden)]
    #[inline]
    pub fn part<T>(
        &mut self,
        index: usize,
        shape: &'static Shape,
        load: impl FnOnce(&mut Decoder<'gc, 'a>) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        let begun = match &mut self.old {
            None => None,
            Some(_) => match self.begin_old(index, shape) {
                Ok(Some(begun)) => Some(begun),
                Ok(None) => return Err(self.missing(index)),
                Err(error) => return Err(self.within(error, index)),
            },
        };
        let loaded = load(self.input);
        if let Some(begun) = begun {
            begun.end(self.input);
        }
        match loaded {
            Ok(value) => Ok(value),
            Err(error) => Err(within(error, self.shape, self.variant, index)),
        }
    }

    /// As [`Fields::field_or`], without a bound.
    #[doc(hidden)]
    #[inline]
    pub fn part_or<T>(
        &mut self,
        index: usize,
        shape: &'static Shape,
        load: impl FnOnce(&mut Decoder<'gc, 'a>) -> Result<T, LoadError>,
        default: impl FnOnce() -> T,
    ) -> Result<T, LoadError> {
        let begun = match &mut self.old {
            None => None,
            Some(_) => match self.begin_old(index, shape) {
                Ok(Some(begun)) => Some(begun),
                Ok(None) => return Ok(default()),
                Err(error) => return Err(self.within(error, index)),
            },
        };
        let loaded = load(self.input);
        if let Some(begun) = begun {
            begun.end(self.input);
        }
        match loaded {
            Ok(value) => Ok(value),
            Err(error) => Err(within(error, self.shape, self.variant, index)),
        }
    }

    #[cold]
    fn begin_old(
        &mut self,
        index: usize,
        shape: &'static Shape,
    ) -> Result<Option<Box<BegunField<'a>>>, LoadError> {
        match &mut self.old {
            None => Ok(None),
            Some(old) => old.begin_field(index, self.input, shape),
        }
    }

    #[cold]
    fn missing(&self, index: usize) -> LoadError {
        let error = self.input.input.error(LoadErrorKind::MissingField);
        self.within(error, index)
    }

    #[cold]
    fn within(&self, error: LoadError, index: usize) -> LoadError {
        within(error, self.shape, self.variant, index)
    }

    /// All fields have been read.
    ///
    /// # Errors
    ///
    /// What the file has besides these fields is not what its shapes say.
    #[inline]
    pub fn end(self) -> Result<(), LoadError> {
        match self.old {
            None => Ok(()),
            Some(mut old) => old.end(self.input),
        }
    }

    /// An error for a number that stands for no variant.
    #[doc(hidden)]
    #[cold]
    pub fn no_variant(&self) -> LoadError {
        self.input.error("a variant without a number")
    }

    /// The decoder, for an error of the type's own.
    pub fn input(&self) -> &Decoder<'gc, 'a> {
        self.input
    }
}

/// The error in a field of this shape or variant. Its arguments are no `Fields`, which can so stay
/// in registers.
#[cold]
fn within(
    error: LoadError,
    shape: &'static Shape,
    variant: Option<&'static Variant>,
    index: usize,
) -> LoadError {
    let fields = match (variant, shape.kind()) {
        (Some(variant), _) => variant.fields(),
        (None, Kind::Structure(fields)) => *fields,
        _ => &[],
    };
    let field = fields.get(index).map_or("?", Field::name);
    match variant {
        Some(variant) => error.within(shape.name(), format!("{}.{field}", variant.name())),
        None => error.within(shape.name(), field),
    }
}
