//! [`Part`]: the chunks of a collection in an image. They are objects of their own in the file, and
//! parts of the value that has the collection: a restore makes the collection anew.

use super::block_name::BlockName;
use super::object_codec::ObjectCodec;
use super::references::current;
use super::restore_order::RestoreOrder;
use super::saved_raw::SavedRaw;
use crate::foreign_code::drop_panic;
use crate::gc::mutator::Mutator;
use crate::object::raw_object::RawGc;
use crate::pages::chunk::age_of;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{self, AssertUnwindSafe};
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, shape_of};

/// The name of a raw object of the type `C` in an image, in what is saved of the collection that
/// has it.
pub struct Part<C> {
    name: u64,
    what: PhantomData<fn() -> C>,
}

impl<C> Part<C> {
    /// The name of a raw object. An error of the encoder if the object is young.
    ///
    /// # Safety
    ///
    /// The object exists, and is of the type `C`.
    pub unsafe fn of(object: RawGc, out: &mut Encoder<'_>) -> Part<C> {
        // SAFETY: the caller's contract (X1).
        let is_young = unsafe { age_of(object.header().cast()) }.is_young();
        let name = match is_young {
            true => {
                out.error("a collection with young chunks: a heap is saved as a whole");
                0
            }
            // SAFETY: the caller's contract (X1); it is old.
            false => unsafe { BlockName::of(object.header()) }.to_file(),
        };
        let what = PhantomData;
        Part { name, what }
    }

    /// The same object as one of another type, if a content says so.
    #[must_use]
    pub fn as_type<D>(self) -> Part<D> {
        let what = PhantomData;
        Part {
            name: self.name,
            what,
        }
    }

    /// Loads the content. Once: what it holds is in one collection.
    ///
    /// # Errors
    ///
    /// There is no such object, it is of another type, or it was loaded before.
    pub fn content<'gc>(self, input: &Decoder<'gc, '_>) -> Result<C::Data, LoadError>
    where
        C: SavedRaw<'gc>,
    {
        let Some((current, place)) = current(input) else {
            return Err(input.error("a collection of a heap, where no heap is restored"));
        };
        let codec = const { &ObjectCodec::raw::<'gc, C>() };
        let name = BlockName::from_file(self.name);
        let content = RestoreOrder::new(current, input).part(place, name, codec)?;
        // SAFETY: the decoder has the heap as a context, and so its brand (S1).
        unsafe { content.load() }
    }
}

impl<'gc, C: SavedRaw<'gc>> Saved<'gc> for Part<C> {
    const SHAPE: &'static Shape =
        &super::references::part_shape(shape_of::<'static, u64>(), || {
            const { &ObjectCodec::raw::<'gc, C>() }
        });

    fn save(&self, out: &mut Encoder<'_>) {
        self.name.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Part<C>, LoadError> {
        let name = input.reference(Self::SHAPE)?;
        let what = PhantomData;
        Ok(Part { name, what })
    }
}

impl<C> fmt::Debug for Part<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Part({})", BlockName::from_file(self.name))
    }
}

/// Makes a collection in the heap that is being restored. What `make` allocates is old.
///
/// # Errors
///
/// No heap is being restored, or `make` fails or panics: for want of memory, or in the code of
/// keys.
///
/// # Safety
///
/// The caller is the `load` of a value with a collection, and `make` uses the mutator to make that
/// alone.
pub unsafe fn restoring<'gc, T>(
    input: &mut Decoder<'gc, '_>,
    make: impl FnOnce(&Mutator<'gc>, &mut Decoder<'gc, '_>) -> Result<T, LoadError>,
) -> Result<T, LoadError> {
    let Some(heap) = current(input).and_then(|(current, _)| current.heap()) else {
        return Err(input.error("a collection of a heap, where no heap is restored"));
    };
    // SAFETY: the decoder has the heap as a context, and so its brand (S1).
    let mutator = unsafe { heap.mutator() };
    match panic::catch_unwind(AssertUnwindSafe(|| make(&mutator, input))) {
        Ok(made) => made,
        Err(panic) => {
            let why = match panic.downcast_ref::<String>() {
                Some(why) => why.clone(),
                None => panic
                    .downcast_ref::<&str>()
                    .copied()
                    .unwrap_or("a panic")
                    .to_owned(),
            };
            drop_panic(panic);
            Err(input.error(format!("a collection could not be made: {why}")))
        }
    }
}
