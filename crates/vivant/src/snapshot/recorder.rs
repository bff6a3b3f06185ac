//! [`ImageRecorder`]: encodes what a cut captures.

use super::alarms::{AlarmRecord, with_message};
use super::counts::Counts;
use super::ended::EndedRecord;
use super::image::{ActorRecord, Content, Image, MessageRecord, SystemRecord};
use super::monitors::MonitorsRecord;
use super::tables::{NameRecord, TablesRecord};
use crate::actor::{
    DelayedMessage, Envelope, Header, LinkedPeer, Recorder, RunState, SavedClass, SeenActors,
    Signals, StateRef, TableEntry, WaitingPlace,
};
use crate::api::{SavedForm, is_awaited_watch, open_slots};
use crate::failures::{Caught, StopReason};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::message::MessageRole;
use crate::patterns::NamedTimers;
use crate::services::AlarmEntry;
use crate::sync::{Mutex, Ordering, lock};
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
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
    steps: Vec<MessageRecord>,
    tables: TablesRecord,
    monitors: MonitorsRecord,
    ended: BTreeMap<u64, EndedRecord>,
    counts: Counts,
    /// When the last actor was captured.
    clock_ns: u64,
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
        recorded.steps.sort_by_key(|step| step.actor);
        // Stable.
        let waiting = &mut recorded.waiting;
        waiting.sort_by_key(|(place, message)| (message.actor, *place));
        let waiting = recorded.waiting.into_iter().map(|(_, message)| message);
        let actors: BTreeSet<_> = recorded.actors.iter().map(|actor| actor.id).collect();
        // It has ended behind the line.
        recorded.ended.retain(|id, _| !actors.contains(id));
        recorded.tables.sort(|id| actors.contains(&id));
        let is_not_saved = |id| {
            let ended = recorded.ended.get(&id);
            ended.is_some_and(|ended| ended.reason == StopReason::NotSaved)
        };
        recorded
            .monitors
            .sort(|id| actors.contains(&id), is_not_saved);
        Ok(Image {
            system: SystemRecord {
                numbers,
                clock_ns: recorded.clock_ns,
            },
            actors: recorded.actors,
            waiting: waiting.collect(),
            steps: recorded.steps,
            tables: recorded.tables,
            monitors: recorded.monitors,
            ended: recorded.ended.into_values().collect(),
        })
    }

    /// How many actors have been captured. Called before `take`.
    pub(super) fn counts(&self) -> Counts {
        lock(&self.0).counts.clone()
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
        let seen = SeenActors::default();
        let contexts: [&dyn Any; 1] = [&seen];
        let mut out = Encoder::new().with_contexts(&contexts);
        save(&mut out);
        let encoded = out.finish();
        let line = actor.system.passes.now().phase();
        let ended = seen.into_cells().map(|cell| EndedRecord::of(&cell, line));
        let ended = ended.map(|record| (record.id, record));
        lock(&self.0).ended.extend(ended);
        encoded.unwrap_or_else(|error| {
            let actor = actor.path();
            self.fails(Unsaved::Value { actor, error });
            Vec::new()
        })
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
        Some(MessageRecord {
            actor: actor.id,
            form,
            name: codec.name,
            made: message.head().place,
            content: self.encoded(actor, |out| message.save(out)),
        })
    }

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
        let mut recorded = lock(&self.0);
        let ended = recorded.ended.entry(actor.id);
        ended.or_insert_with(|| EndedRecord::of(actor, line));
        recorded.monitors.watches.push(record);
    }

    fn links(&self, actor: &Header, links: &[LinkedPeer]) {
        let line = actor.system.passes.now().phase();
        let mut recorded = lock(&self.0);
        for LinkedPeer { peer, .. } in links {
            if peer.ended().is_some() || matches!(peer.class.saved, SavedClass::Nothing) {
                let ended = recorded.ended.entry(peer.id);
                ended.or_insert_with(|| EndedRecord::of(peer, line));
            }
        }
        recorded.monitors.add_links(actor, links);
    }

    fn alarm(&self, entry: &AlarmEntry<'_, DelayedMessage>) {
        with_message(entry.alarm, |to, message, repeats| {
            let is_sent = message.kind().role.is_sent();
            if !is_sent || matches!(to.class.saved, SavedClass::Nothing) {
                return;
            }
            if let Some(message) = self.message(to, Some(SavedForm::Message), message) {
                lock(&self.0).tables.alarms.push(AlarmRecord {
                    number: entry.number,
                    at_ns: entry.at_ns,
                    repeats,
                    message,
                });
            }
        });
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
            lock(&self.0).steps.push(record);
        }
    }

    /// `None`: the image does not contain the actor.
    fn content(&self, actor: &Header, state: &mut StateRef<'_>) -> Option<Content> {
        match &actor.class.saved {
            SavedClass::Nothing => None,
            _ if !state.has_state() => Some(Content::Unstarted),
            SavedClass::State(functions) => {
                let save = |out: &mut Encoder<'_>| (functions.save)(state, out);
                Some(Content::State(self.encoded(actor, save)))
            }
            SavedClass::Start(start) => match start(state) {
                Some((name, Ok(args))) => Some(Content::Start(name.to_string(), args.into())),
                Some((_, Err(error))) => {
                    let actor = actor.path();
                    self.fails(Unsaved::Value { actor, error });
                    None
                }
                None => {
                    self.lacks(actor, "a start by a closure or a value");
                    None
                }
            },
        }
    }
}

impl Recorder for ImageRecorder {
    fn captured(&self, actor: &Header, state: &mut StateRef<'_>) {
        {
            let mut recorded = lock(&self.0);
            recorded.counts.add(actor.class);
            let now_ns = actor.system.oracle.now_ns();
            recorded.clock_ns = recorded.clock_ns.max(now_ns);
            let next_timer = actor.system.timers.next_number();
            recorded.tables.next_timer = recorded.tables.next_timer.max(next_timer);
            let next_link = actor.system.link_number();
            recorded.monitors.next_link = recorded.monitors.next_link.max(next_link);
        }
        let Some(content) = self.content(actor, state) else {
            return;
        };
        if let Some(open) = open_slots(state).iter().find(|slot| slot.is_wanted()) {
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
        let named = NamedTimers::of(&actor.system).of_actor(actor);
        let named = named.into_iter().map(|timer| (actor.id, timer));
        let mut recorded = lock(&self.0);
        recorded.tables.named_timers.extend(named);
        recorded.actors.push(record);
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
        #[cfg(test)]
        let is_recorded = !is_planted(InjectedFault::LinkUnrecorded);
        #[cfg(not(test))]
        let is_recorded = true;
        if is_recorded {
            self.links(actor, &cold.linked);
        }
        if cold.child.is_some() {
            self.lacks(actor, "a supervisor");
        }
        if !cold.waits.is_empty() {
            self.lacks(actor, "an exclusive wait");
        }
        if cold.constrained.is_some() {
            self.lacks(actor, "synchronizers");
        }
    }

    fn waits(&self, actor: &Header, place: WaitingPlace, message: &Envelope) {
        if matches!(actor.class.saved, SavedClass::Nothing) {
            return self.watch(actor, message);
        }
        let form = form_of(message.kind().role);
        if let Some(record) = self.message(actor, form, message) {
            lock(&self.0).waiting.push((place, record));
        }
    }

    fn panicked(&self, caught: Caught) {
        self.fails(Unsaved::Panicked(caught.message));
    }

    fn entry(&self, entry: TableEntry<'_>) {
        match entry {
            TableEntry::Name {
                name,
                actor,
                registered_as,
            } => {
                let record = NameRecord::new(name, actor.id, registered_as);
                lock(&self.0).tables.names.push(record);
            }
            TableEntry::Kept(actor) => lock(&self.0).tables.kept.push(actor.id),
            TableEntry::Alarm(entry) => self.alarm(&entry),
        }
    }

    fn is_signalled(&self, actor: &Header, signals: Signals) {
        if signals.has(Signals::HALT) || signals.has(Signals::START) {
            self.lacks(actor, "an order of its supervisor");
        } else if signals.has(Signals::STOP) {
            lock(&self.0).monitors.stops.push(actor.id);
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
        MessageRole::Watch | MessageRole::StopMark | MessageRole::Own => Some(SavedForm::Runtime),
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
