//! How a value is encoded, and why it may not be.

use super::super::unsaved::Unsaved;
use crate::actor::Header;
use crate::failures::{Caught, catch};
use std::any::Any;
use vivant_codec::{Encoder, SaveError};

pub(super) fn lacking(actor: &Header, what: impl Into<String>) -> Unsaved {
    let (actor, what) = (actor.path(), what.into());
    Unsaved::Lacking { actor, what }
}

pub(super) fn not_listed(actor: &Header, what: String) -> Unsaved {
    let actor = actor.path();
    Unsaved::NotListed { actor, what }
}

/// Why a value could not be encoded.
pub(super) enum NotEncoded {
    Error(SaveError),
    Panic(String),
}

impl NotEncoded {
    pub(super) fn of(self, actor: &Header) -> Unsaved {
        let actor = actor.path();
        match self {
            NotEncoded::Error(error) => Unsaved::Value { actor, error },
            NotEncoded::Panic(message) => Unsaved::Panicked { actor, message },
        }
    }
}

/// Returns `buffer`, which is empty, with what is encoded.
pub(super) fn encode(
    buffer: Vec<u8>,
    contexts: &[&dyn Any],
    save: impl FnOnce(&mut Encoder<'_>),
) -> Result<Vec<u8>, NotEncoded> {
    let encoded = catch(|| {
        let mut out = Encoder::new().append_to(buffer).with_contexts(contexts);
        save(&mut out);
        out.finish()
    });
    match encoded {
        Ok(encoded) => encoded.map_err(NotEncoded::Error),
        Err(Caught { message, .. }) => Err(NotEncoded::Panic(message)),
    }
}
