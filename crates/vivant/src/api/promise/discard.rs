//! The sink of a promise that was dropped.

use super::receiver::Receiver;
use super::saved::{PromiseUnsaved, ShapedBytes, SinkSaver};
use super::shown::{Awaits, Shown};
use super::sink::{Continue, SinkLink};
use super::sink_data::{SinkData, SinkKind};
use crate::actor::{AskError, Next, drop_foreign};

/// Nothing is done with the value: the promise was dropped.
pub(super) struct DiscardSink;

impl<T: Send + 'static> Continue<T> for DiscardSink {
    fn fill(self, value: Result<T, AskError>) -> Next {
        drop_foreign("the drop of an answer", value);
        Next::Nothing
    }
}

impl SinkLink for DiscardSink {
    fn shown(&self) -> Shown<'_> {
        Shown {
            awaits: Awaits::Nothing,
            ..Shown::default()
        }
    }

    fn data(&self) -> SinkData {
        SinkKind::Discard.to(Receiver::Nothing)
    }

    fn save(&self, _: &mut SinkSaver<'_>) -> Result<Option<ShapedBytes>, PromiseUnsaved> {
        Ok(None)
    }
}
