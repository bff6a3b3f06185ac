//! A panic of user code, and the turn in which an error arose.

use crate::interned::Name;
use crate::saving::saved_struct;
use crate::sync::Arc;
use std::fmt;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};

/// The turn in which the error arose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    /// Path of the actor, or `outside` when no turn was running.
    pub actor: String,
    /// Stable name of the behaviour that was running, or `-`.
    pub behaviour: Name,
}

/// A panic that was caught at the boundary of a turn.
#[derive(Clone, PartialEq, Eq)]
pub struct Panic(Arc<PanicDetails>);

#[derive(PartialEq, Eq)]
struct PanicDetails {
    actor: String,
    behaviour: Name,
    message: String,
    place: Option<String>,
}

impl Panic {
    pub(crate) fn of(Inside { actor, behaviour }: Inside, caught: super::catch::Caught) -> Panic {
        Panic(Arc::new(PanicDetails {
            actor,
            behaviour,
            message: caught.message,
            place: caught.place,
        }))
    }

    /// Path of the actor that panicked.
    pub fn actor(&self) -> &str {
        &self.0.actor
    }

    /// Stable name of the behaviour that panicked.
    pub fn behaviour(&self) -> Name {
        self.0.behaviour
    }

    /// The panic's message.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where it happened, `file:line:column`; `None` when the program replaced the panic hook after
    /// the system began.
    pub fn place(&self) -> Option<&str> {
        self.0.place.as_deref()
    }
}

impl fmt::Debug for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Panic({self})")
    }
}

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place().unwrap_or("an unknown place");
        write!(
            f,
            "\"{}\" at {place}, in {} of {}",
            self.message(),
            self.behaviour(),
            self.actor()
        )
    }
}

saved_struct!(PanicDetails as "vivant::Panic" {
    0 actor: String,
    1 behaviour: Name,
    2 message: String,
    3 place: Option<String>,
});

impl<'gc> Saved<'gc> for Panic {
    const SHAPE: &'static Shape = <PanicDetails as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        self.0.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        Ok(Panic(Saved::load(input)?))
    }
}

vivant_heap::leaf!([] Panic);
