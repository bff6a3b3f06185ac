//! [`Saved`]: a type that is written to bytes and read from them.

use crate::errors::load_error::LoadError;
use crate::limits::RESERVED_BYTES_MAX;
use crate::saved::decoder::Decoder;
use crate::saved::encoder::Encoder;
use crate::shape::{Shape, ShapeRef};

/// A type of which the values are saved and loaded.
///
/// `#[derive(Saved)]` writes it. `'gc` is the brand of a collected heap: types that refer to
/// objects of a heap implement `Saved` for its brand, all others for every `'gc`.
///
/// A type that is saved as another type does so by hand, with the shape of that type:
///
/// ```
/// use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, from_bytes, to_bytes};
///
/// /// Degrees Celsius, above absolute zero.
/// #[derive(Debug, PartialEq)]
/// struct Temperature(f64);
///
/// impl<'gc> Saved<'gc> for Temperature {
///     const SHAPE: &'static Shape = <f64 as Saved<'gc>>::SHAPE;
///
///     fn save(&self, out: &mut Encoder<'_>) {
///         self.0.save(out);
///     }
///
///     fn load(input: &mut Decoder<'gc, '_>) -> Result<Temperature, LoadError> {
///         let degrees = f64::load(input)?;
///         match degrees >= -273.15 {
///             true => Ok(Temperature(degrees)),
///             false => Err(input.error("a temperature below absolute zero")),
///         }
///     }
/// }
///
/// let bytes = to_bytes(&Temperature(21.5))?;
/// assert_eq!(from_bytes::<Temperature>(&bytes)?, Temperature(21.5));
/// let bytes = to_bytes(&-300.0)?;
/// assert!(from_bytes::<Temperature>(&bytes).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be saved",
    label = "this type is not `Saved`",
    note = "a type of this program: add `#[derive(Saved)]` to it",
    note = "a type of another crate that has serde's traits: `#[saved(serde)]` at the field",
    note = "a value that need not be saved: `#[saved(skip)]` at the field; it is loaded as its `Default`",
    note = "`HashMap`, `HashSet`: their order is another one in each run; use `BTreeMap`, `BTreeSet`, or `#[saved(any_order)]` at the field",
    note = "`Instant`: it has no meaning in another process; keep a `Duration` or a `SystemTime`",
    note = "`&'static str`: a file cannot supply it; keep a `String`, or `Cow<'static, str>`",
    note = "`fn`, closures: code has no name in a file; keep an enum of what to do",
    note = "`Mutex`, `RwLock`, atomics: they are shared with others, which a file cannot restore; keep the value itself, or an actor that owns it"
)]
pub trait Saved<'gc>: Sized {
    /// The form of the encoding.
    const SHAPE: &'static Shape;

    /// Appends the value. What goes wrong is reported at the end, by [`Encoder::finish`].
    fn save(&self, out: &mut Encoder<'_>);

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// The bytes are not those of a value of this type.
    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError>;

    /// Appends all values, without their number.
    #[doc(hidden)]
    #[inline]
    fn save_all(values: &[Self], out: &mut Encoder<'_>) {
        for value in values {
            value.save(out);
        }
    }

    /// Reads `count` values.
    #[doc(hidden)]
    #[inline]
    fn load_all(count: usize, input: &mut Decoder<'gc, '_>) -> Result<Vec<Self>, LoadError> {
        let mut values = reserved(count);
        for _ in 0..count {
            values.push(Self::load(input)?);
        }
        Ok(values)
    }

    /// Reads `N` values.
    #[doc(hidden)]
    #[inline]
    fn load_array<const N: usize>(input: &mut Decoder<'gc, '_>) -> Result<[Self; N], LoadError> {
        let values = Self::load_all(N, input)?.try_into();
        Ok(values.unwrap_or_else(|_| unreachable!("`load_all` loads all")))
    }
}

/// A way of its own to save values of another type. `#[derive(Saved)]` uses it for options of
/// fields.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot save this field",
    label = "this option is for other types",
    note = "`#[saved(any_order)]` is for `HashMap` and `HashSet` with saved keys and values, and a hasher that has a `Default`",
    note = "`#[saved(serde)]` is for types that are `Serialize` and `DeserializeOwned`"
)]
pub trait Wrapper<'gc> {
    /// The type of the field.
    type Inner;

    /// As [`Saved::SHAPE`].
    const INNER_SHAPE: &'static Shape;

    /// As [`Saved::save`].
    fn save_inner(value: &Self::Inner, out: &mut Encoder<'_>);

    /// As [`Saved::load`].
    fn load_inner(input: &mut Decoder<'gc, '_>) -> Result<Self::Inner, LoadError>;
}

/// A vector for `count` values, of which the bytes have yet to show that they exist.
pub(crate) fn reserved<T>(count: usize) -> Vec<T> {
    let bytes = size_of::<T>().max(1);
    Vec::with_capacity(count.min(RESERVED_BYTES_MAX / bytes))
}

/// The shape of a type as a part of another shape.
///
/// ```
/// use vivant_codec::{Field, Saved, Shape, shape_of};
///
/// const POINT: Shape = Shape::structure(
///     "Point",
///     const { &[Field::new("x", shape_of::<i32>()), Field::new("y", shape_of::<i32>())] },
/// );
/// assert_eq!(POINT.name(), "Point");
/// ```
pub const fn shape_of<'gc, T: Saved<'gc>>() -> ShapeRef {
    ShapeRef::new(|| T::SHAPE)
}
