//! The sink of a promise that is the answer to another request.

use super::Resolver;
use super::saved::{PromiseUnsaved, ShapedBytes, SinkSaver};
use super::shown::{Awaits, Shown};
use super::sink::{Continue, SinkLink};
use super::sink_data::{SinkData, SinkKind};
use crate::actor::{AskError, Next};

/// The value is the answer to another request.
pub(super) struct AnswerSink<T: Send + 'static>(pub(super) Resolver<T>);

impl<T: Send + 'static> Continue<T> for AnswerSink<T> {
    fn fill(mut self, value: Result<T, AskError>) -> Next {
        self.0.settle(value)
    }
}

impl<T: Send + 'static> SinkLink for AnswerSink<T> {
    fn shown(&self) -> Shown<'_> {
        Shown {
            answer: Some(&self.0),
            awaits: Awaits::Passed(&self.0),
            ..Shown::default()
        }
    }

    fn data(&self) -> SinkData {
        SinkKind::Answer.to(self.0.receiver())
    }

    fn save(&self, saver: &mut SinkSaver<'_>) -> Result<Option<ShapedBytes>, PromiseUnsaved> {
        saver.content(&self.0).map(Some)
    }
}

impl<T: Send + 'static> From<AnswerSink<T>> for Resolver<T> {
    fn from(sink: AnswerSink<T>) -> Resolver<T> {
        sink.0
    }
}
