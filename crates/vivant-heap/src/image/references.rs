//! References in files: a `Gc` is the name of an object.

use super::block_name::BlockName;
use super::object_codec::ObjectCodec;
use super::reference_names::{PART, REFERENCE};
use super::restore_order::RestoreOrder;
use super::restoring_heaps::CurrentHeap;
use super::saved_target::{Elements, SavedTarget, TagCodec, TagTarget};
use super::slices::elements;
use crate::alloc::header::Header;
use crate::object::erased::Erased;
use crate::object::gc::Gc;
use crate::object::object_trait::Object;
use crate::pages::chunk::age_of;
use std::any::Any;
use std::ptr::NonNull;
use vivant_codec::{
    Decoder, Encoder, LoadError, ReferenceTarget, Saved, Shape, ShapeRef, shape_of,
};

/// The shape of a reference to objects with this codec.
pub(super) const fn object_shape(target: ReferenceTarget) -> Shape {
    Shape::reference_to(REFERENCE, shape_of::<'static, u64>(), target)
}

/// The shape of a weak reference: the name of the object that has the reference.
pub(super) const fn weak_shape(target: ReferenceTarget) -> Shape {
    Shape::reference_to("vivant::Weak", shape_of::<'static, u64>(), target)
}

/// The shape of the name of a part.
pub(super) const fn part_shape(
    name: ShapeRef,
    target: fn() -> &'static (dyn Any + Send + Sync),
) -> Shape {
    Shape::reference_to(PART, name, ReferenceTarget::new(target))
}

/// Saves the name of an object of a heap, in its place.
pub(super) fn save_object(object: NonNull<Header>, out: &mut Encoder<'_>) {
    // SAFETY: the caller has a reference to it, so the object is in its place (Y3).
    let is_young = unsafe { age_of(object.cast()) }.is_young();
    if is_young {
        return out.error("a reference to a young object: a heap is saved as a whole");
    }
    // SAFETY: an object in its place, as its type says (Y3), and it is old.
    unsafe { BlockName::of(object) }.to_file().save(out);
}

/// The heap of which the decoder loads a value, and its place among those that are restored.
pub(super) fn current<'a>(input: &Decoder<'_, 'a>) -> Option<(&'a CurrentHeap, u32)> {
    let current = input.context::<CurrentHeap>()?;
    Some((current, current.place()?))
}

/// The object that a reference in a file names.
pub(super) fn load_object<'gc>(
    input: &mut Decoder<'gc, '_>,
    shape: &'static Shape,
    codec: &'static ObjectCodec,
) -> Result<NonNull<Header>, LoadError> {
    let name = BlockName::from_file(input.reference(shape)?);
    let Some((current, place)) = current(input) else {
        return Err(input.error("a reference to an object, where no heap is restored"));
    };
    RestoreOrder::new(current, input).object(place, name, codec)
}

impl<'gc, T: ?Sized + SavedTarget<'gc>> Saved<'gc> for Gc<'gc, T> {
    const SHAPE: &'static Shape = T::REFERENCE;

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        T::save_reference(*self, out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Gc<'gc, T>, LoadError> {
        T::load_reference(input)
    }
}

// SAFETY: by its bounds (S3).
unsafe impl<'gc, T> SavedTarget<'gc> for T
where
    T: Object<'gc> + Saved<'gc> + Erased,
    for<'any> <T as Erased>::Of<'any>: Saved<'any>,
{
    const REFERENCE: &'static Shape =
        &object_shape(ReferenceTarget::new(
            || const { &ObjectCodec::sized::<'gc, T>() },
        ));

    #[inline]
    fn save_reference(reference: Gc<'gc, T>, out: &mut Encoder<'_>) {
        save_object(reference.header(), out);
    }

    fn load_reference(input: &mut Decoder<'gc, '_>) -> Result<Gc<'gc, T>, LoadError> {
        let codec = const { &ObjectCodec::sized::<'gc, T>() };
        let object = load_object(input, Self::REFERENCE, codec)?;
        // SAFETY: an object with this codec (S3), in the heap that is being restored, of which the
        // decoder has the brand (S1).
        Ok(unsafe { Gc::at(object.add(1).cast()) })
    }

    fn nothing() -> NonNull<T> {
        NonNull::dangling()
    }
}

// SAFETY: the codec of this type (S3).
unsafe impl<'gc, T> TagTarget<'gc> for T
where
    T: Object<'gc> + Saved<'gc> + Erased,
    for<'any> <T as Erased>::Of<'any>: Saved<'any>,
{
    const CODEC: TagCodec = TagCodec {
        codec: || const { &ObjectCodec::sized::<'gc, T>() },
        elements: Elements::None,
    };

    fn with_count(_: usize) -> NonNull<T> {
        NonNull::dangling()
    }
}

// SAFETY: by its bounds (S3).
unsafe impl<'gc, T> SavedTarget<'gc> for [T]
where
    T: Object<'gc> + Saved<'gc> + Erased,
    for<'any> <T as Erased>::Of<'any>: Saved<'any>,
{
    const REFERENCE: &'static Shape =
        &object_shape(ReferenceTarget::new(
            || const { &ObjectCodec::slice::<'gc, T>() },
        ));

    fn save_reference(reference: Gc<'gc, [T]>, out: &mut Encoder<'_>) {
        save_object(reference.header(), out);
    }

    fn load_reference(input: &mut Decoder<'gc, '_>) -> Result<Gc<'gc, [T]>, LoadError> {
        let codec = const { &ObjectCodec::slice::<'gc, T>() };
        let object = load_object(input, Self::REFERENCE, codec)?;
        // SAFETY: an object with this codec (S3) and of this brand (S1); a slice never changes, so
        // it is made already, and has its length (S2).
        unsafe {
            let (first, count) = elements(object);
            Ok(Gc::at(NonNull::slice_from_raw_parts(first.cast(), count)))
        }
    }

    fn nothing() -> NonNull<[T]> {
        NonNull::slice_from_raw_parts(NonNull::dangling(), 0)
    }
}

// SAFETY: the codec of this type (S3).
unsafe impl<'gc, T> TagTarget<'gc> for [T]
where
    T: Object<'gc> + Saved<'gc> + Erased,
    for<'any> <T as Erased>::Of<'any>: Saved<'any>,
{
    const CODEC: TagCodec = TagCodec {
        codec: || const { &ObjectCodec::slice::<'gc, T>() },
        elements: Elements::Counted,
    };

    fn with_count(count: usize) -> NonNull<[T]> {
        NonNull::slice_from_raw_parts(NonNull::dangling(), count)
    }
}

// SAFETY: there is no brand in it (S3).
unsafe impl<'gc> SavedTarget<'gc> for str {
    const REFERENCE: &'static Shape =
        &object_shape(ReferenceTarget::new(|| const { &ObjectCodec::TEXT }));

    fn save_reference(reference: Gc<'gc, str>, out: &mut Encoder<'_>) {
        save_object(reference.header(), out);
    }

    fn load_reference(input: &mut Decoder<'gc, '_>) -> Result<Gc<'gc, str>, LoadError> {
        let object = load_object(input, Self::REFERENCE, const { &ObjectCodec::TEXT })?;
        // SAFETY: an object with this codec (S3) and of this brand (S1), made already (S2): its
        // bytes are those of a string.
        unsafe {
            let (first, count) = elements(object);
            let bytes = NonNull::slice_from_raw_parts(first, count);
            Ok(Gc::at(NonNull::new_unchecked(bytes.as_ptr() as *mut str)))
        }
    }

    fn nothing() -> NonNull<str> {
        NonNull::from("")
    }
}

// SAFETY: the codec of this type (S3).
unsafe impl<'gc> TagTarget<'gc> for str {
    const CODEC: TagCodec = TagCodec {
        codec: || const { &ObjectCodec::TEXT },
        elements: Elements::Counted,
    };

    fn with_count(count: usize) -> NonNull<str> {
        let bytes = NonNull::<[u8]>::slice_from_raw_parts(NonNull::dangling(), count);
        // SAFETY: the same pointer, which is not null (X1).
        unsafe { NonNull::new_unchecked(bytes.as_ptr() as *mut str) }
    }
}
