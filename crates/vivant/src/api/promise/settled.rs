//! Promises that are not broken: their value says whether there was an error.

use super::saved::{PromiseUnsaved, ShapedBytes, SinkSaver};
use super::shown::{Awaits, Shown};
use super::sink::{Continue, SinkLink};
use super::sink_data::{SinkData, SinkKind};
use super::{Promise, PromiseState, Resolver};
use crate::actor::{AddressRef, AskError, Next};

impl<T: Send + 'static> Promise<T> {
    /// Returns a promise of `owner` of the value, or of the error as a value.
    pub(crate) fn settled(self, owner: &AddressRef) -> Promise<Result<T, AskError>> {
        if let PromiseState::Ready(value) = self.kind {
            return Promise::ready(value);
        }
        let (promise, resolver) = Promise::open(owner.clone());
        self.sink_into(owner, SettledSink(resolver));
        promise
    }
}

pub(super) struct SettledSink<T: Send + 'static>(pub(super) Resolver<Result<T, AskError>>);

impl<T: Send + 'static> Continue<T> for SettledSink<T> {
    fn fill(self, value: Result<T, AskError>) -> Next {
        self.0.settled_by(Ok(value))
    }
}

impl<T: Send + 'static> SinkLink for SettledSink<T> {
    fn shown(&self) -> Shown<'_> {
        Shown {
            awaits: Awaits::Passed(&self.0),
            ..Shown::default()
        }
    }

    fn data(&self) -> SinkData {
        SinkKind::Settled.to(self.0.receiver())
    }

    fn save(&self, saver: &mut SinkSaver<'_>) -> Result<Option<ShapedBytes>, PromiseUnsaved> {
        saver.content(&self.0).map(Some)
    }
}
