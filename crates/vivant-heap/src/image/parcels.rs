//! Parcels in images: what is in them.

use crate::object::erased::Erased;
use crate::object::sendable::Sendable;
use crate::share::parcel::Parcel;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};

/// A loaded parcel counts the shared objects in it, as any other.
impl<'gc, T> Saved<'gc> for Parcel<T>
where
    T: Erased,
    for<'any> T::Of<'any>: Saved<'any> + Sendable<'any>,
{
    const SHAPE: &'static Shape = <T::Of<'gc> as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        self.look(|value| value.save(out));
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Parcel<T>, LoadError> {
        let value = <T::Of<'gc> as Saved<'gc>>::load(input)?;
        Ok(Parcel::new(value))
    }
}
