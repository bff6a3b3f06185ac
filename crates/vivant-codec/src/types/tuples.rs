//! Tuples of up to twelve, the unit, and `PhantomData`.

use crate::errors::load_error::LoadError;
use crate::saved::decoder::Decoder;
use crate::saved::encoder::Encoder;
use crate::saved::saved_trait::{Saved, shape_of};
use crate::shape::{Kind, Shape};
use std::marker::PhantomData;

macro_rules! tuple {
    ($($part:ident $index:tt),*) => {
        impl<'gc, $($part: Saved<'gc>),*> Saved<'gc> for ($($part,)*) {
            const SHAPE: &'static Shape =
                &Shape::new("tuple", Kind::Tuple(const { &[$(shape_of::<'gc, $part>()),*] }));

            #[inline]
            fn save(&self, out: &mut Encoder<'_>) {
                $(self.$index.save(out);)*
            }

            #[inline]
            fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
                let mut parts = input.tuple(Self::SHAPE)?;
                let loaded = ($(parts.part::<$part>($index)?,)*);
                Ok(loaded)
            }
        }
    };
}

tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);

impl<'gc> Saved<'gc> for () {
    const SHAPE: &'static Shape = &Shape::new("tuple", Kind::Tuple(&[]));

    #[inline]
    fn save(&self, _: &mut Encoder<'_>) {}

    #[inline]
    fn load(input: &mut Decoder<'gc, '_>) -> Result<(), LoadError> {
        input.tuple(Self::SHAPE)?;
        Ok(())
    }
}

impl<'gc, T: ?Sized> Saved<'gc> for PhantomData<T> {
    const SHAPE: &'static Shape = <() as Saved<'gc>>::SHAPE;

    #[inline]
    fn save(&self, _: &mut Encoder<'_>) {}

    #[inline]
    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        <()>::load(input)?;
        Ok(PhantomData)
    }
}
