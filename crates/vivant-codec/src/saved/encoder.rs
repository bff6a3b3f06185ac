//! [`Encoder`]: collects the bytes of a value.

use crate::bytes::writer::Writer;
use crate::errors::save_error::{SaveError, SaveErrorKind};
use crate::limits::{DEPTH_MAX, EMPTY_ELEMENTS_MAX};
use crate::saved::contexts::Contexts;
use crate::saved::saved_trait::Saved;
use std::any::Any;
use std::borrow::Cow;
use std::cell::Cell;
use std::mem;

/// The bytes of a value as they are written.
///
/// It keeps the first error, so that `save` needs no `Result`; [`Encoder::finish`] returns it.
#[derive(Debug, Default)]
pub struct Encoder<'a> {
    pub(crate) out: Writer,
    depth: u32,
    empty_elements: usize,
    error: Option<Box<SaveError>>,
    contexts: Contexts<'a>,
    has_used_contexts: Cell<bool>,
}

/// An encoder with one context more. What it has goes back to the one around it, also on a panic.
struct Within<'o, 'a, 'i> {
    outer: &'o mut Encoder<'a>,
    inner: Encoder<'i>,
    is_done: bool,
}

impl Drop for Within<'_, '_, '_> {
    fn drop(&mut self) {
        let Within {
            outer,
            inner,
            is_done,
        } = self;
        outer.out = mem::take(&mut inner.out);
        outer.empty_elements = inner.empty_elements;
        outer.error = inner.error.take();
        outer.has_used_contexts = inner.has_used_contexts.clone();
        if !*is_done {
            outer.error("code that saves a part of the value has panicked");
        }
    }
}

/// The first capacity of a buffer, which most values do not outgrow.
const FIRST_BYTES: usize = 128;

impl<'a> Encoder<'a> {
    /// An encoder without contexts, with an empty buffer.
    pub fn new() -> Encoder<'a> {
        Encoder::default()
    }

    /// The encoder appends to `bytes`, so that one buffer can serve many values.
    #[must_use]
    pub fn append_to(self, bytes: Vec<u8>) -> Encoder<'a> {
        Encoder {
            out: Writer { bytes },
            ..self
        }
    }

    /// What types of a runtime need besides the value; each finds its own by
    /// [`context`](Encoder::context).
    #[must_use]
    pub fn with_contexts(self, contexts: &'a [&'a dyn Any]) -> Encoder<'a> {
        Encoder {
            contexts: Contexts::new(contexts),
            ..self
        }
    }

    /// The context of this type, if the encoder has one.
    pub fn context<C: 'static>(&self) -> Option<&'a C> {
        self.has_used_contexts.set(true);
        self.contexts.get()
    }

    /// As [`context`](Encoder::context), for a context that says the same whenever the value is
    /// encoded again: the bytes count as depending on the value alone.
    #[doc(hidden)]
    pub fn lasting_context<C: 'static>(&self) -> Option<&'a C> {
        self.contexts.get()
    }

    /// Whether a value has asked for a context, or for another encoder with the same ones, since
    /// the encoder was made. If none has, the bytes depend on the values alone.
    pub fn has_used_contexts(&self) -> bool {
        self.has_used_contexts.get()
    }

    /// What `save` appends is encoded with one context more, which hides one of the same type. If
    /// `save` panics, the encoder has an error.
    ///
    /// ```
    /// use vivant_codec::Encoder;
    ///
    /// let mut out = Encoder::new();
    /// out.in_context(&7_u64, |out| assert_eq!(out.context::<u64>(), Some(&7)));
    /// assert_eq!(out.context::<u64>(), None);
    /// ```
    pub fn in_context<R>(
        &mut self,
        context: &dyn Any,
        save: impl FnOnce(&mut Encoder<'_>) -> R,
    ) -> R {
        let (list, outer) = ([context], self.contexts);
        let inner = Encoder {
            out: mem::take(&mut self.out),
            error: self.error.take(),
            contexts: Contexts::within(&list, &outer),
            depth: self.depth,
            empty_elements: self.empty_elements,
            has_used_contexts: self.has_used_contexts.clone(),
        };
        let outer = self;
        let mut within = Within {
            outer,
            inner,
            is_done: false,
        };
        let result = save(&mut within.inner);
        within.is_done = true;
        result
    }

    /// An encoder with an empty buffer and the same contexts, for values that are not a part of
    /// this one.
    #[must_use]
    pub fn another(&self) -> Encoder<'a> {
        self.has_used_contexts.set(true);
        Encoder {
            contexts: self.contexts,
            ..Encoder::default()
        }
    }

    /// All bytes, or the first error.
    ///
    /// # Errors
    ///
    /// A part of the value could not be saved.
    pub fn finish(self) -> Result<Vec<u8>, SaveError> {
        match self.error {
            None => Ok(self.out.bytes),
            Some(error) => Err(*error),
        }
    }

    /// Ends a value. What is appended next has the limits of another value.
    ///
    /// # Errors
    ///
    /// A part of the value could not be saved.
    pub fn end_value(&mut self) -> Result<(), SaveError> {
        self.empty_elements = 0;
        match self.error.take() {
            None => Ok(()),
            Some(error) => Err(*error),
        }
    }

    /// The number of bytes, with those to which the encoder appends.
    pub fn bytes_written(&self) -> usize {
        self.out.bytes.len()
    }

    /// Notes that the value cannot be saved. Of several errors the first counts.
    pub fn error(&mut self, why: impl Into<Cow<'static, str>>) {
        self.fail(SaveErrorKind::Other(why.into()));
    }

    /// Whether an error has been noted. What is written from now on is not used.
    pub fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    #[cold]
    pub(crate) fn fail(&mut self, kind: SaveErrorKind) {
        let offset = self.out.bytes.len();
        self.error
            .get_or_insert_with(|| Box::new(SaveError::new(kind, offset)));
    }

    /// Begins a variant of an enum, of which the fields follow.
    ///
    /// `number` is that of the variant in the enum's shape, from 0 on.
    #[inline]
    pub fn variant(&mut self, number: u32) {
        self.out.varint(u64::from(number));
    }

    /// Appends a value that is one level of nesting deeper. Types that can contain values of their
    /// own type pass through here; at the limit of depth nothing is written.
    #[inline]
    pub fn nested(&mut self, save: impl FnOnce(&mut Self)) {
        match self.enter() {
            Ok(()) => {
                save(self);
                self.leave();
            }
            Err(kind) => self.fail(kind),
        }
    }

    /// Begins a level of nesting, which [`Encoder::leave`] ends.
    #[inline]
    pub(crate) fn enter(&mut self) -> Result<(), SaveErrorKind> {
        match self.depth == DEPTH_MAX {
            true => Err(SaveErrorKind::TooDeep),
            false => {
                self.depth += 1;
                Ok(())
            }
        }
    }

    #[inline]
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Appends the elements, and in front of them their number.
    pub fn sequence<'gc, 'v, T: Saved<'gc> + 'v>(
        &mut self,
        elements: impl ExactSizeIterator<Item = &'v T>,
    ) {
        self.elements(elements.len(), |out| {
            for element in elements {
                element.save(out);
            }
        });
    }

    /// Appends keys and values in turn, and in front of them the number of pairs.
    ///
    /// Equal maps have equal bytes only if the pairs come in the order of the keys.
    pub fn map<'gc, 'v, K: Saved<'gc> + 'v, V: Saved<'gc> + 'v>(
        &mut self,
        pairs: impl ExactSizeIterator<Item = (&'v K, &'v V)>,
    ) {
        self.elements(pairs.len(), |out| {
            for (key, value) in pairs {
                key.save(out);
                value.save(out);
            }
        });
    }

    /// Appends a number, and that many elements or pairs, which `save` appends. They are one level
    /// of nesting deeper.
    ///
    /// ```
    /// use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, from_bytes, shape_of, to_bytes};
    ///
    /// /// A collection of its own kind.
    /// struct Countdown(u16);
    ///
    /// impl<'gc> Saved<'gc> for Countdown {
    ///     const SHAPE: &'static Shape = &Shape::sequence(shape_of::<u16>());
    ///
    ///     fn save(&self, out: &mut Encoder<'_>) {
    ///         out.elements(self.0.into(), |out| (0..self.0).rev().for_each(|n| n.save(out)));
    ///     }
    ///
    ///     fn load(input: &mut Decoder<'gc, '_>) -> Result<Countdown, LoadError> {
    ///         Ok(Countdown(input.sequence::<u16>()?.len() as u16))
    ///     }
    /// }
    ///
    /// let bytes = to_bytes(&Countdown(3))?;
    /// assert_eq!(bytes, [3, 2, 1, 0]);
    /// assert_eq!(from_bytes::<Countdown>(&bytes)?.0, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn elements(&mut self, count: usize, save: impl FnOnce(&mut Self)) {
        self.out.varint(count as u64);
        self.nested(|out| {
            let start = out.out.bytes.len();
            save(out);
            out.check_empty(count, start);
        });
    }

    /// Checks the number of elements without bytes. `count` elements were written from `start` on.
    #[inline]
    pub(crate) fn check_empty(&mut self, count: usize, start: usize) {
        let bytes = self.out.bytes.len() - start;
        if bytes < count {
            self.charge(count - bytes);
        }
    }

    /// Counts elements without bytes.
    #[cold]
    fn charge(&mut self, empty: usize) {
        match EMPTY_ELEMENTS_MAX - self.empty_elements < empty {
            true => self.fail(SaveErrorKind::TooManyEmptyElements),
            false => self.empty_elements += empty,
        }
    }
}

/// The bytes of a value without contexts.
///
/// ```
/// assert_eq!(vivant_codec::to_bytes(&(300_u16, "hi".to_owned()))?, [0xac, 0x02, 2, b'h', b'i']);
/// # Ok::<(), vivant_codec::SaveError>(())
/// ```
///
/// # Errors
///
/// A part of the value could not be saved.
pub fn to_bytes<'gc, T: Saved<'gc>>(value: &T) -> Result<Vec<u8>, SaveError> {
    let mut out = Encoder::new().append_to(Vec::with_capacity(FIRST_BYTES));
    value.save(&mut out);
    out.finish()
}
