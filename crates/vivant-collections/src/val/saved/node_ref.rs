//! [`NodeRef`]: a reference to a node, in images.

use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};
use vivant_heap::raw::{SharedContent, load_val, restoring, save_val, val_shape};
use vivant_heap::{Mutator, Val};

/// A reference to a node. As a [`Val`], without the bound that its content is saved with every
/// brand: the handles of collections have that bound for their elements (J8), and nothing else
/// leads to a node.
pub(super) struct NodeRef<'gc, T: ?Sized>(pub(super) Val<'gc, T>);

#[allow(unsafe_code, reason = "names a bound that handles have")]
impl<'gc, T: ?Sized + SharedContent<'gc>> Saved<'gc> for NodeRef<'gc, T> {
    // SAFETY: handles have the bound (J8).
    const SHAPE: &'static Shape = &unsafe { val_shape::<'gc, T>() };

    fn save(&self, out: &mut Encoder<'_>) {
        save_val(self.0, out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        // SAFETY: handles have the bound (J8).
        Ok(NodeRef(unsafe { load_val(input, Self::SHAPE)? }))
    }
}

/// Makes a collection anew, in the heap that is being restored.
#[allow(unsafe_code, reason = "a restore gives the mutator to this alone")]
pub(super) fn made_anew<'gc, T>(
    input: &mut Decoder<'gc, '_>,
    make: impl FnOnce(&Mutator<'gc>) -> T,
) -> Result<T, LoadError> {
    // SAFETY: the caller is the load of a collection, and makes that alone (S1).
    unsafe { restoring(input, |m, _| Ok(make(m))) }
}
