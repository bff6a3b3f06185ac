//! [`ImageRecorder`]: encodes what a cut captures.

use super::image::{ActorRecord, Content, Image, MessageRecord, SystemRecord};
use crate::actor::{
    Envelope, Header, Recorder, RunState, SavedClass, Signals, StateRef, WaitingPlace,
};
use crate::api::{SavedForm, open_slots};
use crate::failures::Caught;
use crate::message::MessageRole;
use crate::sync::{Mutex, Ordering, lock};
use std::fmt;
use vivant_codec::{Encoder, SaveError};

/// The image of a cut that is being taken.
#[derive(Default)]
pub(super) struct ImageRecorder(Mutex<Recorded>);

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
    /// Returns the image of a complete cut. `numbers` are those that the next actors get.
    pub(super) fn take(&self, numbers: (u64, u32)) -> Result<Image, Unsaved> {
        let mut recorded = std::mem::take(&mut *lock(&self.0));
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

    fn lacks(&self, actor: &Header, what: impl Into<String>) {
        let (actor, what) = (actor.path(), what.into());
        self.fails(Unsaved::Lacking { actor, what });
    }

    fn fails(&self, error: Unsaved) {
        lock(&self.0).error.get_or_insert(error);
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
        if content != Content::NotSaved
            && let Some(open) = open_slots(state).iter().find(|slot| slot.is_wanted())
        {
            self.lacks(actor, format!("an open promise: {open:?}"));
        }
        let record = ActorRecord {
            id: actor.id,
            class: actor.class.name,
            path: actor.numbers(),
            children: actor.children(),
            // Relaxed: the caller holds the actor.
            random: actor.random.load(Ordering::Relaxed),
            content,
        };
        lock(&self.0).actors.push(record);
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
        if !(cold.waits.is_empty() && cold.watches.is_empty() && cold.linked.is_empty()) {
            self.lacks(actor, "an exclusive wait, a monitor or a link");
        }
        if cold.constrained.is_some() {
            self.lacks(actor, "synchronizers");
        }
    }

    fn waits(&self, actor: &Header, place: WaitingPlace, message: &Envelope) {
        let kind = message.kind();
        if matches!(actor.class.saved, SavedClass::Nothing) {
            return;
        }
        let (Some(form), Some(codec)) = (form_of(kind.role), &kind.codec) else {
            return self.lacks(actor, format!("the message `{}`", kind.name));
        };
        let record = MessageRecord {
            actor: actor.id,
            form,
            name: codec.name,
            made: message.head().place,
            content: self.encoded(actor, |out| message.save(out)),
        };
        lock(&self.0).waiting.push((place, record));
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
