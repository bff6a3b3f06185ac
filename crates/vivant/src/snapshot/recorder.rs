//! [`ImageRecorder`]: encodes what a cut captures.

use super::census::{Census, SavedAs};
#[cfg(test)]
use super::image::Image;
use super::image::{
    ActorRecord, Content, Encoded, MessageRecord, Record, StartRecord, SystemRecord, WaitingRecord,
};
use crate::actor::{
    Class, Envelope, Header, Recorder, RunState, SavedClass, Signals, StateRef, WaitingPlace,
};
use crate::api::{SavedForm, SavedKind, SavedKinds, open_slots};
use crate::failures::{Caught, catch};
use crate::message::MessageRole;
use crate::saving::EncodedStart;
use crate::sync::{Arc, Mutex, Ordering, lock};
use std::fmt;
use std::time::Duration;
use vivant_codec::{Encoder, SaveError, Shape, ShapeId, Shapes};

/// What a cut that is being taken has recorded. Holders of actors encode into it; the thread that
/// takes the cut [drains](ImageRecorder::drain) it.
pub(super) struct ImageRecorder {
    kinds: Arc<SavedKinds>,
    recorded: Mutex<Recorded>,
}

#[derive(Default)]
struct Recorded {
    shapes: Shapes,
    records: Vec<Record>,
    /// The ordinal of the next waiting message. Messages of one place come in their order.
    next_ordinal: u64,
    census: Census,
    error: Option<Unsaved>,
}

/// What an image cannot contain.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unsaved {
    /// A value of this actor could not be encoded.
    Value {
        /// Path of the actor.
        actor: String,
        /// Why.
        error: SaveError,
    },
    /// Code that encodes a value of this actor panicked.
    Panicked {
        /// Path of the actor.
        actor: String,
        /// The message of the panic.
        message: String,
    },
    /// The recording itself panicked, with this message.
    Failed(String),
    /// The program saves this type of actor, or this message of it, and does not list it.
    NotListed {
        /// Path of the actor.
        actor: String,
        /// The type or the message.
        what: String,
    },
    /// The actor has something that no image contains yet.
    Lacking {
        /// Path of the actor.
        actor: String,
        /// What it has.
        what: String,
    },
    /// The types of the program have too many shapes.
    Shapes(SaveError),
}

/// What is known of a cut when it is complete, besides its records.
pub(super) struct Completed {
    pub(super) system: SystemRecord,
    pub(super) shapes: Shapes,
    #[cfg_attr(not(feature = "snapshots"), allow(dead_code))]
    pub(super) census: Census,
}

impl ImageRecorder {
    /// A recorder for a program with these kinds. Their shapes come first in the table of shapes,
    /// so that one program always writes the same table.
    pub(super) fn new(kinds: Arc<SavedKinds>) -> Result<ImageRecorder, Unsaved> {
        let mut recorded = Recorded::default();
        for shape in kinds.shapes() {
            recorded.shapes.add(shape).map_err(Unsaved::Shapes)?;
        }
        Ok(ImageRecorder {
            kinds,
            recorded: Mutex::new(recorded),
        })
    }

    /// Returns what was recorded since the last call, or why the cut cannot be saved.
    pub(super) fn drain(&self) -> Result<Vec<Record>, Unsaved> {
        let mut recorded = lock(&self.recorded);
        match recorded.error.take() {
            Some(error) => Err(error),
            None => Ok(std::mem::take(&mut recorded.records)),
        }
    }

    /// Ends the recording, after the cut is complete and drained. `numbers` are those that the next
    /// actors get.
    pub(super) fn complete(&self, numbers: (u64, u32)) -> Completed {
        let recorded = std::mem::take(&mut *lock(&self.recorded));
        let types = recorded.census.types();
        Completed {
            system: SystemRecord { numbers, types },
            shapes: recorded.shapes,
            census: recorded.census,
        }
    }

    /// Returns the image of a complete cut that was not drained before.
    #[cfg(test)]
    pub(super) fn take(&self, numbers: (u64, u32)) -> Result<Image, Unsaved> {
        let records = self.drain()?;
        let completed = self.complete(numbers);
        Ok(Image::of(completed.system, completed.shapes, records))
    }

    /// Types with other parameters may have the same name.
    fn lists(&self, class: &Class) -> bool {
        let listed = self.kinds.class(class.name);
        listed.is_some_and(|listed| (listed.type_id)() == (class.type_id)())
    }

    fn lacks(&self, actor: &Header, what: impl Into<String>) {
        let (actor, what) = (actor.path(), what.into());
        self.fails(Unsaved::Lacking { actor, what });
    }

    fn is_not_listed(&self, actor: &Header, what: String) {
        let actor = actor.path();
        self.fails(Unsaved::NotListed { actor, what });
    }

    fn fails(&self, error: Unsaved) {
        lock(&self.recorded).error.get_or_insert(error);
    }

    /// The number of a shape in the table.
    fn shape(&self, shape: &'static Shape) -> ShapeId {
        let mut recorded = lock(&self.recorded);
        recorded.shapes.add(shape).unwrap_or_else(|error| {
            recorded.error.get_or_insert(Unsaved::Shapes(error));
            ShapeId::new(0)
        })
    }

    /// Returns what is encoded, or nothing after an error.
    fn encoded(
        &self,
        actor: &Header,
        shape: &'static Shape,
        save: impl FnOnce(&mut Encoder<'_>),
    ) -> Encoded {
        let began_ns = actor.system.oracle.now_ns();
        let encoded = catch(|| {
            let mut out = Encoder::new();
            save(&mut out);
            out.finish()
        });
        let bytes = match encoded {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(error)) => {
                let actor = actor.path();
                self.fails(Unsaved::Value { actor, error });
                Vec::new()
            }
            Err(Caught { message, .. }) => {
                let actor = actor.path();
                self.fails(Unsaved::Panicked { actor, message });
                Vec::new()
            }
        };
        let took = Duration::from_nanos(actor.system.oracle.now_ns().saturating_sub(began_ns));
        lock(&self.recorded)
            .census
            .encoded(took, bytes.len(), || actor.path());
        let shape = self.shape(shape);
        Encoded { shape, bytes }
    }

    fn content(&self, actor: &Header, state: &mut StateRef<'_>) -> Content {
        match &actor.class.saved {
            SavedClass::Nothing => Content::NotSaved,
            SavedClass::State(_) if !state.has_state() => Content::Unstarted,
            SavedClass::State(functions) => {
                let save = |out: &mut Encoder<'_>| (functions.save)(state, out);
                Content::State(self.encoded(actor, functions.shape, save))
            }
            SavedClass::Start(_) if !state.has_state() => Content::Unstarted,
            SavedClass::Start(start) => self.start(actor, start(state)),
        }
    }

    fn start(&self, actor: &Header, start: Option<EncodedStart>) -> Content {
        let Some((name, args)) = start else {
            self.lacks(actor, "a start by a closure or a value");
            return Content::NotSaved;
        };
        let kind = self.kinds.kind(SavedForm::Start, &name);
        match (kind.and_then(|table| table.codec.as_ref()), args) {
            (Some(codec), Ok(args)) => Content::Start(StartRecord {
                name: name.to_string(),
                args: Encoded {
                    shape: self.shape(codec.shape),
                    bytes: args.into(),
                },
            }),
            (_, Err(error)) => {
                let actor = actor.path();
                self.fails(Unsaved::Value { actor, error });
                Content::NotSaved
            }
            (None, _) => {
                self.is_not_listed(actor, format!("the start `{name}`"));
                Content::NotSaved
            }
        }
    }
}

impl Recorder for ImageRecorder {
    fn captured(&self, actor: &Header, state: &mut StateRef<'_>) {
        let saved_as = saved_as(&actor.class.saved);
        lock(&self.recorded)
            .census
            .actor(actor.class.name, saved_as);
        if saved_as != SavedAs::Nothing && !self.lists(actor.class) {
            let type_name = (actor.class.type_name)();
            return self.is_not_listed(actor, format!("the actor `{type_name}`"));
        }
        let content = self.content(actor, state);
        if content != Content::NotSaved
            && let Some(open) = open_slots(state).iter().find(|slot| slot.is_wanted())
        {
            self.lacks(actor, format!("an open promise: {open:?}"));
        }
        let record = ActorRecord {
            id: actor.id,
            class: actor.class.name.to_owned(),
            path: actor.numbers(),
            children: actor.children(),
            // Relaxed: the caller holds the actor.
            random: actor.random.load(Ordering::Relaxed),
            content,
        };
        lock(&self.recorded).records.push(Record::Actor(record));
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
        if self.kinds.kind(form, codec.name).is_none() {
            let name = codec.name;
            return self.is_not_listed(actor, format!("the {}", SavedKind { name, form }));
        }
        let message = MessageRecord {
            actor: actor.id,
            form,
            name: codec.name.to_owned(),
            made: message.head().place,
            content: self.encoded(actor, codec.shape, |out| message.save(out)),
        };
        let mut recorded = lock(&self.recorded);
        recorded.census.messages += 1;
        let ordinal = recorded.next_ordinal;
        recorded.next_ordinal += 1;
        recorded.records.push(Record::Waiting(WaitingRecord {
            place,
            ordinal,
            message,
        }));
    }

    fn panicked(&self, caught: Caught) {
        self.fails(Unsaved::Failed(caught.message));
    }

    fn is_signalled(&self, actor: &Header, signals: Signals) {
        let is_saved = !matches!(actor.class.saved, SavedClass::Nothing);
        if is_saved && signals.has(Signals::OF_PROGRAM) {
            self.lacks(actor, "a signal");
        }
    }
}

fn saved_as(saved: &SavedClass) -> SavedAs {
    match saved {
        SavedClass::Nothing => SavedAs::Nothing,
        SavedClass::State(_) => SavedAs::State,
        SavedClass::Start(_) => SavedAs::Start,
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
            Unsaved::Panicked { actor, message } => write!(
                f,
                "{actor} cannot be saved: its code that saves a value panicked: {message}"
            ),
            Unsaved::Failed(message) => write!(f, "the recording panicked: {message}"),
            Unsaved::NotListed { actor, what } => write!(
                f,
                "{actor} cannot be saved: the program does not list {what}; add its actor to the types of \
                 `System::builder().saved::<(…)>()`"
            ),
            Unsaved::Shapes(error) => write!(f, "the shapes of the program's types: {error}"),
            Unsaved::Lacking { actor, what } => {
                write!(f, "{actor} has what an image does not contain: {what}")
            }
        }
    }
}

impl std::error::Error for Unsaved {}
