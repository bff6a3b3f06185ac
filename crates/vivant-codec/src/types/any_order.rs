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
            let key_end = out.out.bytes.len();
            value.save(out);
            key_end
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
        save_sorted(set.iter(), out, |element, out| {
            element.save(out);
            out.out.bytes.len()
        });
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

/// Appends all entries, and sorts them by the bytes of their keys. `save` appends an entry and
/// returns the end of its key.
fn save_sorted<T>(
    entries: impl ExactSizeIterator<Item = T>,
    out: &mut Encoder<'_>,
    save: impl Fn(T, &mut Encoder<'_>) -> usize,
) {
    out.elements(entries.len(), |out| {
        let begin = out.out.bytes.len();
        let mut places = Vec::with_capacity(entries.len());
        for entry in entries {
            let start = out.out.bytes.len() - begin;
            let key_end = save(entry, out) - begin;
            let end = out.out.bytes.len() - begin;
            let first = first_bytes(&out.out.bytes[begin + start..], key_end - start);
            places.push(Place {
                first,
                start,
                key_end,
                end,
            });
        }
        let unsorted = out.out.bytes.split_off(begin);
        sort(&unsorted, &mut places);
        for place in places {
            out.out
                .first(&unsorted[place.start..], place.end - place.start);
        }
    });
}

/// Where an entry and its key are.
struct Place {
    /// The first bytes of the key.
    first: u64,
    start: usize,
    key_end: usize,
    end: usize,
}

/// Sorts by the bytes of the keys, and by those of the entries where these are the same.
///
/// Most keys differ in their first bytes, so these are sorted as numbers, and then the entries of
/// which they are the same.
fn sort(bytes: &[u8], places: &mut [Place]) {
    places.sort_unstable_by_key(|place| place.first);
    for same in places.chunk_by_mut(|place, next| place.first == next.first) {
        same.sort_unstable_by_key(|place| {
            let (key, entry) = (place.start..place.key_end, place.start..place.end);
            (&bytes[key], &bytes[entry])
        });
    }
}

/// The first eight of the first `count` bytes, or all and zeros, as a number with the same order.
#[inline]
fn first_bytes(bytes: &[u8], count: usize) -> u64 {
    let first = match bytes.first_chunk() {
        Some(first) => *first,
        None => std::array::from_fn(|index| bytes.get(index).copied().unwrap_or(0)),
    };
    match count {
        0 => 0,
        1..8 => u64::from_be_bytes(first) & (u64::MAX << (64 - 8 * count)),
        _ => u64::from_be_bytes(first),
    }
}
