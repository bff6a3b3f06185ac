//! Promises of a restored actor: open again, with the numbers that they had.

use super::super::answer::AnswerSink;
use super::super::discard::DiscardSink;
use super::super::sink::Sink;
use super::super::sink_data::JoinKind;
use super::super::slot::Asking;
use super::loaded_sinks::{loaded_join, loaded_limit, loaded_wait};
use super::outcome_codec::OutcomeCodec;
use super::stored::StoredSink;
use crate::actor::WaitPurpose;
use vivant_codec::LoadError;

/// Sets what is done with the value of a promise.
pub(crate) type SetSink = Box<dyn FnOnce()>;

/// The promise's end of a slot of any type.
pub(crate) trait OpenPromise {
    /// Loads what is done with the value. What it returns sets that; dropped, nothing is done.
    fn load_sink(self: Box<Self>, sink: &StoredSink<'_>) -> Result<SetSink, LoadError>;
}

pub(super) struct Opened<T: Send + 'static> {
    pub(super) promise: Asking<T>,
    pub(super) codec: &'static OutcomeCodec<T>,
}

impl<T: Send + 'static> OpenPromise for Opened<T> {
    fn load_sink(self: Box<Self>, sink: &StoredSink<'_>) -> Result<SetSink, LoadError> {
        let loaded = loaded(sink, self.codec)?;
        Ok(Box::new(move || self.promise.set_sink(loaded)))
    }
}

fn loaded<T: Send + 'static>(
    sink: &StoredSink<'_>,
    codec: &OutcomeCodec<T>,
) -> Result<Sink<T>, LoadError> {
    Ok(match sink.kind {
        "then" => {
            let load = (sink.continuation)(sink.name);
            let load = load.ok_or_else(|| {
                sink.content
                    .error("a continuation that the program does not list")
            })?;
            let loaded = load(&sink.content)?.downcast();
            *loaded.map_err(|_| {
                sink.content
                    .error("a continuation of another type of value")
            })?
        }
        "discard" => Sink::new(DiscardSink),
        "answer" => Sink::passing(AnswerSink(sink.content.load()?)),
        "limit" => Sink::new(loaded_limit::<T>(sink)?),
        "all" => Sink::new(loaded_join(sink, codec, JoinKind::All)?),
        "quorum" => Sink::new(loaded_join(sink, codec, JoinKind::Quorum)?),
        "any" => Sink::new(loaded_join(sink, codec, JoinKind::Any)?),
        "all_settled" => Sink::new(loaded_join(sink, codec, JoinKind::AllSettled)?),
        "wait" => Sink::new(loaded_wait(sink, WaitPurpose::Reply)?),
        "wait_for_start" => Sink::new(loaded_wait(sink, WaitPurpose::Start)?),
        "wait_for_stop" => Sink::new(loaded_wait(sink, WaitPurpose::Stop)?),
        _ => {
            let why = "what is done with a promise has a name that this version does not know";
            return Err(sink.content.error(why));
        }
    })
}
