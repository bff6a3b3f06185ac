//! References to shared objects in files: a [`Val`] of an own object is the name of its block.
//!
//! A restored shared object lies at its name, as any object that never changes does. Counts are no
//! part of an image: no other heap refers to a restored object, so it has no export (S14).

use super::object_codec::ObjectCodec;
use super::references::{elements, load_object, object_shape, save_object};
use super::saved_heap::SavedHeap;
use crate::alloc::header::Header;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::object::collected::Collected;
use crate::object::frozen::Frozen;
use crate::object::gc::Gc;
use crate::types::val::Val;
use std::ptr::NonNull;
use vivant_codec::{
    Decoder, Encoder, Field, LoadError, ReferenceTarget, Saved, Shape, ShapeRef, Variant,
};

/// What lies in a shared object that images have: a frozen value, or a slice of such.
///
/// # Safety
///
/// `load` returns what it says.
pub unsafe trait SharedContent<'gc>: Collected<'gc> {
    /// The shape of the name of such an object.
    const NAME: &'static Shape;

    /// Loads the name of an object, and returns what lies in it: whole, old, and in the heap that
    /// is being restored.
    ///
    /// # Errors
    ///
    /// There is no such object, or it is of another type.
    ///
    /// # Safety
    ///
    /// The content is saved with every brand.
    unsafe fn load(input: &mut Decoder<'gc, '_>) -> Result<NonNull<Self>, LoadError>;
}

// SAFETY: `load_object` finds an object of this type (S3). It never changes, so it is whole (S2).
unsafe impl<'gc, T: Frozen<'gc> + Saved<'gc>> SharedContent<'gc> for T {
    const NAME: &'static Shape = &object_shape(ReferenceTarget::new(|| {
        // SAFETY: what uses the shape says that the content is saved with every brand (X1).
        const { &unsafe { ObjectCodec::of_sized::<'gc, T>() } }
    }));

    unsafe fn load(input: &mut Decoder<'gc, '_>) -> Result<NonNull<T>, LoadError> {
        // SAFETY: the caller's contract (X1).
        let codec = const { &unsafe { ObjectCodec::of_sized::<'gc, T>() } };
        let object = load_object(input, Self::NAME, codec)?;
        // SAFETY: the value follows the header of an object with this codec (S3).
        Ok(unsafe { object.add(1) }.cast())
    }
}

// SAFETY: `load_object` finds an object of this type (S3), which is whole (S2): it has its length.
unsafe impl<'gc, T: Frozen<'gc> + Saved<'gc>> SharedContent<'gc> for [T] {
    const NAME: &'static Shape = &object_shape(ReferenceTarget::new(|| {
        // SAFETY: what uses the shape says that the content is saved with every brand (X1).
        const { &unsafe { ObjectCodec::of_slice::<'gc, T>() } }
    }));

    unsafe fn load(input: &mut Decoder<'gc, '_>) -> Result<NonNull<[T]>, LoadError> {
        // SAFETY: the caller's contract (X1).
        let codec = const { &unsafe { ObjectCodec::of_slice::<'gc, T>() } };
        let object = load_object(input, Self::NAME, codec)?;
        // SAFETY: a slice of this type (S3), which is whole (S2).
        let (first, count) = unsafe { elements(object) };
        Ok(NonNull::slice_from_raw_parts(first.cast(), count))
    }
}

// SAFETY: `load_object` finds a string (S3), which is whole (S2).
unsafe impl<'gc> SharedContent<'gc> for str {
    const NAME: &'static Shape =
        &object_shape(ReferenceTarget::new(|| const { &ObjectCodec::TEXT }));

    unsafe fn load(input: &mut Decoder<'gc, '_>) -> Result<NonNull<str>, LoadError> {
        let object = load_object(input, Self::NAME, const { &ObjectCodec::TEXT })?;
        // SAFETY: a string (S3), which is whole (S2). Its pointer is not null.
        unsafe {
            let (first, count) = elements(object);
            let bytes = NonNull::slice_from_raw_parts(first, count);
            Ok(NonNull::new_unchecked(bytes.as_ptr() as *mut str))
        }
    }
}

impl<'gc, T: ?Sized + SharedContent<'gc>> Saved<'gc> for Val<'gc, T>
where
    // It says that the content is saved with every brand.
    Gc<'gc, T>: Saved<'gc>,
{
    // SAFETY: by the bound above (X1).
    const SHAPE: &'static Shape = &unsafe { val_shape::<'gc, T>() };

    fn save(&self, out: &mut Encoder<'_>) {
        save_val(*self, out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Val<'gc, T>, LoadError> {
        // SAFETY: by the bound above (X1).
        unsafe { load_val(input, Self::SHAPE) }
    }
}

/// The shape of a reference to a shared object.
///
/// # Safety
///
/// The content is saved with every brand.
#[must_use]
pub const unsafe fn val_shape<'gc, T: ?Sized + SharedContent<'gc>>() -> Shape {
    Shape::variants(
        "vivant::Val",
        const {
            &[Variant::new(
                "Own",
                const { &[Field::new("0", ShapeRef::new(|| T::NAME))] },
            )]
        },
    )
}

/// Saves a reference to a shared object, for [`val_shape`]. An error of the encoder if another heap
/// owns the object.
pub fn save_val<'gc, T: ?Sized + SharedContent<'gc>>(val: Val<'gc, T>, out: &mut Encoder<'_>) {
    // SAFETY: this has a reference to the object, so its owner is live (O3).
    let owner = unsafe { SavedHeap::of(val.header()) };
    match out.lasting_context::<SavedHeap>() {
        None => out.error("a shared object (`Val`), where no heap is saved"),
        #[cfg(test)]
        Some(_) if is_injected(InjectedFault::ForeignAsOwn) => save_own(val.header(), out),
        Some(saved) if *saved == owner => save_own(val.header(), out),
        Some(_) => out.error("a reference to a shared object (`Val`) of another heap"),
    }
}

fn save_own(object: NonNull<Header>, out: &mut Encoder<'_>) {
    out.variant(0);
    save_object(object, out);
}

/// Loads a reference to a shared object. `shape` is its [`val_shape`].
///
/// # Errors
///
/// There is no such object, or it is of another type.
///
/// # Safety
///
/// The content is saved with every brand.
pub unsafe fn load_val<'gc, T: ?Sized + SharedContent<'gc>>(
    input: &mut Decoder<'gc, '_>,
    shape: &'static Shape,
) -> Result<Val<'gc, T>, LoadError> {
    let (_, mut fields) = input.variant(shape)?;
    // SAFETY: the caller's contract (X1).
    let value = fields.part(0, T::NAME, |input| unsafe { T::load(input) })?;
    fields.end()?;
    // SAFETY: an old object of the heap that is being restored, which the decoder has as a context
    // and so its brand (S1). It never changes, because its type is frozen (S14).
    Ok(unsafe { Val::at(value) })
}
