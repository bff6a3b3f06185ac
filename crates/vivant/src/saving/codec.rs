//! [`Codec`]: how values of one type are written and read, as a constant.

use super::by::SavedBy;
use super::save_kind::SaveKind;
use std::fmt;
use vivant_codec::{Comparison, Decoder, Encoder, LoadError, Saved, Shape, ShapeId};

/// The shape that a value has in a file.
pub(crate) type StoredShape<'a> = (&'a Comparison<'a>, ShapeId);

/// How values of a type are written and read. `#[behaviours]` gives one to each message of a saved
/// actor.
///
/// A behaviour that is written by hand has none unless it says so. Its messages are then not saved,
/// which is an error of the snapshot as soon as one waits in the mailbox of a saved actor:
///
/// ```
/// use vivant::prelude::*;
/// use vivant::{Actor, Behaviour, Codec, Message, Resolver};
///
/// #[derive(Actor)]
/// #[actor(saved)]
/// pub struct Counter { count: u64 }
///
/// pub struct Add;
///
/// impl Message for Add {
///     type Args = (u64,);
///     type Reply = u64;
///     const NAME: &'static str = "docs::Counter::add";
/// }
/// impl Behaviour for Add {
///     type Actor = Counter;
///     const CODEC: Option<Codec<(u64,)>> = Codec::of::<<Counter as Actor>::SaveKind>();
///     const REPLY_CODEC: Option<Codec<u64>> = Codec::of::<<Counter as Actor>::SaveKind>();
///     fn run(state: &mut Counter, _: &Turn<'_, Counter>, (n,): (u64,), resolver: Resolver<u64>) {
///         state.count += n;
///         resolver.resolve(state.count);
///     }
/// }
/// ```
pub struct Codec<T> {
    pub(crate) shape: &'static Shape,
    pub(crate) save: fn(&T, &mut Encoder<'_>),
    pub(crate) load: fn(&mut Decoder<'_, '_>) -> Result<T, LoadError>,
}

impl<T> Codec<T> {
    /// The codec of `T` for an actor of the kind `K`; `None` if that is not saved.
    #[must_use]
    pub const fn of<K: SaveKind>() -> Option<Codec<T>>
    where
        T: SavedBy<K>,
    {
        Codec::by::<K>(T::BY_SHAPE, T::save_by, T::load_by)
    }

    /// The codec of these functions for an actor of the kind `K`.
    #[doc(hidden)]
    #[must_use]
    pub const fn by<K: SaveKind>(
        shape: &'static Shape,
        save: fn(&T, &mut Encoder<'_>),
        load: fn(&mut Decoder<'_, '_>) -> Result<T, LoadError>,
    ) -> Option<Codec<T>> {
        match K::SAVES.messages() {
            true => Some(Codec::new(shape, save, load)),
            false => None,
        }
    }

    pub(crate) const fn new(
        shape: &'static Shape,
        save: fn(&T, &mut Encoder<'_>),
        load: fn(&mut Decoder<'_, '_>) -> Result<T, LoadError>,
    ) -> Codec<T> {
        Codec { shape, save, load }
    }
}

/// The shape of a codec that there is. For the macros.
#[doc(hidden)]
#[must_use]
pub const fn shape<T>(codec: Option<Codec<T>>) -> &'static Shape {
    match codec {
        Some(codec) => codec.shape,
        None => <() as Saved<'static>>::SHAPE,
    }
}

impl<T> Clone for Codec<T> {
    fn clone(&self) -> Codec<T> {
        *self
    }
}

impl<T> Copy for Codec<T> {}

impl<T> fmt::Debug for Codec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Codec({})", self.shape.name())
    }
}
