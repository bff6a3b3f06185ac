//! [`ImageRecorder`]: encodes what a cut captures.

mod buffer;
mod content;
mod encoded;
mod encoding;
mod heap_images;
mod heap_sink;
mod kind_numbers;
mod last_messages;
mod mailboxes;
mod messages;
mod references;
mod shared;
mod streams;
mod subscriptions;
mod supervised;
mod synchronizers;

use super::census::{Census, SavedAs};
use super::ended::EndedRecord;
use super::heap_chain::{HeapChain, WrittenHeap};
use super::heap_records::{HeapRecord, ObjectsRecord, SpansRecord, UnchangedRecord};
#[cfg(test)]
use super::image::Image;
#[cfg(test)]
use super::image::Records;
use super::image::{ActorRecord, SharedRecord, SystemRecord};
use super::memberships::{Memberships, NextNumbers};
use super::message_kinds::MessageKindsRecord;
use super::message_record::MessageRecord;
use super::monitors::MonitorsRecord;
use super::start_record::StartRecord;
use super::stopping::StoppingRecord;
use super::supervised::{Branches, SupervisedRecord, WaitingSignals};
use super::tables::{NameRecord, NamedTimerRecord, TablesRecord};
use super::unsaved::Unsaved;
use crate::actor::{
    Class, DelayedMessage, Envelope, ExclusiveWait, Header, Lifecycle, OpenHeap, Recorder,
    RunState, SavedClass, Scope, Shared, SharedTable, Signals, StateRef, TableEntry, TreeEnd,
    WaitingPlace, WaitsAs, drop_foreign,
};
use crate::api::SavedKinds;
use crate::constraints::Constraints;
use crate::failures::Caught;
use crate::patterns::{NamedTimers, SubscriptionNumbers, TableNumbers};
use crate::sync::{Arc, Mutex, Ordering, lock};
use encoding::{lacking, not_listed};
use heap_images::HeapImages;
use kind_numbers::KindNumbers;
use mailboxes::{EncodedMessages, Mailboxes};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use vivant_codec::{Shape, ShapeId, Shapes};
use vivant_heap::DetachedHeap;

/// What a cut that is being taken has recorded. Holders of actors encode into it; the thread that
/// takes the cut [drains](ImageRecorder::drain) it.
pub(super) struct ImageRecorder {
    kinds: Arc<SavedKinds>,
    scope: Scope,
    /// What heaps write while turns run.
    heaps: Arc<HeapImages>,
    /// What the last snapshot had of heaps, by actor.
    chains: Arc<BTreeMap<u64, HeapChain>>,
    recorded: Mutex<Recorded>,
}

#[derive(Default)]
struct Recorded {
    shapes: Shapes,
    kinds: KindNumbers,
    records: Vec<Record>,
    mailboxes: Mailboxes,
    census: Census,
    /// The heaps that are written.
    heaps: Vec<WrittenHeap>,
    /// Their numbers.
    own_heaps: BTreeSet<u64>,
    /// The heaps of which values have objects, each with the path of an actor that has one.
    named_heaps: BTreeMap<u64, String>,
    /// The actors that the image contains, in the order in which they were captured.
    ids: Vec<u64>,
    tables: TablesRecord,
    memberships: Memberships,
    monitors: MonitorsRecord,
    /// Signals that wait, by actor.
    signals: BTreeMap<u64, WaitingSignals>,
    /// The actors that have a supervisor.
    children: BTreeSet<u64>,
    branches: Branches,
    stopping: Vec<StoppingRecord>,
    /// The exclusive waits of actors that are about to be captured.
    waits: BTreeMap<u64, Vec<ExclusiveWait>>,
    /// The start that the supervisor of the root of a tree keeps, and the root.
    start_of_root: Option<(u64, StartRecord)>,
    /// News for supervisors of children that are not saved, by child.
    gone: BTreeMap<u64, MessageRecord>,
    /// The last messages of streams that are lost at the line, and where they wait, by the actor
    /// that polls the stream.
    streams: BTreeMap<u64, (WaitingPlace, MessageRecord)>,
    ended: BTreeMap<u64, EndedRecord>,
    /// When the last actor was captured.
    clock_ns: u64,
    /// What intervals send, copied to be encoded. It is dropped without a lock: the drop of an
    /// address may set an alarm.
    copied: Vec<DelayedMessage>,
    error: Option<Unsaved>,
}

/// What a cut has recorded of an actor or of mailboxes.
#[derive(Debug)]
pub(super) enum Record {
    Actor(ActorRecord),
    Waiting(EncodedMessages),
    /// A step that a behaviour has to run yet.
    Step(MessageRecord),
    Supervised(SupervisedRecord),
    Heap(HeapRecord),
    /// Objects of a heap.
    Spans(SpansRecord),
    /// Objects of a heap that earlier snapshots have.
    Unchanged(UnchangedRecord),
}

/// What is known of a cut when it is complete, besides the records that were drained before.
pub(super) struct Completed {
    /// The last ones.
    pub(super) records: Vec<Record>,
    pub(super) system: SystemRecord,
    pub(super) shapes: Shapes,
    pub(super) kinds: MessageKindsRecord,
    pub(super) objects: ObjectsRecord,
    pub(super) shared: SharedRecord,
    #[cfg_attr(not(feature = "snapshots"), allow(dead_code))]
    pub(super) heaps: Vec<WrittenHeap>,
    #[cfg_attr(not(feature = "snapshots"), allow(dead_code))]
    pub(super) census: Census,
}

impl ImageRecorder {
    /// A recorder for a program with these kinds. Their shapes come first in the table of shapes.
    pub(super) fn new(kinds: Arc<SavedKinds>) -> Result<ImageRecorder, Unsaved> {
        let recorded = Recorded {
            shapes: kinds.shapes().map_err(Unsaved::Shapes)?.clone(),
            ..Recorded::default()
        };
        Ok(ImageRecorder {
            kinds,
            scope: Scope::System,
            heaps: Arc::default(),
            chains: Arc::default(),
            recorded: Mutex::new(recorded),
        })
    }

    /// Records these actors alone.
    #[cfg_attr(not(feature = "snapshots"), allow(dead_code))]
    pub(super) fn within(mut self, scope: Scope) -> ImageRecorder {
        self.scope = scope;
        self
    }

    /// Leaves to earlier snapshots what these heaps have there.
    #[cfg_attr(not(feature = "snapshots"), allow(dead_code))]
    pub(super) fn after(mut self, chains: Arc<BTreeMap<u64, HeapChain>>) -> ImageRecorder {
        self.chains = chains;
        self
    }

    /// Returns what was recorded since the last call, or why the cut cannot be saved. Few messages
    /// are kept, to be recorded with more.
    pub(super) fn drain(&self) -> Result<Vec<Record>, Unsaved> {
        self.take_from_heaps();
        let (drained, copied) = {
            let mut recorded = lock(&self.recorded);
            let drained = match recorded.error.take() {
                Some(error) => Err(error),
                None => Ok(std::mem::take(&mut recorded.records)),
            };
            (drained, std::mem::take(&mut recorded.copied))
        };
        drop_foreign("the drop of what an interval sends", copied);
        drained
    }

    /// Ends the recording, after the cut of the system is complete.
    pub(super) fn complete(&self, system: &Shared) -> Result<Completed, Unsaved> {
        debug_assert!(!self.heaps.has_open(), "a heap is not written to its end");
        self.take_from_heaps();
        let numbers = system.numbers();
        let (memberships, ids) = {
            let mut recorded = lock(&self.recorded);
            recorded.memberships.number_behind(NextNumbers {
                subscription: SubscriptionNumbers::of(system).next(),
                table: TableNumbers::of(system).next(),
            });
            recorded.tables.next_synchronizer = Constraints::of(system).next_number();
            recorded.add_last_messages();
            recorded.collect_messages();
            let memberships = std::mem::take(&mut recorded.memberships);
            (memberships, std::mem::take(&mut recorded.ids))
        };
        let found = memberships.found();
        let memberships = memberships.in_image(
            |id| ids.binary_search(&id).is_ok(),
            |continuation| self.kind_of_continuation(continuation),
        );
        drop_foreign("the drop of a group or topic", found);
        let memberships = memberships?;
        self.checks_named_heaps();
        let records = self.drain()?;
        let contents = self.kinds.objects().shapes().map(|it| self.shape(it));
        let contents = contents.collect();
        let recorded = std::mem::take(&mut *lock(&self.recorded));
        let types = recorded.census.types();
        let clock_ns = recorded.clock_ns;
        let shared = SharedRecord::of(
            ids,
            (recorded.tables, memberships),
            recorded.monitors,
            (recorded.signals, recorded.branches),
            recorded.stopping,
            recorded.ended,
            recorded.named_heaps,
        );
        Ok(Completed {
            records,
            system: SystemRecord {
                numbers,
                next_heap: system.heaps.heap_number(),
                clock_ns,
                types,
            },
            shapes: recorded.shapes,
            kinds: recorded.kinds.into_record(),
            objects: ObjectsRecord { contents },
            shared,
            heaps: recorded.heaps,
            census: recorded.census,
        })
    }

    /// Returns the image of a complete cut that was not drained before.
    #[cfg(test)]
    pub(super) fn take(&self, system: &Shared) -> Result<Image, Unsaved> {
        let completed = self.complete(system)?;
        let mut records = Records::default();
        for record in completed.records {
            match record {
                Record::Actor(actor) => records.actors.push(actor),
                Record::Waiting(messages) => records.waiting.push(messages.decode()),
                Record::Step(step) => records.steps.push(step),
                Record::Supervised(child) => records.supervised.push(child),
                Record::Heap(heap) => records.heaps.push(heap),
                Record::Spans(spans) => records.spans.push(spans),
                Record::Unchanged(_) => unreachable!("no chains were given"),
            }
        }
        records.objects = completed.objects;
        Ok(Image::of(
            completed.system,
            completed.shapes,
            completed.kinds,
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
        self.fails(lacking(actor, what));
    }

    fn is_not_listed(&self, actor: &Header, what: String) {
        self.fails(not_listed(actor, what));
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
}

/// Heaps write no more for it.
impl Drop for ImageRecorder {
    fn drop(&mut self) {
        self.heaps.give_up();
    }
}

impl Recorder for ImageRecorder {
    fn captured(&self, actor: &Header, state: &mut StateRef<'_>) {
        let saved_as = saved_as(self.scope.saved(actor));
        {
            let mut recorded = lock(&self.recorded);
            if self.scope.contains(actor) {
                recorded.census.actor(actor.class.name, saved_as);
            }
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
        if saved_as != SavedAs::State {
            self.shared_objects(actor, state);
        }
        let Some((content, locals)) = self.content(actor, state) else {
            self.stream_leaves(actor, state);
            return self.branch_leaves(actor, state);
        };
        let promises = match saved_as {
            SavedAs::State => self.promises(actor, state),
            // It begins anew: nothing waits for them.
            SavedAs::Start | SavedAs::Nothing => Vec::new(),
        };
        self.branch(actor, state);
        let watches = match saved_as {
            SavedAs::State => self.death_watches(actor, state),
            SavedAs::Start | SavedAs::Nothing => Vec::new(),
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
            locals,
            watches,
        };
        if actor.system.exit_hooks.is_member(actor.id) {
            self.lacks(actor, "a stream of another system that it reads");
        }
        let named = NamedTimers::of(&actor.system).of_actor(actor).into_iter();
        let named = named.map(|timer| NamedTimerRecord {
            actor: actor.id,
            timer,
        });
        let mut recorded = lock(&self.recorded);
        recorded.tables.named_timers.extend(named);
        recorded.ids.push(actor.id);
        recorded.records.push(Record::Actor(record));
    }

    fn captured_run_state(&self, actor: &Header, run_state: &RunState) {
        let Some(cold) = &run_state.cold else {
            return;
        };
        for watch in &cold.watches {
            self.watch(actor, watch);
        }
        if let Some(child) = &cold.child {
            self.child(actor, run_state.life, child);
        }
        if !self.scope.is_saved(actor) {
            return;
        }
        if let Some(step) = &cold.step {
            self.next_step(actor, step);
        }
        if !cold.waits.is_empty() && matches!(self.scope.saved(actor), SavedClass::State(_)) {
            let mut recorded = lock(&self.recorded);
            recorded.waits.insert(actor.id, cold.waits.clone());
        }
        self.links(actor, &cold.linked);
        if run_state.life == Lifecycle::Stopping
            && let Some(stop) = &cold.stop
        {
            self.stopping(actor, stop);
        }
        if let Some(constrained) = &cold.constrained
            && constrained.postponed != Signals::default()
        {
            // They take effect after the message of a commit.
            let end = cold.child.as_ref().map(|child| &child.end);
            self.signalled(actor, end, constrained.postponed);
        }
    }

    fn waits(
        &self,
        actor: &Header,
        place: WaitingPlace,
        waits_as: WaitsAs,
        message: &Envelope,
    ) -> usize {
        if !self.scope.is_saved(actor) {
            self.watch(actor, message);
            return 0;
        }
        self.waiting(actor, (place, waits_as), message)
    }

    fn took(&self, actor: &Header, bytes: usize, took: Duration) {
        if !Census::is_slow(took) {
            return;
        }
        let mut recorded = lock(&self.recorded);
        recorded.census.encoded(took, bytes, || actor.path());
    }

    fn panicked(&self, caught: Caught) {
        self.fails(Unsaved::Failed(caught.message));
    }

    fn forget(&self) {
        self.heaps.give_up();
        let recorded = std::mem::take(&mut *lock(&self.recorded));
        drop_foreign("the drop of what a cut has recorded", recorded);
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
            TableEntry::Member {
                group,
                joined_as,
                number,
                actor,
            } => {
                let mut recorded = lock(&self.recorded);
                let joined_as = joined_as.as_str();
                recorded
                    .memberships
                    .add_member(group, joined_as, number, actor.id);
            }
            TableEntry::Subscription(entry) => self.subscription(&entry),
            TableEntry::Synchronizer(entry) => self.synchronizer(&entry),
        }
    }

    fn has_open_heaps(&self) -> bool {
        self.heaps.has_open()
    }

    fn open_heaps(&self) -> Vec<OpenHeap> {
        self.heaps.open_heaps()
    }

    fn captured_detached(&self, system: &Arc<Shared>, number: u64, heap: &mut DetachedHeap) {
        self.detached_heap(system, number, heap);
    }

    fn give_heaps_up(&self) {
        self.heaps.give_up();
    }

    fn take_found_table(&self) -> Option<Arc<dyn SharedTable>> {
        self.take_from_heaps();
        lock(&self.recorded).memberships.take_unrecorded()
    }

    fn is_signalled(&self, actor: &Header, end: Option<&TreeEnd>, signals: Signals) {
        if self.scope.is_saved(actor) {
            self.signalled(actor, end, signals);
        } else if signals.has(Signals::STOP) {
            self.stream_is_stopped(actor);
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
