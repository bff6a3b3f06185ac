//! [`ImageRecorder`]: encodes what a cut captures.

use super::alarms::{AlarmRecord, with_message};
use super::census::{Census, SavedAs};
use super::ended::EndedRecord;
#[cfg(test)]
use super::image::Image;
use super::image::{
    ActorRecord, ArrivalRecord, AskedRecord, Content, Encoded, JoinedRecord, KindRecord,
    MessageRecord, NameOfValue, PromiseRecord, Record, SharedRecord, StartRecord, SystemRecord,
    WaitingKind, WaitingRecord,
};
use super::monitors::MonitorsRecord;
use super::tables::{NameRecord, NamedTimerRecord, TablesRecord};
use crate::actor::{
    Class, DelayedMessage, Envelope, Header, Lifecycle, LinkedPeer, Recorder, RunState, SavedClass,
    SeenActors, Signals, StateRef, TableEntry, WaitingPlace,
};
use crate::api::{
    SavedForm, SavedKind, SavedKinds, SavedSlot, ShapedBytes, ValueName, is_awaited_watch,
    saved_slots,
};
use crate::failures::{Caught, StopReason, catch};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::message::MessageRole;
use crate::patterns::NamedTimers;
use crate::saving::EncodedStart;
use crate::services::AlarmEntry;
use crate::sync::{Arc, Mutex, Ordering, lock};
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
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
    /// The actors that the image contains.
    ids: BTreeSet<u64>,
    tables: TablesRecord,
    monitors: MonitorsRecord,
    ended: BTreeMap<u64, EndedRecord>,
    /// When the last actor was captured.
    clock_ns: u64,
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
    pub(super) shared: SharedRecord,
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
        let clock_ns = recorded.clock_ns;
        Completed {
            system: SystemRecord {
                numbers,
                clock_ns,
                types,
            },
            shapes: recorded.shapes,
            shared: SharedRecord::of(
                recorded.ids,
                recorded.tables,
                recorded.monitors,
                recorded.ended,
            ),
            census: recorded.census,
        }
    }

    /// Returns the image of a complete cut that was not drained before.
    #[cfg(test)]
    pub(super) fn take(&self, numbers: (u64, u32)) -> Result<Image, Unsaved> {
        let records = self.drain()?;
        let completed = self.complete(numbers);
        Ok(Image::of(
            completed.system,
            completed.shapes,
            completed.shared,
            records,
        ))
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
        let encoded = self.noting_references(actor, |contexts| {
            catch(|| {
                let mut out = Encoder::new().with_contexts(contexts);
                save(&mut out);
                out.finish()
            })
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

    /// Calls `body` with the context of an encoder that notes the actors which the image lacks.
    fn noting_references<R>(&self, actor: &Header, body: impl FnOnce(&[&dyn Any]) -> R) -> R {
        let seen = SeenActors::default();
        let result = body(&[&seen]);
        let line = actor.system.passes.now().phase();
        let ended = seen.into_cells().map(|cell| EndedRecord::of(&cell, line));
        let ended = ended.map(|record| (record.id, record));
        lock(&self.recorded).ended.extend(ended);
        result
    }

    fn content(&self, actor: &Header, state: &mut StateRef<'_>) -> Option<Content> {
        match &actor.class.saved {
            SavedClass::Nothing => None,
            _ if !state.has_state() => Some(Content::Unstarted),
            SavedClass::State(functions) => {
                let save = |out: &mut Encoder<'_>| (functions.save)(state, out);
                Some(Content::State(self.encoded(actor, functions.shape, save)))
            }
            SavedClass::Start(start) => self.start(actor, start(state)),
        }
    }

    fn start(&self, actor: &Header, start: Option<EncodedStart>) -> Option<Content> {
        let Some((name, args)) = start else {
            self.lacks(actor, "a start by a closure or a value");
            return None;
        };
        let kind = self.kinds.kind(SavedForm::Start, &name);
        match (kind.and_then(|table| table.codec.as_ref()), args) {
            (Some(codec), Ok(args)) => Some(Content::Start(StartRecord {
                name: name.to_string(),
                args: Encoded {
                    shape: self.shape(codec.shape),
                    bytes: args.into(),
                },
            })),
            (_, Err(error)) => {
                let actor = actor.path();
                self.fails(Unsaved::Value { actor, error });
                None
            }
            (None, _) => {
                self.is_not_listed(actor, format!("the start `{name}`"));
                None
            }
        }
    }
}

/// Promises and messages.
impl ImageRecorder {
    fn promises(&self, actor: &Header, state: &StateRef<'_>) -> Vec<PromiseRecord> {
        let kinds = self.kinds.values();
        match self.noting_references(actor, |contexts| saved_slots(state, kinds, contexts)) {
            Ok(slots) => slots.into_iter().map(|slot| self.promise(slot)).collect(),
            Err((number, why)) => {
                self.lacks(actor, format!("the open promise {number}: {why}"));
                Vec::new()
            }
        }
    }

    fn promise(&self, slot: SavedSlot) -> PromiseRecord {
        let values = slot.values.into_iter();
        PromiseRecord {
            number: slot.number,
            sink: slot.sink.to_string(),
            value: name_of_value(slot.value),
            content: self.with_number(slot.content),
            values: values
                .map(|(at, value)| JoinedRecord {
                    at,
                    value: self.with_number(value),
                })
                .collect(),
            asked: slot.asked.map(|asked| AskedRecord {
                actor: asked.answerer,
                behaviour: asked.behaviour.to_string(),
                made: asked.place,
            }),
        }
    }

    fn with_number(&self, value: ShapedBytes) -> Encoded {
        Encoded {
            shape: self.shape(value.shape),
            bytes: value.bytes,
        }
    }

    /// An arrival. A value of a type that is not saved is not wanted: else its promise is an error.
    fn arrival(&self, actor: &Header, message: &Envelope) -> Option<MessageRecord> {
        #[cfg(test)]
        if is_planted(InjectedFault::ArrivalUnrecorded) {
            return None;
        }
        let (value, table) = self.kinds.values().of_arrival(message)?;
        match self.noting_references(actor, |contexts| table.arrival(message, contexts)) {
            Ok((promise, content)) => {
                let value = name_of_value(value);
                Some(MessageRecord {
                    actor: actor.id,
                    kind: WaitingKind::Arrival(ArrivalRecord { promise, value }),
                    made: message.head().place,
                    content: self.with_number(content),
                })
            }
            Err(why) => {
                self.lacks(actor, format!("a value for a promise: {why}"));
                None
            }
        }
    }

    /// The record of a message. `None`: no image contains such a message.
    fn message(
        &self,
        actor: &Header,
        form: Option<SavedForm>,
        message: &Envelope,
    ) -> Option<MessageRecord> {
        let kind = message.kind();
        let (Some(form), Some(codec)) = (form, &kind.codec) else {
            self.lacks(actor, format!("the message `{}`", kind.name));
            return None;
        };
        if self.kinds.kind(form, codec.name).is_none() {
            let name = codec.name;
            self.is_not_listed(actor, format!("the {}", SavedKind { name, form }));
            return None;
        }
        let name = codec.name.to_owned();
        Some(MessageRecord {
            actor: actor.id,
            kind: WaitingKind::Message(KindRecord { form, name }),
            made: message.head().place,
            content: self.encoded(actor, codec.shape, |out| message.save(out)),
        })
    }
}

/// Links, watches, steps and alarms.
impl ImageRecorder {
    /// An actor waits for the end of this one, if the message is a watch. The image may lack this
    /// actor.
    fn watch(&self, actor: &Header, message: &Envelope) {
        if !is_awaited_watch(message) {
            return;
        }
        let Some(record) = self.message(actor, Some(SavedForm::Runtime), message) else {
            return;
        };
        let line = actor.system.passes.now().phase();
        let mut recorded = lock(&self.recorded);
        let ended = recorded.ended.entry(actor.id);
        ended.or_insert_with(|| EndedRecord::of(actor, line));
        recorded.monitors.watches.push(record);
    }

    fn links(&self, actor: &Header, links: &[LinkedPeer]) {
        #[cfg(test)]
        if is_planted(InjectedFault::LinkUnrecorded) {
            return;
        }
        let line = actor.system.passes.now().phase();
        let mut recorded = lock(&self.recorded);
        for LinkedPeer { peer, .. } in links {
            if peer.ended().is_some() || matches!(peer.class.saved, SavedClass::Nothing) {
                let ended = recorded.ended.entry(peer.id);
                ended.or_insert_with(|| EndedRecord::of(peer, line));
            }
        }
        recorded.monitors.add_links(actor, links);
    }

    /// A behaviour has a step to run yet. An actor that starts again forgets it.
    fn next_step(&self, actor: &Header, step: &Envelope) {
        #[cfg(test)]
        if is_planted(InjectedFault::StepUnrecorded) {
            return;
        }
        if matches!(actor.class.saved, SavedClass::State(_))
            && let Some(record) = self.message(actor, Some(SavedForm::NextStep), step)
        {
            lock(&self.recorded).records.push(Record::Step(record));
        }
    }

    fn alarm(&self, entry: &AlarmEntry<'_, DelayedMessage>) {
        with_message(entry.alarm, |to, message, repeats| {
            let is_sent = message.kind().role.is_sent();
            if !is_sent || matches!(to.class.saved, SavedClass::Nothing) {
                return;
            }
            if let Some(message) = self.message(to, Some(SavedForm::Message), message) {
                lock(&self.recorded).tables.alarms.push(AlarmRecord {
                    number: entry.number,
                    at_ns: entry.at_ns,
                    repeats,
                    message,
                });
            }
        });
    }
}

impl SharedRecord {
    /// The cut is complete: `ids` are the actors that the image contains.
    fn of(
        ids: BTreeSet<u64>,
        mut tables: TablesRecord,
        mut monitors: MonitorsRecord,
        mut ended: BTreeMap<u64, EndedRecord>,
    ) -> SharedRecord {
        // It has ended behind the line.
        ended.retain(|id, _| !ids.contains(id));
        tables.sort(|id| ids.contains(&id));
        let is_not_saved = |id| {
            let ended = ended.get(&id);
            ended.is_some_and(|ended| ended.reason == StopReason::NotSaved)
        };
        monitors.sort(|id| ids.contains(&id), is_not_saved);
        SharedRecord {
            tables,
            monitors,
            ended: ended.into_values().collect(),
        }
    }
}

fn name_of_value(value: ValueName) -> NameOfValue {
    ValueName {
        of: value.of,
        behaviour: value.behaviour.to_owned(),
    }
}

impl Recorder for ImageRecorder {
    fn captured(&self, actor: &Header, state: &mut StateRef<'_>) {
        let saved_as = saved_as(&actor.class.saved);
        {
            let mut recorded = lock(&self.recorded);
            recorded.census.actor(actor.class.name, saved_as);
            let now_ns = actor.system.oracle.now_ns();
            recorded.clock_ns = recorded.clock_ns.max(now_ns);
            let next_timer = actor.system.timers.next_number();
            recorded.tables.next_timer = recorded.tables.next_timer.max(next_timer);
            let next_link = actor.system.link_number();
            recorded.monitors.next_link = recorded.monitors.next_link.max(next_link);
        }
        if saved_as != SavedAs::Nothing && !self.lists(actor.class) {
            let type_name = (actor.class.type_name)();
            return self.is_not_listed(actor, format!("the actor `{type_name}`"));
        }
        let Some(content) = self.content(actor, state) else {
            return;
        };
        let promises = match &content {
            Content::State(_) | Content::Unstarted => self.promises(actor, state),
            // It begins anew: nothing waits for them.
            Content::Start(..) => Vec::new(),
        };
        let record = ActorRecord {
            id: actor.id,
            class: actor.class.name.to_owned(),
            path: actor.numbers(),
            children: actor.children(),
            // Relaxed: the caller holds the actor.
            random: actor.random.load(Ordering::Relaxed),
            content,
            promises,
        };
        let named = NamedTimers::of(&actor.system).of_actor(actor).into_iter();
        let named = named.map(|timer| NamedTimerRecord {
            actor: actor.id,
            timer,
        });
        let mut recorded = lock(&self.recorded);
        recorded.tables.named_timers.extend(named);
        recorded.ids.insert(actor.id);
        recorded.records.push(Record::Actor(record));
    }

    fn captured_run_state(&self, actor: &Header, run_state: &RunState) {
        let Some(cold) = &run_state.cold else {
            return;
        };
        for watch in &cold.watches {
            self.watch(actor, watch);
        }
        if matches!(actor.class.saved, SavedClass::Nothing) {
            return;
        }
        if let Some(step) = &cold.step {
            self.next_step(actor, step);
        }
        self.links(actor, &cold.linked);
        if cold.child.is_some() {
            self.lacks(actor, "a supervisor");
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
            return self.watch(actor, message);
        }
        let saved = match message.kind().role {
            MessageRole::Resolution => self.arrival(actor, message),
            role => self.message(actor, form_of(role), message),
        };
        let Some(message) = saved else {
            return;
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

    fn entry(&self, entry: TableEntry<'_>) {
        match entry {
            TableEntry::Name {
                name,
                actor,
                registered_as,
            } => {
                let record = NameRecord::new(name, actor.id, registered_as);
                lock(&self.recorded).tables.names.push(record);
            }
            TableEntry::Kept(actor) => lock(&self.recorded).tables.kept.push(actor.id),
            TableEntry::Alarm(entry) => self.alarm(&entry),
        }
    }

    fn is_signalled(&self, actor: &Header, signals: Signals) {
        if matches!(actor.class.saved, SavedClass::Nothing) {
            return;
        }
        if signals.has(Signals::HALT) || signals.has(Signals::START) {
            self.lacks(actor, "an order of its supervisor");
        } else if signals.has(Signals::STOP) {
            lock(&self.recorded).monitors.stops.push(actor.id);
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
        MessageRole::Watch | MessageRole::StopMark | MessageRole::Own => Some(SavedForm::Runtime),
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
