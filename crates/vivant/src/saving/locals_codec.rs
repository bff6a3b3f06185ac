//! [`LocalsCodec`]: how the locals of a behaviour in steps are saved that lie in the heap of their
//! actor.

use super::codec::StoredShape;
use super::save_kind::{NotSaved, SavedState};
use std::fmt;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};
use vivant_heap::{Anything, Gc, HeapDecoder};

/// How locals of one type are written and read. The object in the heap has it, and the message of
/// the next step.
#[derive(Clone, Copy)]
pub struct LocalsCodec {
    pub(crate) shape: &'static Shape,
    pub(crate) save: for<'gc> fn(Gc<'gc, dyn Anything>, &mut Encoder<'_>),
    pub(crate) load: LoadLocals,
}

/// Makes the object again, of these bytes with this shape in a file.
type LoadLocals = for<'gc, 'a> fn(
    &HeapDecoder<'gc, '_>,
    &'a [u8],
    StoredShape<'a>,
) -> Result<Gc<'gc, dyn Anything>, LoadError>;

/// What an image has of locals in a heap.
#[derive(Clone, Copy)]
pub(crate) struct StoredLocals<'a> {
    pub(crate) codec: LocalsCodec,
    pub(crate) bytes: &'a [u8],
    pub(crate) shape: StoredShape<'a>,
}

/// Locals with the brand `'gc` that an actor of the kind `K` can have: any if its state is not
/// saved, and [`Saved`] ones otherwise.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be saved, and this actor is",
    label = "these locals are not `Saved`",
    note = "a type of this program: add `#[derive(Saved)]` to it"
)]
pub trait SavedInHeap<'gc, K>: Sized {
    /// The form of the encoding.
    #[doc(hidden)]
    const IN_HEAP: &'static Shape;

    /// Appends the value.
    #[doc(hidden)]
    fn save_in_heap(&self, out: &mut Encoder<'_>);

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// The bytes are not those of a value of this type, or the kind saves none.
    #[doc(hidden)]
    fn load_in_heap(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError>;
}

/// Nothing calls these functions: a kind that saves nothing has no [`LocalsCodec`].
impl<'gc, T> SavedInHeap<'gc, NotSaved> for T {
    const IN_HEAP: &'static Shape = <() as Saved<'static>>::SHAPE;

    fn save_in_heap(&self, out: &mut Encoder<'_>) {
        out.error("locals of an actor that is not saved");
    }

    fn load_in_heap(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        Err(input.error("locals of an actor that is not saved"))
    }
}

impl<'gc, T: Saved<'gc>> SavedInHeap<'gc, SavedState> for T {
    const IN_HEAP: &'static Shape = T::SHAPE;

    fn save_in_heap(&self, out: &mut Encoder<'_>) {
        self.save(out);
    }

    fn load_in_heap(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        T::load(input)
    }
}

impl fmt::Debug for LocalsCodec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalsCodec({})", self.shape.name())
    }
}
