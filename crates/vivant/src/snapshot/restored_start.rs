//! [`RestoredStart`]: the start of a child that its supervisor keeps in a restored system.

use super::by_id::ById;
use super::repeated_message::RepeatedMessage;
use crate::actor::{AddressRef, Begin, Envelope, NamedStart, StateRef, Worker};
use crate::api::SavedKinds;
use crate::sync::Arc;
use std::rc::Rc;
use vivant_codec::{Encoder, LoadError, Saved, Shape};

/// A start with arguments that are decoded for each incarnation.
pub(super) struct RestoredStart(RepeatedMessage);

impl RestoredStart {
    /// The start of `child` by this message.
    pub(super) fn new(
        child: &AddressRef,
        start: &Envelope,
        kinds: &Arc<SavedKinds>,
        by_id: &Rc<ById>,
    ) -> Result<RestoredStart, LoadError> {
        let start = RepeatedMessage::new(&child.system, start, kinds, by_id)?;
        Ok(RestoredStart(start))
    }
}

impl Begin for RestoredStart {
    fn begin(&self, state: &mut StateRef<'_>, worker: &Worker) {
        match self.0.decode() {
            Ok(start) => drop(start.run(state, worker)),
            // The supervisor hears of it as of a start that panics.
            Err(error) => panic!("the arguments of the start: {error}"),
        }
    }

    fn saved(&self) -> Option<&dyn NamedStart> {
        Some(self)
    }
}

impl NamedStart for RestoredStart {
    fn name(&self) -> &str {
        let codec = self.0.kind().codec.as_ref();
        codec.map_or("", |codec| codec.name)
    }

    fn shape(&self) -> &'static Shape {
        let codec = self.0.kind().codec.as_ref();
        codec.map_or(<() as Saved<'static>>::SHAPE, |codec| codec.shape)
    }

    fn save_args(&self, out: &mut Encoder<'_>) {
        match self.0.decode() {
            Ok(start) => start.save(out),
            Err(error) => out.error(error.to_string()),
        }
    }
}
