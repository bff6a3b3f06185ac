//! References to shared objects in files: a [`Val`] is the name of a block, and for an object of
//! another heap the number of that heap before it.
//!
//! A restored shared object lies at its name, as any object that never changes does. Counts are no
//! part of an image: they follow from the references that are loaded (S14).

use super::block_name::BlockName;
use super::named_heaps::NamedHeaps;
use super::object_codec::ObjectCodec;
use super::reference_names::{FOREIGN, VAL};
use super::references::{object_shape, save_object};
use super::restore_order::RestoreOrder;
use super::restoring_heaps::CurrentHeap;
use super::saved_heap::SavedHeap;
use super::slices::elements;
use crate::alloc::header::Header;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::object::collected::Collected;
use crate::object::frozen::Frozen;
use crate::object::gc::Gc;
use crate::types::val::Val;
use std::ptr::NonNull;
use vivant_codec::{
    Decoder, Encoder, Field, LoadError, ReferenceTarget, Saved, Shape, ShapeRef, Variant, shape_of,
};

/// The heap that owns an object, for a load of its name: its place among those that are restored.
#[derive(Clone, Copy, Debug)]
pub struct SharedOwner(pub(super) u32);

/// What lies in a shared object that images have: a frozen value, or a slice of such.
///
/// # Safety
///
/// `load` returns what it says.
pub unsafe trait SharedContent<'gc>: Collected<'gc> {
    /// The shape of the name of such an object.
    const NAME: &'static Shape;

    /// Loads the name of an object, and returns what lies in it: whole, and old.
    ///
    /// # Errors
    ///
    /// There is no such object, or it is of another type.
    ///
    /// # Safety
    ///
    /// The content is saved with every brand.
    unsafe fn load(
        input: &mut Decoder<'gc, '_>,
        owner: SharedOwner,
    ) -> Result<NonNull<Self>, LoadError>;
}

// SAFETY: `load_shared` finds an object of this type (S3). It never changes, so it is whole (S2).
unsafe impl<'gc, T: Frozen<'gc> + Saved<'gc>> SharedContent<'gc> for T {
    const NAME: &'static Shape = &object_shape(ReferenceTarget::new(|| {
        // SAFETY: what uses the shape says that the content is saved with every brand (X1).
        const { &unsafe { ObjectCodec::of_sized::<'gc, T>() } }
    }));

    unsafe fn load(
        input: &mut Decoder<'gc, '_>,
        owner: SharedOwner,
    ) -> Result<NonNull<T>, LoadError> {
        // SAFETY: the caller's contract (X1).
        let codec = const { &unsafe { ObjectCodec::of_sized::<'gc, T>() } };
        let object = load_shared(input, Self::NAME, owner, codec)?;
        // SAFETY: the value follows the header of an object with this codec (S3).
        Ok(unsafe { object.add(1) }.cast())
    }
}

// SAFETY: `load_shared` finds an object of this type (S3), which is whole (S2): it has its length.
unsafe impl<'gc, T: Frozen<'gc> + Saved<'gc>> SharedContent<'gc> for [T] {
    const NAME: &'static Shape = &object_shape(ReferenceTarget::new(|| {
        // SAFETY: what uses the shape says that the content is saved with every brand (X1).
        const { &unsafe { ObjectCodec::of_slice::<'gc, T>() } }
    }));

    unsafe fn load(
        input: &mut Decoder<'gc, '_>,
        owner: SharedOwner,
    ) -> Result<NonNull<[T]>, LoadError> {
        // SAFETY: the caller's contract (X1).
        let codec = const { &unsafe { ObjectCodec::of_slice::<'gc, T>() } };
        let object = load_shared(input, Self::NAME, owner, codec)?;
        // SAFETY: a slice of this type (S3), which is whole (S2).
        let (first, count) = unsafe { elements(object) };
        Ok(NonNull::slice_from_raw_parts(first.cast(), count))
    }
}

// SAFETY: `load_shared` finds a string (S3), which is whole (S2).
unsafe impl<'gc> SharedContent<'gc> for str {
    const NAME: &'static Shape =
        &object_shape(ReferenceTarget::new(|| const { &ObjectCodec::TEXT }));

    unsafe fn load(
        input: &mut Decoder<'gc, '_>,
        owner: SharedOwner,
    ) -> Result<NonNull<str>, LoadError> {
        let object = load_shared(input, Self::NAME, owner, const { &ObjectCodec::TEXT })?;
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
        VAL,
        const {
            &[
                Variant::new(
                    "Own",
                    const { &[Field::new("0", ShapeRef::new(|| T::NAME))] },
                ),
                Variant::new(
                    FOREIGN,
                    const {
                        &[
                            Field::new("heap", shape_of::<'static, u64>()),
                            Field::new("object", ShapeRef::new(|| T::NAME)),
                        ]
                    },
                ),
            ]
        },
    )
}

/// Saves a reference to a shared object, for [`val_shape`]. An error of the encoder if another heap
/// owns the object, and nothing has names for those.
pub fn save_val<'gc, T: ?Sized + SharedContent<'gc>>(val: Val<'gc, T>, out: &mut Encoder<'_>) {
    // SAFETY: this has a reference to the object (O3).
    unsafe { save_shared(val.header(), out) }
}

/// Saves a reference to a shared object.
///
/// # Safety
///
/// The caller has a reference to it.
pub(super) unsafe fn save_shared(object: NonNull<Header>, out: &mut Encoder<'_>) {
    // SAFETY: the caller's contract: the owner of the object is live (O3).
    let owner = unsafe { SavedHeap::of(object) };
    let saved = out.lasting_context::<SavedHeap>();
    #[cfg(test)]
    let saved = match is_injected(InjectedFault::ForeignAsOwn) {
        true => saved.and(Some(&owner)),
        false => saved,
    };
    if saved == Some(&owner) {
        out.variant(0);
        return save_object(object, out);
    }
    match (out.context::<NamedHeaps>(), saved) {
        (Some(named), _) => {
            // SAFETY: the caller's contract: the owner of the object is live (O3).
            match unsafe { named.name(object) } {
                Some(number) => {
                    out.variant(1);
                    number.save(out);
                    save_object(object, out);
                }
                None => out.error("a shared object (`Val`) of another system"),
            }
        }
        (None, Some(_)) => out.error("a reference to a shared object (`Val`) of another heap"),
        (None, None) => out.error("a shared object (`Val`), where no heap is saved"),
    }
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
    // SAFETY: the caller's contract (X1).
    let load = |input: &mut _, owner| unsafe { T::load(input, owner) };
    let (value, _) = load_owned(input, (shape, T::NAME), load)?;
    // SAFETY: an old object of a heap that is being restored: of the one of which the decoder has
    // the brand (S1), or of another, which counts it from `load_shared` on. It never changes,
    // because its type is frozen (S14).
    Ok(unsafe { Val::at(value) })
}

/// Loads a reference to a shared object, and the place of its owner. `shape` is the shape of the
/// reference, and `name` that of the name in it, which `load` loads.
pub(super) fn load_owned<'gc, 'a, R>(
    input: &mut Decoder<'gc, 'a>,
    (shape, name): (&'static Shape, &'static Shape),
    load: impl FnOnce(&mut Decoder<'gc, 'a>, SharedOwner) -> Result<R, LoadError>,
) -> Result<(R, SharedOwner), LoadError> {
    let current = input.context::<CurrentHeap>();
    let own = current.and_then(|current| Some(SharedOwner(current.place()?)));
    let (variant, mut fields) = input.variant(shape)?;
    let (owner, field) = match variant {
        0 if current.is_some_and(CurrentHeap::is_region) => {
            let why = "a shared object of a region, which can have none";
            return Err(fields.input().error(why));
        }
        0 => (own, 0),
        _ => {
            let number: u64 = fields.field(0)?;
            let place = current.and_then(|current| current.heaps.place(number));
            let Some(place) = place else {
                return Err(fields.input().error(format!(
                    "a reference to a shared object of the heap {number}, which the image lacks"
                )));
            };
            (Some(SharedOwner(place)), 1)
        }
    };
    let Some(owner) = owner else {
        return Err(fields
            .input()
            .error("a reference to an object, where no heap is restored"));
    };
    let value = fields.part(field, name, |input| load(input, owner))?;
    fields.end()?;
    Ok((value, owner))
}

/// The object of this heap that the name in a file means. If the value that is loaded lies in
/// another heap, that heap refers to the object from here on.
pub(super) fn load_shared(
    input: &mut Decoder<'_, '_>,
    shape: &'static Shape,
    SharedOwner(owner): SharedOwner,
    codec: &'static ObjectCodec,
) -> Result<NonNull<Header>, LoadError> {
    let name = BlockName::from_file(input.reference(shape)?);
    let Some(current) = input.context::<CurrentHeap>() else {
        return Err(input.error("a reference to an object, where no heap is restored"));
    };
    let object = RestoreOrder::new(current, input).object(owner, name, codec)?;
    if current.place() != Some(owner)
        && let Some(heap) = current.heap()
    {
        heap.refers_to(object);
    }
    Ok(object)
}
