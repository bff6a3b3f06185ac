//! [`Decoder`]: reads values from bytes that may be wrong.

use crate::bytes::reader::Reader;
use crate::errors::load_error::{LoadError, LoadErrorKind};
use crate::limits::{DEPTH_MAX, EMPTY_ELEMENTS_MAX};
use crate::saved::contexts::Contexts;
use crate::saved::fields::{Fields, Parts};
use crate::saved::old::Old;
use crate::saved::saved_trait::{Saved, reserved};
use crate::shape::{Kind, Shape};
use crate::table::comparison::Comparison;
use crate::table::stored::ShapeId;
use crate::walk::walker::Steps;
use std::any::Any;
use std::borrow::Cow;
use std::marker::PhantomData;

/// The bytes of a value as they are read.
///
/// `'gc` is the brand of the heap to which loaded references belong. A decoder is bound to one
/// brand, and hands its contexts only to code that knows their type.
#[derive(Debug)]
pub struct Decoder<'gc, 'a> {
    pub(crate) input: Reader<'a>,
    depth: u32,
    empty_elements: usize,
    contexts: Contexts<'a>,
    /// What is read next is of this shape of a file, which differs from the program's.
    pub(crate) old: Option<Old<'a>>,
    /// What skipping may cost.
    pub(crate) steps: Option<Steps>,
    /// Invariant: a brand is neither longer nor shorter than it is.
    brand: PhantomData<fn(&'gc ()) -> &'gc ()>,
}

impl<'gc, 'a> Decoder<'gc, 'a> {
    /// Reads bytes that were written with the same shapes.
    pub fn new(bytes: &'a [u8]) -> Decoder<'gc, 'a> {
        Decoder {
            input: Reader::new(bytes),
            depth: 0,
            empty_elements: 0,
            contexts: Contexts::default(),
            old: None,
            steps: None,
            brand: PhantomData,
        }
    }

    /// What types of a runtime need besides the bytes; each finds its own by
    /// [`context`](Decoder::context).
    #[must_use]
    pub fn with_contexts(self, contexts: &'a [&'a dyn Any]) -> Decoder<'gc, 'a> {
        Decoder {
            contexts: Contexts::new(contexts),
            ..self
        }
    }

    /// The context of this type, if the decoder has one.
    pub fn context<C: 'static>(&self) -> Option<&'a C> {
        self.contexts.get()
    }

    /// A decoder of other bytes, which were written with the same shapes, with the same contexts
    /// and of the same brand.
    #[must_use]
    pub fn another(&self, bytes: &'a [u8]) -> Decoder<'gc, 'a> {
        Decoder {
            contexts: self.contexts,
            ..Decoder::new(bytes)
        }
    }

    /// The number of bytes that have been read.
    pub fn offset(&self) -> usize {
        self.input.offset()
    }

    /// Checks that all bytes have been read.
    ///
    /// # Errors
    ///
    /// Bytes follow the last value.
    pub fn finish(self) -> Result<(), LoadError> {
        match self.input.left() {
            0 => Ok(()),
            left => Err(self.input.error(LoadErrorKind::TrailingBytes(left))),
        }
    }

    /// An error at this place, for a type's own `load`.
    #[cold]
    pub fn error(&self, why: impl Into<Cow<'static, str>>) -> LoadError {
        self.input.error(LoadErrorKind::Other(why.into()))
    }

    /// Begins a structure.
    ///
    /// # Errors
    ///
    /// The file has another type here.
    ///
    /// # Panics
    ///
    /// `shape` is not that of a structure.
    #[inline]
    pub fn structure(&mut self, shape: &'static Shape) -> Result<Fields<'_, 'gc, 'a>, LoadError> {
        let Kind::Structure(fields) = shape.kind() else {
            panic!("`{}` is not a structure", shape.name())
        };
        let old = match self.old {
            None => None,
            Some(old) => Some(self.old_structure(old, shape, fields)?),
        };
        Ok(Fields::new(self, shape, None, old))
    }

    /// Begins an enum. Returns the number of the variant in `shape`, and its fields.
    ///
    /// # Errors
    ///
    /// The file has another type here, or there is no such variant.
    ///
    /// # Panics
    ///
    /// `shape` is not that of an enum.
    // In place the number of variants is a constant, and the fields of the variant need no memory.
    #[inline(always)]
    pub fn variant(
        &mut self,
        shape: &'static Shape,
    ) -> Result<(u32, Fields<'_, 'gc, 'a>), LoadError> {
        let Kind::Enum(variants) = shape.kind() else {
            panic!("`{}` is not an enum", shape.name())
        };
        let (number, old) = match self.old {
            None => (self.input.varint(32)? as u32, None),
            Some(old) => {
                let (number, old) = self.old_variant(old, shape, variants)?;
                (number, Some(old))
            }
        };
        match variants.get(number as usize) {
            Some(variant) => {
                let fields = Fields::new(self, shape, Some(variant), old);
                Ok((number, fields))
            }
            None => Err(self.no_variant(number, variants.len())),
        }
    }

    /// Reads what a reference is encoded as.
    ///
    /// # Errors
    ///
    /// The bytes are no such value, or the file has another type here.
    ///
    /// # Panics
    ///
    /// `shape` is not that of a reference.
    pub fn reference<T: Saved<'gc>>(&mut self, shape: &'static Shape) -> Result<T, LoadError> {
        let Kind::Reference(part, _) = shape.kind() else {
            panic!("`{}` is not a reference", shape.name())
        };
        match self.old {
            None => T::load(self),
            Some(old) => {
                let stored = self.old_reference(old, shape)?;
                self.part(stored, part.get(), T::load)
            }
        }
    }

    #[cold]
    pub(crate) fn no_variant(&self, number: u32, variants: usize) -> LoadError {
        let kind = LoadErrorKind::NoVariant { number, variants };
        self.input.error_before(1, kind)
    }

    /// Whether there is a value, and the value.
    #[inline]
    pub(crate) fn option<T: Saved<'gc>>(
        &mut self,
        shape: &'static Shape,
    ) -> Result<Option<T>, LoadError> {
        let stored = match self.old {
            None => None,
            Some(old) => Some(self.old_option(old, shape)?),
        };
        match self.input.is_some()? {
            true => Ok(Some(self.part(stored, T::SHAPE, T::load)?)),
            false => Ok(None),
        }
    }

    /// Begins a tuple.
    #[inline]
    pub(crate) fn tuple(&mut self, shape: &'static Shape) -> Result<Parts<'_, 'gc, 'a>, LoadError> {
        let stored = match self.old {
            None => None,
            Some(old) => Some(self.old_tuple(old, shape)?),
        };
        Ok(Parts::new(self, stored))
    }

    /// The elements of an array.
    #[inline]
    pub(crate) fn array<T: Saved<'gc>, const N: usize>(
        &mut self,
        shape: &'static Shape,
    ) -> Result<[T; N], LoadError> {
        let stored = match self.old {
            None => None,
            Some(old) => Some(self.old_array(old, N, shape)?),
        };
        self.part(stored, T::SHAPE, T::load_array)
    }

    /// Bytes without a shape.
    #[cfg(feature = "serde")]
    pub(crate) fn opaque(&mut self, shape: &'static Shape) -> Result<&'a [u8], LoadError> {
        if let Some(old) = self.old {
            self.old_opaque(old, shape)?;
        }
        self.input.counted()
    }

    /// Reads a value of its own from `bytes`, with what is left of the limits.
    #[cfg(feature = "serde")]
    pub(crate) fn inside<T>(
        &mut self,
        bytes: &'a [u8],
        load: impl FnOnce(&mut Self) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        let outside = std::mem::replace(&mut self.input, Reader::new(bytes));
        let loaded = load(self).and_then(|value| match self.input.left() {
            0 => Ok(value),
            left => Err(self.input.error(LoadErrorKind::TrailingBytes(left))),
        });
        self.input = outside;
        loaded
    }

    /// Reads a value that is one level of nesting deeper, as [`Encoder::nested`] wrote it.
    ///
    /// [`Encoder::nested`]: crate::Encoder::nested
    ///
    /// # Errors
    ///
    /// The value is nested too deeply, or `load` fails.
    #[inline]
    pub fn nested<T>(
        &mut self,
        load: impl FnOnce(&mut Self) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        if self.depth == DEPTH_MAX {
            return Err(self.input.error(LoadErrorKind::TooDeep));
        }
        self.depth += 1;
        let loaded = load(self);
        self.depth -= 1;
        loaded
    }

    /// Reads elements as [`Encoder::sequence`] wrote them.
    ///
    /// [`Encoder::sequence`]: crate::Encoder::sequence
    ///
    /// # Errors
    ///
    /// The bytes are no such elements.
    pub fn sequence<T: Saved<'gc>>(&mut self) -> Result<Vec<T>, LoadError> {
        let stored = match self.old {
            None => None,
            Some(old) => Some(self.old_sequence(old)?),
        };
        self.elements(|count, input| {
            input.part(stored, T::SHAPE, |input| T::load_all(count, input))
        })
    }

    /// Reads keys and values as [`Encoder::map`] wrote them.
    ///
    /// [`Encoder::map`]: crate::Encoder::map
    ///
    /// # Errors
    ///
    /// The bytes are no such pairs.
    pub fn map<K: Saved<'gc>, V: Saved<'gc>>(&mut self) -> Result<Vec<(K, V)>, LoadError> {
        let (stored_key, stored_value) = match self.old {
            None => (None, None),
            Some(old) => {
                let (key, value) = self.old_map(old)?;
                (Some(key), Some(value))
            }
        };
        self.elements(|count, input| {
            let mut pairs = reserved(count);
            for _ in 0..count {
                let key = input.part(stored_key, K::SHAPE, K::load)?;
                pairs.push((key, input.part(stored_value, V::SHAPE, V::load)?));
            }
            Ok(pairs)
        })
    }

    /// A number, and that many elements, which `load` reads.
    #[inline]
    pub(crate) fn elements<T>(
        &mut self,
        load: impl FnOnce(usize, &mut Self) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        let count = self.input.varint(64)?;
        let left = self.input.left();
        let empty_max = EMPTY_ELEMENTS_MAX - self.empty_elements;
        let count = match usize::try_from(count) {
            Ok(number) if number.saturating_sub(left) <= empty_max => number,
            _ => return Err(self.too_long(count)),
        };
        self.nested(|input| {
            let start = input.input.offset();
            let loaded = load(count, input)?;
            let bytes = input.input.offset() - start;
            if bytes < count {
                input.charge(count - bytes)?;
            }
            Ok(loaded)
        })
    }

    #[cold]
    fn too_long(&self, elements: u64) -> LoadError {
        let bytes = self.input.left();
        self.input.error(LoadErrorKind::TooLong { elements, bytes })
    }

    /// Counts elements without bytes.
    #[cold]
    fn charge(&mut self, empty: usize) -> Result<(), LoadError> {
        match EMPTY_ELEMENTS_MAX - self.empty_elements < empty {
            true => Err(self.input.error(LoadErrorKind::TooManyEmptyElements)),
            false => {
                self.empty_elements += empty;
                Ok(())
            }
        }
    }
}

/// The value of bytes that were written with the same shapes, without contexts.
///
/// ```
/// assert_eq!(vivant_codec::from_bytes::<Option<i8>>(&[1, 0xff])?, Some(-1));
/// assert!(vivant_codec::from_bytes::<Option<i8>>(&[1, 0xff, 0]).is_err());
/// # Ok::<(), vivant_codec::LoadError>(())
/// ```
///
/// # Errors
///
/// The bytes are not those of one value of this type.
pub fn from_bytes<'gc, T: Saved<'gc>>(bytes: &[u8]) -> Result<T, LoadError> {
    let mut input = Decoder::new(bytes);
    let value = T::load(&mut input)?;
    input.finish()?;
    Ok(value)
}

/// The value of bytes that were written with the shapes of a file, without contexts.
///
/// # Errors
///
/// The bytes are not those of one value of this shape, or the program's type has changed in a way
/// that needs a word from its author; the error says which.
pub fn load_stored<'gc, T: Saved<'gc>>(
    bytes: &[u8],
    comparison: &Comparison<'_>,
    shape: ShapeId,
) -> Result<T, LoadError> {
    let mut input = Decoder::new(bytes);
    let value = input.stored(comparison, shape)?;
    input.finish()?;
    Ok(value)
}
