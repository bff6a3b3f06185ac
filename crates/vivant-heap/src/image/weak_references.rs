//! Weak references in images: an object that refers to its target, or to nothing.

use super::content::Content;
use super::object_codec::ObjectCodec;
use super::references::{load_object, save_object, weak_shape};
use crate::alloc::header::Header;
use crate::object::collected::Collected;
use crate::object::erased::Erased;
use crate::object::gc::Gc;
use crate::object::object_trait::Object;
use crate::object::table::Table;
use crate::object::weak_target::WeakTarget;
use crate::types::weak::{Weak, WeakCell};
use std::ptr::NonNull;
use vivant_codec::{Decoder, Encoder, LoadError, ReferenceTarget, Saved, Shape, shape_of};

impl<'gc, T> Saved<'gc> for Weak<'gc, T>
where
    T: Object<'gc> + Saved<'gc> + Erased,
    for<'any> <T as Erased>::Of<'any>: Saved<'any>,
{
    const SHAPE: &'static Shape =
        &weak_shape(ReferenceTarget::new(|| const { &codec::<'gc, T>() }));

    fn save(&self, out: &mut Encoder<'_>) {
        save_object(self.cell.header(), out);
    }

    /// The object that it refers to is restored, also if nothing else refers to it.
    fn load(input: &mut Decoder<'gc, '_>) -> Result<Weak<'gc, T>, LoadError> {
        load(input, Self::SHAPE, const { &codec::<'gc, T>() })
    }
}

impl<'gc, T> Saved<'gc> for Weak<'gc, [T]>
where
    T: Object<'gc> + Saved<'gc> + Erased,
    for<'any> <T as Erased>::Of<'any>: Saved<'any>,
{
    const SHAPE: &'static Shape =
        &weak_shape(ReferenceTarget::new(|| const { &codec::<'gc, [T]>() }));

    fn save(&self, out: &mut Encoder<'_>) {
        save_object(self.cell.header(), out);
    }

    /// As for one object.
    fn load(input: &mut Decoder<'gc, '_>) -> Result<Weak<'gc, [T]>, LoadError> {
        load(input, Self::SHAPE, const { &codec::<'gc, [T]>() })
    }
}

impl<'gc> Saved<'gc> for Weak<'gc, str> {
    const SHAPE: &'static Shape =
        &weak_shape(ReferenceTarget::new(|| const { &codec::<'gc, str>() }));

    fn save(&self, out: &mut Encoder<'_>) {
        save_object(self.cell.header(), out);
    }

    /// As for one object.
    fn load(input: &mut Decoder<'gc, '_>) -> Result<Weak<'gc, str>, LoadError> {
        load(input, Self::SHAPE, const { &codec::<'gc, str>() })
    }
}

fn load<'gc, T: ?Sized + Target<'gc>>(
    input: &mut Decoder<'gc, '_>,
    shape: &'static Shape,
    codec: &'static ObjectCodec,
) -> Result<Weak<'gc, T>, LoadError>
where
    Gc<'gc, T>: Saved<'gc>,
{
    let object = load_object(input, shape, codec)?;
    // SAFETY: an object with this codec (S3), in the heap that is being restored, of which the
    // decoder has the brand (S1).
    let cell = unsafe { Gc::at(object.add(1).cast()) };
    Ok(Weak { cell })
}

/// What a weak reference of an image may refer to.
trait Target<'gc>: Collected<'gc> {
    /// The value of a reference without a target. Nothing reads it.
    fn nothing() -> NonNull<Self>;
}

impl<'gc, T: Object<'gc>> Target<'gc> for T {
    fn nothing() -> NonNull<T> {
        NonNull::dangling()
    }
}

impl<'gc, T: Object<'gc>> Target<'gc> for [T] {
    fn nothing() -> NonNull<[T]> {
        NonNull::slice_from_raw_parts(NonNull::dangling(), 0)
    }
}

impl<'gc> Target<'gc> for str {
    fn nothing() -> NonNull<str> {
        NonNull::from("")
    }
}

/// The codec of the cells of weak references. A cell changes in place: what it refers to may lead
/// back to it.
const fn codec<'gc, T: ?Sized + Target<'gc>>() -> ObjectCodec
where
    Gc<'gc, T>: Saved<'gc>,
{
    ObjectCodec::in_place(
        Table::of::<WeakCell<T>>,
        shape_of::<'gc, Option<Gc<'gc, T>>>(),
        size_of::<WeakCell<T>>(),
        (save_weak::<T>, begin_weak::<T>, fill_weak::<T>),
    )
}

/// # Safety
///
/// A weak cell of a `T` lies at `value`, and no turn runs.
unsafe fn save_weak<'gc, T: ?Sized + Target<'gc>>(value: NonNull<u8>, out: &mut Encoder<'_>) {
    // SAFETY: the caller's contract (X1).
    let target = unsafe { value.cast::<WeakCell<T>>().as_ref() }.target();
    match target {
        None => out.variant(0),
        Some(target) => {
            out.variant(1);
            save_object(target, out);
        }
    }
}

/// # Safety
///
/// There is room for a header and a weak cell of a `T`.
unsafe fn begin_weak<'gc, T: ?Sized + Target<'gc>>(object: NonNull<Header>) {
    // SAFETY: the caller's contract (X1).
    unsafe {
        object.write(Header::new(Table::of::<WeakCell<T>>()));
        let cell = object.add(1).cast::<WeakCell<T>>();
        cell.write(WeakCell::new(WeakTarget::cleared(), T::nothing()));
    }
}

/// # Safety
///
/// `begin_weak` made the object, in the heap that is being restored and has the brand `'gc`.
unsafe fn fill_weak<'gc, T: ?Sized + Target<'gc>>(
    content: Content<'_>,
    object: NonNull<Header>,
) -> Result<(), LoadError>
where
    Gc<'gc, T>: Saved<'gc>,
{
    // SAFETY: the caller's contract (X1).
    let target: Option<Gc<'gc, T>> = unsafe { content.load()? };
    if let Some(target) = target {
        let (header, value) = (target.header(), Gc::pointer(target));
        // SAFETY: the caller's contract (X1): a cell is there, which has no destructor.
        unsafe {
            let cell = object.add(1).cast::<WeakCell<T>>();
            cell.write(WeakCell::new(WeakTarget::new(header), value));
        }
    }
    Ok(())
}
