//! [`ImageRecorder`]: encodes what a cut captures.

use super::image::{
    ActorRecord, AskedRecord, Content, Image, MessageRecord, PromiseRecord, SystemRecord,
    WaitingKind,
};
use crate::actor::{
    Envelope, Header, Lifecycle, Recorder, RunState, SavedClass, Signals, StateRef, WaitingPlace,
};
use crate::api::{SavedForm, SavedKinds, SavedSlot, ValueName, saved_slots};
use crate::failures::Caught;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::message::MessageRole;
use crate::sync::{Arc, Mutex, Ordering, lock};
use std::fmt;
use vivant_codec::{Encoder, SaveError};

/// The image of a cut that is being taken.
pub(super) struct ImageRecorder {
    kinds: Arc<SavedKinds>,
    recorded: Mutex<Recorded>,
}

#[derive(Default)]
struct Recorded {
    actors: Vec<ActorRecord>,
    /// Those of one place are in their order.
    waiting: Vec<(WaitingPlace, MessageRecord)>,
    error: Option<Unsaved>,
}

/// What an image cannot contain.
#[derive(Debug)]
pub(super) enum Unsaved {
    /// A value of this actor could not be encoded.
    Value { actor: String, error: SaveError },
    /// Code that encodes a value panicked.
    Panicked(String),
    /// The actor has something that no image contains yet.
    Lacking { actor: String, what: String },
}

impl ImageRecorder {
    pub(super) fn new(kinds: Arc<SavedKinds>) -> ImageRecorder {
        ImageRecorder {
            kinds,
            recorded: Mutex::default(),
        }
    }

    /// Returns the image of a complete cut. `numbers` are those that the next actors get.
    pub(super) fn take(&self, numbers: (u64, u32)) -> Result<Image, Unsaved> {
        let mut recorded = std::mem::take(&mut *lock(&self.recorded));
        if let Some(error) = recorded.error {
            return Err(error);
        }
        recorded.actors.sort_by_key(|actor| actor.id);
        // Stable.
        let waiting = &mut recorded.waiting;
        waiting.sort_by_key(|(place, message)| (message.actor, *place));
        let waiting = recorded.waiting.into_iter().map(|(_, message)| message);
        Ok(Image {
            system: SystemRecord { numbers },
            actors: recorded.actors,
            waiting: waiting.collect(),
        })
    }

    fn promises(&self, actor: &Header, state: &StateRef<'_>) -> Vec<PromiseRecord> {
        match saved_slots(state, self.kinds.values()) {
            Ok(slots) => slots.into_iter().map(promise).collect(),
            Err((number, why)) => {
                self.lacks(actor, format!("the open promise {number}: {why}"));
                Vec::new()
            }
        }
    }

    /// An arrival. A value of a type that is not saved is not wanted: else its promise is an error.
    fn arrival(&self, actor: &Header, message: &Envelope) -> Option<(WaitingKind, Vec<u8>)> {
        #[cfg(test)]
        if is_planted(InjectedFault::ArrivalUnrecorded) {
            return None;
        }
        let (value, table) = self.kinds.values().of_arrival(message)?;
        match table.arrival(message) {
            Ok((promise, content)) => {
                let value = value_name(value);
                Some((WaitingKind::Arrival { promise, value }, content.bytes))
            }
            Err(why) => {
                self.lacks(actor, format!("a value for a promise: {why}"));
                None
            }
        }
    }

    fn message(&self, actor: &Header, message: &Envelope) -> Option<(WaitingKind, Vec<u8>)> {
        let kind = message.kind();
        let (Some(form), Some(codec)) = (form_of(kind.role), &kind.codec) else {
            self.lacks(actor, format!("the message `{}`", kind.name));
            return None;
        };
        let name = codec.name;
        let content = self.encoded(actor, |out| message.save(out));
        Some((WaitingKind::Message { form, name }, content))
    }

    fn lacks(&self, actor: &Header, what: impl Into<String>) {
        let (actor, what) = (actor.path(), what.into());
        self.fails(Unsaved::Lacking { actor, what });
    }

    fn fails(&self, error: Unsaved) {
        lock(&self.recorded).error.get_or_insert(error);
    }

    /// Returns what is encoded, or nothing after an error.
    fn encoded(&self, actor: &Header, save: impl FnOnce(&mut Encoder<'_>)) -> Vec<u8> {
        let mut out = Encoder::new();
        save(&mut out);
        out.finish().unwrap_or_else(|error| {
            let actor = actor.path();
            self.fails(Unsaved::Value { actor, error });
            Vec::new()
        })
    }

    fn content(&self, actor: &Header, state: &mut StateRef<'_>) -> Content {
        match &actor.class.saved {
            SavedClass::Nothing => Content::NotSaved,
            SavedClass::State(_) if !state.has_state() => Content::Unstarted,
            SavedClass::State(functions) => {
                Content::State(self.encoded(actor, |out| (functions.save)(state, out)))
            }
            SavedClass::Start(_) if !state.has_state() => Content::Unstarted,
            SavedClass::Start(start) => match start(state) {
                Some((name, Ok(args))) => Content::Start(name.to_string(), args.into()),
                Some((_, Err(error))) => {
                    let actor = actor.path();
                    self.fails(Unsaved::Value { actor, error });
                    Content::NotSaved
                }
                None => {
                    self.lacks(actor, "a start by a closure or a value");
                    Content::NotSaved
                }
            },
        }
    }
}

impl Recorder for ImageRecorder {
    fn captured(&self, actor: &Header, state: &mut StateRef<'_>) {
        let content = self.content(actor, state);
        let promises = match &content {
            Content::State(_) | Content::Unstarted => self.promises(actor, state),
            // It begins anew, or has ended: nothing waits for them.
            Content::Start(..) | Content::NotSaved => Vec::new(),
        };
        let record = ActorRecord {
            id: actor.id,
            class: actor.class.name,
            path: actor.numbers(),
            children: actor.children(),
            // Relaxed: the caller holds the actor.
            random: actor.random.load(Ordering::Relaxed),
            content,
            promises,
        };
        lock(&self.recorded).actors.push(record);
    }

    fn captured_run_state(&self, actor: &Header, run_state: &RunState) {
        let Some(cold) = &run_state.cold else {
            return;
        };
        if matches!(actor.class.saved, SavedClass::Nothing) {
            return;
        }
        if cold.step.is_some() {
            self.lacks(actor, "a behaviour between two steps");
        }
        if cold.child.is_some() {
            self.lacks(actor, "a supervisor");
        }
        if !(cold.watches.is_empty() && cold.linked.is_empty()) {
            self.lacks(actor, "a monitor or a link");
        }
        if run_state.life == Lifecycle::Stopping {
            self.lacks(actor, "a stop hook that waits");
        }
        if cold.constrained.is_some() {
            self.lacks(actor, "synchronizers");
        }
    }

    fn waits(&self, actor: &Header, place: WaitingPlace, message: &Envelope) {
        if matches!(actor.class.saved, SavedClass::Nothing) {
            return;
        }
        let saved = match message.kind().role {
            MessageRole::Resolution => self.arrival(actor, message),
            _ => self.message(actor, message),
        };
        let Some((kind, content)) = saved else {
            return;
        };
        let record = MessageRecord {
            actor: actor.id,
            kind,
            made: message.head().place,
            content,
        };
        lock(&self.recorded).waiting.push((place, record));
    }

    fn panicked(&self, caught: Caught) {
        self.fails(Unsaved::Panicked(caught.message));
    }

    fn is_signalled(&self, actor: &Header, signals: Signals) {
        if signals.has(Signals::OF_PROGRAM) {
            self.lacks(actor, "a signal");
        }
    }
}

fn promise(slot: SavedSlot) -> PromiseRecord {
    let values = slot.values.into_iter();
    PromiseRecord {
        number: slot.number,
        sink: slot.sink.to_string(),
        value: value_name(slot.value),
        content: slot.content.bytes,
        values: values.map(|(at, value)| (at, value.bytes)).collect(),
        asked: slot.asked.map(|asked| AskedRecord {
            actor: asked.answerer,
            behaviour: asked.behaviour.to_string(),
            made: asked.place,
        }),
    }
}

fn value_name(value: ValueName) -> ValueName<String> {
    ValueName {
        of: value.of,
        behaviour: value.behaviour.to_owned(),
    }
}

/// The form of a message that waits in a mailbox.
fn form_of(role: MessageRole) -> Option<SavedForm> {
    match role {
        MessageRole::Start => Some(SavedForm::Start),
        MessageRole::Turn | MessageRole::Continuation | MessageRole::Bounded => {
            Some(SavedForm::Message)
        }
        _ => None,
    }
}

impl fmt::Display for Unsaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsaved::Value { actor, error } => write!(f, "{actor} cannot be saved: {error}"),
            Unsaved::Panicked(message) => {
                write!(f, "the code that saves a value panicked: {message}")
            }
            Unsaved::Lacking { actor, what } => {
                write!(f, "{actor} has what an image does not contain: {what}")
            }
        }
    }
}

impl std::error::Error for Unsaved {}
