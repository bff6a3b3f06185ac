//! [`AnyOrder`]: hash maps and sets, saved in the order of their encoded keys.

use crate::errors::load_error::{LoadError, LoadErrorKind};
use crate::saved::decoder::Decoder;
use crate::saved::encoder::Encoder;
use crate::saved::saved_trait::{Saved, Wrapper, shape_of};
use crate::shape::Shape;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

/// A `HashMap` or `HashSet` that is saved in the order of its encoded keys, so that equal maps have
/// equal bytes. `#[saved(any_order)]` at a field saves the field so.
///
/// The order in which a loaded map is iterated depends on its hasher, and is another one in each
/// process if that is `RandomState`. A program that lets this order decide anything is not
/// repeatable.
///
/// ```
/// use std::collections::HashMap;
/// use vivant_codec::{AnyOrder, to_bytes};
///
/// let ages = HashMap::from([("Bob".to_owned(), 7_u8), ("Ada".to_owned(), 36)]);
/// let bytes = to_bytes(&AnyOrder(ages))?;
/// assert_eq!(bytes, *b"\x02\x03Ada\x24\x03Bob\x07");
/// # Ok::<(), vivant_codec::SaveError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnyOrder<T>(
    /// The map or set.
    pub T,
);

impl<'gc, K, V, S> Wrapper<'gc> for AnyOrder<HashMap<K, V, S>>
where
    K: Saved<'gc> + Eq + Hash,
    V: Saved<'gc>,
    S: BuildHasher + Default,
{
    type Inner = HashMap<K, V, S>;

    const INNER_SHAPE: &'static Shape = &Shape::map(shape_of::<'gc, K>(), shape_of::<'gc, V>());

    fn save_inner(map: &HashMap<K, V, S>, out: &mut Encoder<'_>) {
        save_sorted(map.iter(), out, |(key, value), out| {
            key.save(out);
            value.save(out);
        });
    }

    fn load_inner(input: &mut Decoder<'gc, '_>) -> Result<HashMap<K, V, S>, LoadError> {
        let pairs: Vec<(K, V)> = input.map()?;
        let count = pairs.len();
        let map = HashMap::from_iter(pairs);
        match map.len() == count {
            true => Ok(map),
            false => Err(input.input.error(LoadErrorKind::Duplicate)),
        }
    }
}

impl<'gc, K, V, S> Saved<'gc> for AnyOrder<HashMap<K, V, S>>
where
    K: Saved<'gc> + Eq + Hash,
    V: Saved<'gc>,
    S: BuildHasher + Default,
{
    const SHAPE: &'static Shape = Self::INNER_SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        Self::save_inner(&self.0, out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        Self::load_inner(input).map(AnyOrder)
    }
}

impl<'gc, T, S> Wrapper<'gc> for AnyOrder<HashSet<T, S>>
where
    T: Saved<'gc> + Eq + Hash,
    S: BuildHasher + Default,
{
    type Inner = HashSet<T, S>;

    const INNER_SHAPE: &'static Shape = <Vec<T> as Saved<'gc>>::SHAPE;

    fn save_inner(set: &HashSet<T, S>, out: &mut Encoder<'_>) {
        save_sorted(set.iter(), out, T::save);
    }

    fn load_inner(input: &mut Decoder<'gc, '_>) -> Result<HashSet<T, S>, LoadError> {
        let elements: Vec<T> = input.sequence()?;
        let count = elements.len();
        let set = HashSet::from_iter(elements);
        match set.len() == count {
            true => Ok(set),
            false => Err(input.input.error(LoadErrorKind::Duplicate)),
        }
    }
}

impl<'gc, T, S> Saved<'gc> for AnyOrder<HashSet<T, S>>
where
    T: Saved<'gc> + Eq + Hash,
    S: BuildHasher + Default,
{
    const SHAPE: &'static Shape = Self::INNER_SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        Self::save_inner(&self.0, out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        Self::load_inner(input).map(AnyOrder)
    }
}

/// Appends all entries, and sorts them by the bytes of their keys, with which entries begin.
///
/// No key's bytes are the beginning of another's, as a reader has to find its end, so what follows
/// a key decides nothing.
fn save_sorted<T>(
    entries: impl ExactSizeIterator<Item = T>,
    out: &mut Encoder<'_>,
    save: impl Fn(T, &mut Encoder<'_>),
) {
    out.elements(entries.len(), |out| {
        let begin = out.out.bytes.len();
        let mut places = Vec::with_capacity(entries.len());
        for entry in entries {
            let start = out.out.bytes.len();
            save(entry, out);
            let end = out.out.bytes.len();
            places.push(Place {
                first: first_bytes(&out.out.bytes[start..]),
                start: start - begin,
                end: end - begin,
            });
        }
        let unsorted = out.out.bytes.split_off(begin);
        sort(&unsorted, &mut places);
        for place in places {
            let count = place.end - place.start;
            out.out.first(&unsorted[place.start..], count);
        }
    });
}

/// Where an entry is.
struct Place {
    first: u64,
    start: usize,
    end: usize,
}

/// Most entries differ in their first bytes, so these are sorted as numbers, and then the entries
/// of which they are the same.
fn sort(bytes: &[u8], places: &mut [Place]) {
    places.sort_unstable_by_key(|place| place.first);
    for same in places.chunk_by_mut(|place, next| place.first == next.first) {
        same.sort_unstable_by_key(|place| &bytes[place.start..place.end]);
    }
}

/// The first eight bytes, or all and zeros, as a number with the same order.
#[inline]
fn first_bytes(entry: &[u8]) -> u64 {
    u64::from_be_bytes(match entry.first_chunk() {
        Some(first) => *first,
        None => std::array::from_fn(|index| entry.get(index).copied().unwrap_or(0)),
    })
}
