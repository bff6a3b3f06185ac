//! [`Fields`]: the fields of a structure or of a variant, as they are read.

use crate::errors::load_error::LoadError;
use crate::saved::decoder::Decoder;
use crate::saved::saved_trait::Saved;
use crate::shape::{Field, Shape, Variant};

/// The fields of a structure or of a variant. They are read in the order of the shape, each once,
/// and then [`end`](Fields::end) is called.
#[derive(Debug)]
pub struct Fields<'d, 'gc, 'a> {
    input: &'d mut Decoder<'gc, 'a>,
    shape: &'static Shape,
    variant: Option<&'static Variant>,
    fields: &'static [Field],
}

/// The parts of a tuple.
#[derive(Debug)]
pub(crate) struct Parts<'d, 'gc, 'a> {
    input: &'d mut Decoder<'gc, 'a>,
}

impl<'d, 'gc, 'a> Parts<'d, 'gc, 'a> {
    #[inline]
    pub(crate) fn new(input: &'d mut Decoder<'gc, 'a>) -> Parts<'d, 'gc, 'a> {
        Parts { input }
    }

    #[inline]
    pub(crate) fn part<T: Saved<'gc>>(&mut self, _index: usize) -> Result<T, LoadError> {
        T::load(self.input)
    }

    #[inline]
    pub(crate) fn end(self) {}
}

impl<'d, 'gc, 'a> Fields<'d, 'gc, 'a> {
    #[inline]
    pub(crate) fn new(
        input: &'d mut Decoder<'gc, 'a>,
        shape: &'static Shape,
        variant: Option<&'static Variant>,
        fields: &'static [Field],
    ) -> Fields<'d, 'gc, 'a> {
        Fields {
            input,
            shape,
            variant,
            fields,
        }
    }

    /// Reads a field; `index` is its place in the shape.
    ///
    /// # Errors
    ///
    /// The bytes are no value of `T`, or the file was written without this field.
    #[inline]
    pub fn field<T: Saved<'gc>>(&mut self, index: usize) -> Result<T, LoadError> {
        T::load(self.input).map_err(|error| self.within(error, index))
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
        let _ = default;
        self.field(index)
    }

    /// All fields have been read.
    ///
    /// # Errors
    ///
    /// What the file has besides these fields is not what its shapes say.
    #[inline]
    pub fn end(self) -> Result<(), LoadError> {
        Ok(())
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

    #[cold]
    fn within(&self, error: LoadError, index: usize) -> LoadError {
        let field = self.fields.get(index).map_or("?", Field::name);
        match self.variant {
            Some(variant) => error.within(self.shape.name(), format!("{}.{field}", variant.name())),
            None => error.within(self.shape.name(), field),
        }
    }
}
