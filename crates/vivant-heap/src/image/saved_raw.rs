//! [`SavedRaw`]: raw objects in images.

use crate::object::raw_object::{RawGc, RawType};
use vivant_codec::{Encoder, Saved};

/// Raw objects of which images have the contents.
///
/// # Safety
///
/// As for [`RawType`]. `save` appends a value of `Data`.
pub unsafe trait SavedRaw<'gc>: RawType<'gc> {
    /// What an image has of a content.
    type Data: Saved<'gc>;

    /// Appends the content.
    ///
    /// # Safety
    ///
    /// It is an object of this type, with old objects alone below it, and nothing writes it
    /// meanwhile.
    unsafe fn save(object: RawGc, out: &mut Encoder<'_>);
}
