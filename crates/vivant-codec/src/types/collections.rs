//! Sequences, sets, maps and arrays.

use crate::errors::load_error::{LoadError, LoadErrorKind};
use crate::saved::decoder::Decoder;
use crate::saved::encoder::Encoder;
use crate::saved::saved_trait::{Saved, shape_of};
use crate::shape::{Kind, Shape};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::sync::Arc;

impl<'gc, T: Saved<'gc>> Saved<'gc> for Vec<T> {
    const SHAPE: &'static Shape = &Shape::sequence(shape_of::<'gc, T>());

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        out.elements(self.len(), |out| T::save_all(self, out));
    }

    #[inline]
    fn load(input: &mut Decoder<'gc, '_>) -> Result<Vec<T>, LoadError> {
        input.sequence()
    }
}

/// What holds its elements in one slice.
macro_rules! slice {
    ($($type:ty),*) => {
        $(impl<'gc, T: Saved<'gc>> Saved<'gc> for $type {
            const SHAPE: &'static Shape = <Vec<T> as Saved<'gc>>::SHAPE;

            #[inline]
            fn save(&self, out: &mut Encoder<'_>) {
                out.elements(self.len(), |out| T::save_all(self, out));
            }

            #[inline]
            fn load(input: &mut Decoder<'gc, '_>) -> Result<$type, LoadError> {
                Ok(input.sequence()?.into())
            }
        })*
    };
}

slice!(Box<[T]>, Arc<[T]>);

impl<'gc, T: Saved<'gc> + Clone> Saved<'gc> for Cow<'_, [T]> {
    const SHAPE: &'static Shape = <Vec<T> as Saved<'gc>>::SHAPE;

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        out.elements(self.len(), |out| T::save_all(self, out));
    }

    #[inline]
    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        Ok(Cow::Owned(input.sequence()?))
    }
}

impl<'gc, T: Saved<'gc>> Saved<'gc> for VecDeque<T> {
    const SHAPE: &'static Shape = <Vec<T> as Saved<'gc>>::SHAPE;

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        out.elements(self.len(), |out| {
            let (front, back) = self.as_slices();
            T::save_all(front, out);
            T::save_all(back, out);
        });
    }

    #[inline]
    fn load(input: &mut Decoder<'gc, '_>) -> Result<VecDeque<T>, LoadError> {
        Ok(input.sequence()?.into())
    }
}

/// In the order of the heap's slice, which a loaded heap has again.
impl<'gc, T: Saved<'gc> + Ord> Saved<'gc> for BinaryHeap<T> {
    const SHAPE: &'static Shape = <Vec<T> as Saved<'gc>>::SHAPE;

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        out.elements(self.len(), |out| T::save_all(self.as_slice(), out));
    }

    #[inline]
    fn load(input: &mut Decoder<'gc, '_>) -> Result<BinaryHeap<T>, LoadError> {
        Ok(input.sequence()?.into())
    }
}

impl<'gc, T: Saved<'gc> + Ord> Saved<'gc> for BTreeSet<T> {
    const SHAPE: &'static Shape = <Vec<T> as Saved<'gc>>::SHAPE;

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        out.sequence(self.iter());
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<BTreeSet<T>, LoadError> {
        let elements: Vec<T> = input.sequence()?;
        let count = elements.len();
        let set = BTreeSet::from_iter(elements);
        match set.len() == count {
            true => Ok(set),
            false => Err(input.input.error(LoadErrorKind::Duplicate)),
        }
    }
}

impl<'gc, K: Saved<'gc> + Ord, V: Saved<'gc>> Saved<'gc> for BTreeMap<K, V> {
    const SHAPE: &'static Shape = &Shape::map(shape_of::<'gc, K>(), shape_of::<'gc, V>());

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        out.map(self.iter());
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<BTreeMap<K, V>, LoadError> {
        let pairs: Vec<(K, V)> = input.map()?;
        let count = pairs.len();
        let map = BTreeMap::from_iter(pairs);
        match map.len() == count {
            true => Ok(map),
            false => Err(input.input.error(LoadErrorKind::Duplicate)),
        }
    }
}

/// Without its length, which the shape has.
impl<'gc, T: Saved<'gc>, const N: usize> Saved<'gc> for [T; N] {
    const SHAPE: &'static Shape = &Shape::new("array", Kind::Array(shape_of::<'gc, T>(), N as u64));

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        T::save_all(self, out);
    }

    #[inline]
    fn load(input: &mut Decoder<'gc, '_>) -> Result<[T; N], LoadError> {
        input.array(Self::SHAPE)
    }
}
