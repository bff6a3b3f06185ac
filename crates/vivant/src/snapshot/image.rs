//! The records of an image.

use super::census::ActorsOfType;
use super::death_watches::DeathWatchRecord;
use super::ended::EndedRecord;
use super::heap_records::{HeapRecord, ObjectsRecord, SpansRecord};
use super::message_kinds::{MessageKindsRecord, Renumbered};
use super::message_record::{Encoded, MessageData, MessageRecord, NameOfValue};
use super::monitors::MonitorsRecord;
use super::not_restored::NotRestored;
use super::start_record::StartRecord;
use super::stopping::StoppingRecord;
use super::supervised::{OrderRecord, SupervisedRecord};
use super::tables::TablesRecord;
use crate::actor::{CellRef, HostCell, Shared, WaitingPlace, WaitsAs};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::interned::Place;
use crate::saving::{saved_enum, saved_struct};
use std::collections::BTreeMap;
use vivant_codec::{Comparison, Shapes};
use vivant_heap::{HeapNumbers, HeapSpans, RestoredHeaps, SpanRecord, WatchRecord};

/// What a cut contains.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Image {
    pub(super) system: SystemRecord,
    /// Of all encoded values.
    pub(super) shapes: Shapes,
    /// Of all messages. Sorted, each once.
    pub(super) kinds: MessageKindsRecord,
    /// By their numbers.
    pub(super) actors: Vec<ActorRecord>,
    /// By actor; those of one actor in the order in which it would have taken them out: first the
    /// message of a commit.
    pub(super) waiting: Vec<MessageRecord>,
    /// The steps that behaviours have to run yet. By actor, one for an actor at most.
    pub(super) steps: Vec<MessageRecord>,
    /// The actors that have a supervisor, by their numbers.
    pub(super) supervised: Vec<SupervisedRecord>,
    pub(super) shared: SharedRecord,
    /// The heaps, by their numbers.
    pub(super) heaps: BTreeMap<u64, HeapContent>,
    pub(super) objects: ObjectsRecord,
}

/// A heap of an image.
#[derive(Debug, Default, PartialEq)]
pub(super) struct HeapContent {
    /// The actor with the state.
    pub(super) actor: Option<u64>,
    /// By their numbers.
    pub(super) spans: Vec<SpanRecord>,
}

/// What is not of one actor alone.
#[derive(Debug, Default, PartialEq)]
pub(super) struct SharedRecord {
    pub(super) tables: TablesRecord,
    pub(super) monitors: MonitorsRecord,
    /// The actors that the image does not contain, as far as it has addresses of them. By number.
    pub(super) ended: Vec<EndedRecord>,
    /// The orders of supervisors that wait. By actor.
    pub(super) orders: Vec<OrderRecord>,
    /// The actors of which the stop hook waits. By actor.
    pub(super) stopping: Vec<StoppingRecord>,
    /// The heaps of which values in other heaps, or in none, have objects. Their numbers, sorted.
    pub(super) named_heaps: Vec<u64>,
}

/// What a cut contains of actors and mailboxes, in any order.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub(super) actors: Vec<ActorRecord>,
    pub(super) waiting: Vec<WaitingRecord>,
    pub(super) steps: Vec<MessageRecord>,
    pub(super) supervised: Vec<SupervisedRecord>,
    pub(super) heaps: Vec<HeapRecord>,
    pub(super) spans: Vec<SpansRecord>,
    pub(super) objects: ObjectsRecord,
}

/// What a system has besides its actors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SystemRecord {
    /// The creation number of the next actor, and the number of the next actor without a parent.
    pub(super) numbers: (u64, u32),
    /// The number of the next heap.
    pub(super) next_heap: u64,
    /// The clock of the system, in nanoseconds: no turn in the cut was later.
    pub(super) clock_ns: u64,
    /// The actors, counted by type.
    pub(super) types: Vec<ActorsOfType>,
}

/// One captured actor.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ActorRecord {
    pub(super) id: u64,
    /// Stable name of its type.
    pub(super) class: String,
    /// Its numbers among the children of its parents, the oldest first.
    pub(super) path: Vec<u32>,
    pub(super) children: u32,
    pub(super) random: u64,
    pub(super) content: Content,
    /// Its open promises, the newest first.
    pub(super) promises: Vec<PromiseRecord>,
    /// The locals of its next step, if they are in its heap.
    pub(super) locals: Option<Encoded>,
    /// The death watches of its heap.
    pub(super) watches: Vec<DeathWatchRecord>,
}

/// One open promise.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PromiseRecord {
    /// Its number among those that its actor has open.
    pub(super) number: u64,
    /// The kind of what is done with its value.
    pub(super) sink: String,
    pub(super) value: NameOfValue,
    pub(super) content: Encoded,
    /// Values that have arrived at a join.
    pub(super) values: Vec<JoinedRecord>,
    /// The request of which it is the answer.
    pub(super) asked: Option<AskedRecord>,
}

/// A value at its position in a join.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct JoinedRecord {
    pub(super) at: u64,
    pub(super) value: Encoded,
}

/// A request that is open.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AskedRecord {
    /// The actor that has to answer.
    pub(super) actor: u64,
    pub(super) behaviour: String,
    pub(super) made: Place,
}

/// What the image has of an actor.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    State(Encoded),
    /// It has no state yet: its start waits.
    Unstarted,
    Start(StartRecord),
}

/// Messages that wait at one place of a mailbox, in their order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WaitingRecord {
    pub(super) actor: u64,
    pub(super) place: WaitingPlace,
    /// Grows with the records of one place.
    pub(super) ordinal: u64,
    pub(super) messages: Vec<MessageData>,
}

impl Image {
    #[cfg(feature = "snapshots")]
    pub(super) fn into_types(self) -> Vec<ActorsOfType> {
        self.system.types
    }

    /// The image of these records. The table of kinds may be in any order, and have an entry twice.
    pub(super) fn of(
        system: SystemRecord,
        shapes: Shapes,
        kinds: MessageKindsRecord,
        shared: SharedRecord,
        records: Records,
    ) -> Image {
        let Records {
            mut actors,
            mut waiting,
            mut steps,
            mut supervised,
            heaps: records,
            spans,
            objects,
        } = records;
        let mut heaps: BTreeMap<u64, HeapContent> = BTreeMap::new();
        for HeapRecord { heap, actor } in records {
            heaps.entry(heap).or_default().actor = actor;
        }
        for record in spans {
            let heap = heaps.entry(record.heap).or_default();
            heap.spans.extend(record.spans);
        }
        let objects = match heaps.is_empty() {
            true => ObjectsRecord::default(),
            false => objects,
        };
        let by_number = |heap: &mut HeapContent| heap.spans.sort_by_key(SpanRecord::number);
        heaps.values_mut().for_each(by_number);
        supervised.sort_by_key(|child| child.actor);
        actors.sort_by_key(|actor| actor.id);
        steps.sort_by_key(|step| step.actor);
        waiting.sort_by_key(|it| (it.actor, it.place, it.ordinal));
        let waiting = waiting.into_iter().flat_map(|record| {
            let actor = record.actor;
            let messages = record.messages.into_iter();
            messages.map(move |message| MessageRecord { actor, message })
        });
        let mut waiting: Vec<_> = waiting.collect();
        let is_committed = |it: &MessageRecord| it.message.waits_as == WaitsAs::Committed;
        if waiting.iter().any(is_committed) {
            waiting.sort_by_key(|it| (it.actor, !is_committed(it)));
        }
        let mut image = Image {
            system,
            shapes,
            kinds: MessageKindsRecord::default(),
            actors,
            waiting,
            steps,
            supervised,
            shared,
            heaps,
            objects,
        };
        #[cfg(test)]
        if is_planted(InjectedFault::OrderForgotten) {
            image.waiting.reverse();
        }
        let used = image.messages_mut().map(|it| it.message.kind).collect();
        let renumbered = Renumbered::of(kinds, &used);
        image.messages_mut().for_each(|it| renumbered.renumber(it));
        image.kinds = renumbered.kinds;
        image
    }

    fn watches_of(&self, actor: u64) -> Vec<WatchRecord> {
        let found = self.actors.binary_search_by_key(&actor, |it| it.id);
        let watches = found.map_or(&[][..], |at| &self.actors[at].watches);
        watches.iter().map(|it| it.watch).collect()
    }

    /// The message of the step that an actor has to run.
    pub(super) fn step_of(&self, actor: u64) -> Option<&MessageData> {
        let mut steps = self.steps.iter();
        Some(&steps.find(|step| step.actor == actor)?.message)
    }

    /// The number of an actor's heap.
    pub(super) fn heap_of(&self, actor: u64) -> Option<u64> {
        let mut heaps = self.heaps.iter();
        let (number, _) = heaps.find(|(_, heap)| heap.actor == Some(actor))?;
        Some(*number)
    }

    /// The numbers of heaps are given in order, so those of an image are below the next one.
    pub(super) fn check_numbers_of_heaps(&self) -> Result<(), NotRestored> {
        let next = self.system.next_heap;
        let last = self.heaps.last_key_value().map(|(number, _)| *number);
        match last.filter(|last| *last >= next) {
            Some(last) => Err(NotRestored::HeapNumber(last)),
            None if next > u64::MAX / 2 => Err(NotRestored::HeapNumber(next)),
            None => Ok(()),
        }
    }

    /// The heaps that are wanted, to be restored in this system. `cell` is that of an actor that
    /// gets its state.
    pub(super) fn heaps_for<'i>(
        &self,
        system: &Shared,
        comparison: &'i Comparison<'i>,
        numbers: HeapNumbers,
        is_wanted: impl Fn(u64, &HeapContent) -> bool,
        cell: impl Fn(u64) -> Option<CellRef>,
    ) -> Result<RestoredHeaps<'i>, NotRestored> {
        let wanted = self.heaps.iter();
        let wanted = wanted.filter(|(number, heap)| is_wanted(**number, heap));
        let heaps = wanted.map(|(number, heap)| {
            let cell = heap.actor.and_then(&cell);
            let pacing = cell.and_then(|cell| {
                let heap = cell.class.heap.as_ref()?;
                Some((heap.pacing)(&HostCell(cell)))
            });
            HeapSpans {
                number: *number,
                pacing: pacing.unwrap_or(system.config.pacing),
                spans: heap.spans.clone(),
                watches: heap.actor.map_or_else(Vec::new, |id| self.watches_of(id)),
            }
        });
        let types = (comparison, &self.objects.contents[..]);
        let restored = RestoredHeaps::new(&system.heaps, types, numbers, heaps);
        restored.map_err(NotRestored::Heaps)
    }

    fn messages_mut(&mut self) -> impl Iterator<Item = &mut MessageRecord> {
        let SharedRecord {
            tables, monitors, ..
        } = &mut self.shared;
        let alarms = tables.alarms.iter_mut().map(|alarm| &mut alarm.message);
        let watches = monitors.watches.iter_mut();
        let topics = tables.topics.iter_mut();
        let subscriptions = topics.flat_map(|topic| &mut topic.subscriptions);
        let continuations = subscriptions.map(|subscription| &mut subscription.then);
        let watched = self.actors.iter_mut().flat_map(|it| &mut it.watches);
        let notices = watched.filter_map(|it| Some(&mut it.notice.as_mut()?.message));
        let waiting = self.waiting.iter_mut();
        let steps = self.steps.iter_mut();
        let messages = waiting.chain(steps).chain(alarms).chain(watches);
        messages.chain(continuations).chain(notices)
    }
}

saved_struct!(SystemRecord as "vivant::SystemRecord" {
    0 numbers: (u64, u32),
    1 next_heap: u64,
    2 clock_ns: u64,
    3 types: Vec<ActorsOfType>,
});

saved_struct!(SharedRecord as "vivant::SharedRecord" {
    0 tables: TablesRecord,
    1 monitors: MonitorsRecord,
    2 ended: Vec<EndedRecord>,
    3 orders: Vec<OrderRecord>,
    4 stopping: Vec<StoppingRecord>,
    5 named_heaps: Vec<u64>,
});

saved_struct!(ActorRecord as "vivant::ActorRecord" {
    0 id: u64,
    1 class: String,
    2 path: Vec<u32>,
    3 children: u32,
    4 random: u64,
    5 content: Content,
    6 promises: Vec<PromiseRecord>,
    7 locals: Option<Encoded>,
    8 watches: Vec<DeathWatchRecord>,
});

saved_struct!(PromiseRecord as "vivant::PromiseRecord" {
    0 number: u64,
    1 sink: String,
    2 value: NameOfValue,
    3 content: Encoded,
    4 values: Vec<JoinedRecord>,
    5 asked: Option<AskedRecord>,
});

saved_struct!(JoinedRecord as "vivant::JoinedRecord" {
    0 at: u64,
    1 value: Encoded,
});

saved_struct!(AskedRecord as "vivant::AskedRecord" {
    0 actor: u64,
    1 behaviour: String,
    2 made: Place,
});

saved_enum!(Content as "vivant::Content" {
    0 State { 0: Encoded },
    1 Unstarted,
    2 Start { 0: StartRecord },
});

saved_struct!(WaitingRecord as "vivant::WaitingRecord" {
    0 actor: u64,
    1 place: WaitingPlace,
    2 ordinal: u64,
    3 messages: Vec<MessageData>,
});

saved_enum!(WaitingPlace as "vivant::WaitingPlace" {
    0 Deferred,
    1 Queue,
    2 Inbox,
});

#[cfg(test)]
use super::message_record::WaitingKind;
#[cfg(test)]
impl Image {
    /// The number of open promises.
    pub(super) fn promises(&self) -> usize {
        self.actors.iter().map(|actor| actor.promises.len()).sum()
    }

    /// The number of values that are on their way.
    pub(super) fn arrivals(&self) -> usize {
        let waiting = self.waiting.iter();
        let arrivals = waiting.filter(|it| matches!(it.message.waits_as, WaitsAs::Arrival(_)));
        arrivals.count()
    }

    /// The kind of a message.
    pub(super) fn kind(&self, record: &MessageRecord) -> &WaitingKind {
        let kind = self.kinds.of(&record.message);
        &kind.expect("it is in the table").what
    }
}
