//! [`SavedBy`]: whether a value can be in the messages of an actor, by the actor's kind.

use super::save_kind::{NotSaved, SavedStart, SavedState};
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};

/// Values that an actor of the kind `K` can have in its messages: of any type if it is not saved,
/// and of a [`Saved`] type otherwise.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be saved, and this actor is",
    label = "this type is not `Saved`",
    note = "a type of this program: add `#[derive(Saved)]` to it",
    note = "a type of another crate that has serde's traits: `#[saved(serde)]` at the argument",
    note = "`HashMap`, `HashSet`: their order is another one in each run; use `BTreeMap`, `BTreeSet`, or `#[saved(any_order)]` at the argument",
    note = "`Instant`: it has no meaning in another process; send a `Duration` or a `SystemTime`",
    note = "`&'static str`: a file cannot supply it; send a `String`, or `Cow<'static, str>`",
    note = "`fn`, closures: code has no name in a file; send an enum of what to do",
    note = "an actor that need not be saved: remove `saved` from `#[actor(saved)]`"
)]
pub trait SavedBy<K>: Sized {
    /// The form of the encoding.
    #[doc(hidden)]
    const BY_SHAPE: &'static Shape;

    /// Appends the value.
    #[doc(hidden)]
    fn save_by(&self, out: &mut Encoder<'_>);

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// The bytes are not those of a value of this type, or the kind saves none.
    #[doc(hidden)]
    fn load_by(input: &mut Decoder<'_, '_>) -> Result<Self, LoadError>;
}

/// Nothing calls these functions: a kind that saves nothing has no [`Codec`](super::Codec).
impl<T> SavedBy<NotSaved> for T {
    const BY_SHAPE: &'static Shape = <() as Saved<'static>>::SHAPE;

    fn save_by(&self, out: &mut Encoder<'_>) {
        out.error("a value of an actor that is not saved");
    }

    fn load_by(input: &mut Decoder<'_, '_>) -> Result<Self, LoadError> {
        Err(input.error("a value of an actor that is not saved"))
    }
}

macro_rules! saved_by {
    ($($kind:ident)*) => {
        $(impl<T: for<'gc> Saved<'gc>> SavedBy<$kind> for T {
            const BY_SHAPE: &'static Shape = <T as Saved<'static>>::SHAPE;

            fn save_by(&self, out: &mut Encoder<'_>) {
                self.save(out);
            }

            fn load_by<'gc>(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
                <T as Saved<'gc>>::load(input)
            }
        })*
    };
}

saved_by!(SavedState SavedStart);
