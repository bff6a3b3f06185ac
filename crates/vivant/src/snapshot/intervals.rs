//! [`RestoredInterval`]: what an interval of a restored system sends.

use super::by_id::ById;
use super::repeated_message::RepeatedMessage;
use crate::actor::{AddressRef, DelayedMessage, Delivery, Envelope, To, post_or_bury};
use crate::api::SavedKinds;
use crate::services::{Interval, Periodic};
use crate::sync::Arc;
use std::rc::Rc;
use vivant_codec::LoadError;

/// A message that is decoded for each tick.
pub(super) struct RestoredInterval {
    to: AddressRef,
    message: RepeatedMessage,
}

impl RestoredInterval {
    /// Copies of this message.
    pub(super) fn new(
        to: &AddressRef,
        message: &Envelope,
        kinds: &Arc<SavedKinds>,
        by_id: &Rc<ById>,
    ) -> Result<RestoredInterval, LoadError> {
        Ok(RestoredInterval {
            to: to.clone(),
            message: RepeatedMessage::new(&to.system, message, kinds, by_id)?,
        })
    }
}

impl Periodic<DelayedMessage> for RestoredInterval {
    fn name(&self) -> &'static str {
        self.message.kind().name.as_str()
    }

    fn send_copy(&self) -> Interval {
        if self.to.ended().is_some() {
            return Interval::End;
        }
        let Ok(message) = self.message.decode() else {
            return Interval::End;
        };
        post_or_bury(To::Lent(&self.to), message);
        Interval::Continue
    }

    fn copy(&self) -> Option<DelayedMessage> {
        let envelope = self.message.decode().ok()?;
        let to = self.to.clone();
        Some(DelayedMessage::Strong(Delivery { to, envelope }))
    }
}
