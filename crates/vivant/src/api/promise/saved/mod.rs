//! How promises are saved: the open ones of an actor, their resolvers, and values on their way.
//!
//! - [`values`]: the types that values may have, of which the runtime's code is generic.
//! - [`slots`]: the open promises of an actor.
//! - [`sinks`]: what a sink is saved as, and loaded from.
//! - [`opened`]: a promise that is open again.
//! - [`resolver`]: a resolver, as actor and number.

mod opened;
mod resolver;
mod sinks;
mod slots;
mod values;

pub(crate) use opened::{LoadedJoins, OpenPromise, OpenResolver};
pub(super) use resolver::PromiseName;
pub(super) use sinks::SinkSaver;
pub(crate) use sinks::{
    LoadThen, PromiseUnsaved, ShapedBytes, Stored, StoredSink, load_then, then_shape,
};
pub(crate) use slots::{SavedSlot, saved_slots};
pub(crate) use values::{HoleOf, ReplyOf, SavedValue, ValueName, ValueOf, ValueType, ValueTypes};
