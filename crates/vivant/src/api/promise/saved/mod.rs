//! How promises are saved: the open ones of an actor, their resolvers, and values on their way.
//!
//! - [`data`]: what sinks and resolvers are saved as; knows no type of a value.
//! - [`value_codecs`]: the types that values may have, of which the runtime's code is generic;
//!   [`values`]: these as tables.
//! - [`outcome_codec`]: how their outcomes are encoded.
//! - [`slots`]: the open promises of an actor.
//! - [`then`]: a continuation that waits.
//! - [`resolver`]: a resolver, as actor and number.
//! - [`stored`]: a sink in a file; [`loaded_sinks`]: what is made of it.
//! - [`opened`]: a promise that is open again.

mod data;
mod loaded_sinks;
mod opened;
mod outcome_codec;
mod resolver;
mod slots;
mod stored;
mod then;
mod value_codecs;
mod values;

pub(super) use data::{PromiseName, SinkSaver};
pub(crate) use data::{PromiseUnsaved, ShapedBytes};
pub(crate) use opened::{OpenPromise, SetSink};
pub(super) use outcome_codec::OutcomeCodec;
#[cfg(test)]
pub(crate) use resolver::ResultTypes;
pub(crate) use resolver::{LoadedPromises, OpenResolver};
pub(crate) use slots::{SavedSlot, saved_slots};
pub(crate) use stored::{LoadedJoins, Stored, StoredSink};
pub(crate) use then::{load_then, then_shape};
pub(crate) use value_codecs::{HoleOf, ReplyOf, ValueName, ValueOf};
pub(crate) use values::{ValueType, ValueTypes};
