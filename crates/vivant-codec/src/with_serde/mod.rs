//! Values of types that have serde's traits, in postcard's encoding.
//!
//! The crate `postcard` has the same encoding. It recurses as deep as hostile bytes say, and its
//! errors know no place, so this crate reads and writes for serde itself.

mod deserializer;
mod serializer;

use crate::errors::load_error::LoadError;
use crate::saved::decoder::Decoder;
use crate::saved::encoder::Encoder;
use crate::saved::saved_trait::{Saved, Wrapper};
use crate::shape::{Kind, Shape};
use deserializer::Deserializer;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serializer::Serializer;

/// A value that is saved by serde's traits, as its postcard encoding with the number of bytes in
/// front. `#[saved(serde)]` at a field saves the field so.
///
/// Its shape says nothing about what is inside, so changes of its type are serde's affair: an old
/// file is read as the bytes that it has. It may have cells, so [`Shape::has_cells`] says that it
/// has some. An object of a graph with such a value is encoded when a snapshot begins, and is in
/// each incremental one. For values that do not change, a type that writes `Saved` by hand says so
/// by [`Shape::unchanging`].
///
/// ```
/// use vivant_codec::{Serde, from_bytes, to_bytes};
///
/// let bytes = to_bytes(&Serde((7_u8, "hi".to_owned())))?;
/// assert_eq!(bytes, [4, 7, 2, b'h', b'i']);
/// assert_eq!(from_bytes::<Serde<(u8, String)>>(&bytes)?.0, (7, "hi".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Serde<T>(
    /// The value.
    pub T,
);

impl<'gc, T: Serialize + DeserializeOwned> Wrapper<'gc> for Serde<T> {
    type Inner = T;

    const INNER_SHAPE: &'static Shape = &Shape::in_a_cell(&Shape::new("serde", Kind::Opaque));

    fn save_inner(value: &T, out: &mut Encoder<'_>) {
        let start = out.out.bytes.len();
        if let Err(error) = value.serialize(Serializer::new(out)) {
            out.fail(error.kind().clone());
        }
        out.out.counted_from(start);
    }

    fn load_inner(input: &mut Decoder<'gc, '_>) -> Result<T, LoadError> {
        let bytes = input.opaque(Self::INNER_SHAPE)?;
        let begin = input.offset() - bytes.len();
        let loaded = input.inside(bytes, |inner| {
            let value = T::deserialize(Deserializer::new(inner));
            value.map_err(|error| error.placed(inner.offset()))
        });
        loaded.map_err(|error| error.behind(begin))
    }
}

impl<'gc, T: Serialize + DeserializeOwned> Saved<'gc> for Serde<T> {
    const SHAPE: &'static Shape = Self::INNER_SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        Self::save_inner(&self.0, out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        Self::load_inner(input).map(Serde)
    }
}
