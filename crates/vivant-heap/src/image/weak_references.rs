//! Weak references in images: an object that refers to its target, or to nothing.

use super::content::Content;
use super::object_codec::ObjectCodec;
use super::references::{load_object, save_object, weak_shape};
use super::saved_target::SavedTarget;
use crate::alloc::header::Header;
use crate::object::gc::Gc;
use crate::object::table::Table;
use crate::object::weak_target::WeakTarget;
use crate::types::weak::{Weak, WeakCell};
use std::ptr::NonNull;
use vivant_codec::{Decoder, Encoder, LoadError, ReferenceTarget, Saved, Shape, shape_of};

impl<'gc, T: ?Sized + SavedTarget<'gc>> Saved<'gc> for Weak<'gc, T> {
    const SHAPE: &'static Shape =
        &weak_shape(ReferenceTarget::new(|| const { &codec::<'gc, T>() }));

    fn save(&self, out: &mut Encoder<'_>) {
        save_object(self.cell.header(), out);
    }

    /// The object that it refers to is restored, also if nothing else refers to it.
    fn load(input: &mut Decoder<'gc, '_>) -> Result<Weak<'gc, T>, LoadError> {
        let object = load_object(input, Self::SHAPE, const { &codec::<'gc, T>() })?;
        // SAFETY: an object with this codec (S3), in the heap that is being restored, of which the
        // decoder has the brand (S1).
        let cell = unsafe { Gc::at(object.add(1).cast()) };
        Ok(Weak { cell })
    }
}

/// The codec of the cells of weak references. A cell changes in place: what it refers to may lead
/// back to it.
const fn codec<'gc, T: ?Sized + SavedTarget<'gc>>() -> ObjectCodec {
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
unsafe fn save_weak<'gc, T: ?Sized + SavedTarget<'gc>>(value: NonNull<u8>, out: &mut Encoder<'_>) {
    // SAFETY: the caller's contract (X1).
    let cell = unsafe { value.cast::<WeakCell<T>>().as_ref() };
    let target: Option<Gc<'gc, T>> = cell.target().map(|target| {
        // SAFETY: it is not cleared, so its target is in its place (Y3).
        unsafe { cell.referent(target) }
    });
    target.save(out);
}

/// # Safety
///
/// There is room for a header and a weak cell of a `T`.
unsafe fn begin_weak<'gc, T: ?Sized + SavedTarget<'gc>>(object: NonNull<Header>) {
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
unsafe fn fill_weak<'gc, T: ?Sized + SavedTarget<'gc>>(
    content: Content<'_>,
    object: NonNull<Header>,
) -> Result<(), LoadError> {
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
