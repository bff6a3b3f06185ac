//! Collections in images: chunks are objects of the file, and a restore makes collections anew.

mod btree;
mod hash;
mod radix;
mod string;

use super::chunk::{ChunkOf, Content, Raw};
use vivant_codec::{Encoder, Saved};
use vivant_heap::raw::{Part, RawGc, SavedRaw};

/// A content that images have.
///
/// # Safety
///
/// As for [`SavedRaw`].
pub(crate) unsafe trait SavedContent<'gc>: Content<'gc> {
    /// What an image has of it.
    type Data: Saved<'gc>;

    /// # Safety
    ///
    /// As for [`SavedRaw::save`].
    unsafe fn save(chunk: Raw, out: &mut Encoder<'_>);
}

// SAFETY: by the contract of `SavedContent` (C3).
unsafe impl<'gc, C: SavedContent<'gc>> SavedRaw<'gc> for ChunkOf<C> {
    type Data = C::Data;

    unsafe fn save(object: RawGc, out: &mut Encoder<'_>) {
        // SAFETY: guaranteed by the caller (C3).
        unsafe { C::save(Raw::of(object), out) };
    }
}

/// The name of a chunk in an image.
type PartOf<C> = Part<ChunkOf<C>>;

/// # Safety
///
/// The chunk exists, and has this content. Or a chunk of this content says which one it has.
unsafe fn part<C>(chunk: Raw, out: &mut Encoder<'_>) -> PartOf<C> {
    // SAFETY: guaranteed by the caller (C3).
    unsafe { Part::of(chunk.object(), out) }
}
