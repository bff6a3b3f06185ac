//! [`HeapSink`]: takes the image of one heap while turns run.

use super::super::ended::EndedRecord;
use super::super::heap_chain::{HeapChain, WrittenHeap};
use super::super::heap_records::{HeapRecord, SpansRecord, UnchangedRecord};
use super::super::noted::{NamedByActor, Noted};
use super::super::unsaved::Unsaved;
use super::heap_images::HeapImages;
use crate::actor::{Header, OpenHeap, Scope, SeenActors, Shared, drop_foreign};
use crate::api::SavedKinds;
use crate::candidates::ActorKey;
use crate::failures::message_of;
use crate::phase::Phase;
use crate::sync::Arc;
use std::collections::BTreeSet;
use std::mem;
use vivant_codec::Encoder;
use vivant_heap::{Demand, ImageError, ImageId, ImageSink, NamedHeaps, SpanRecord};

/// Takes the image of a heap, for a cut.
pub(super) struct HeapSink {
    images: Arc<HeapImages>,
    kinds: Arc<SavedKinds>,
    seen: Seen,
    /// The number of the heap.
    heap: u64,
    holder: OpenHeap,
    /// The actor of which the image has the state.
    actor: Option<u64>,
    path: String,
    /// What was written since the last record.
    record: SpansRecord,
    unchanged: UnchangedRecord,
    /// What the last snapshot had of the heap.
    chain: Option<HeapChain>,
    /// The image. `None`: it has not begun.
    image: Option<ImageId>,
    /// Bytes that were written, and the earlier snapshots that have the rest.
    bytes: usize,
    needed: BTreeSet<u64>,
    has_ended: bool,
}

/// What has a heap, when that is captured.
pub(super) struct HeapHolder {
    holder: OpenHeap,
    actor: Option<u64>,
    path: String,
    seen: Seen,
}

/// Whether the image has the state of a heap.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HasState {
    Yes,
    No,
}

impl HeapHolder {
    /// The actor is being captured, in this scope.
    pub(super) fn of(actor: &Header, scope: Scope, has_state: HasState) -> HeapHolder {
        let key = ActorKey {
            id: actor.id,
            place: actor.place(),
        };
        HeapHolder {
            holder: OpenHeap::OfActor(key),
            actor: (has_state == HasState::Yes).then_some(actor.id),
            path: actor.path(),
            seen: Seen::of(&actor.system, scope),
        }
    }

    /// The detached heap with this number is being captured.
    pub(super) fn detached(number: u64, system: &Arc<Shared>, scope: Scope) -> HeapHolder {
        HeapHolder {
            holder: OpenHeap::Detached(number),
            actor: None,
            path: "the heap of an actor that has ended".to_owned(),
            seen: Seen::of(system, scope),
        }
    }
}

/// To what the objects lead.
struct Seen {
    system: Arc<Shared>,
    scope: Scope,
    line: Phase,
    /// When the actor was captured.
    at_ns: u64,
    actors: Option<SeenActors>,
    named: NamedHeaps,
}

impl Seen {
    fn of(system: &Arc<Shared>, scope: Scope) -> Seen {
        Seen {
            system: system.clone(),
            scope,
            line: system.passes.now().phase(),
            at_ns: system.oracle.now_ns(),
            actors: None,
            named: NamedHeaps::new(&system.heaps),
        }
    }

    /// Takes what was noted since the last call.
    fn take(&mut self, path: &str) -> Noted {
        let heaps = NamedByActor::of(&self.named, path);
        let Some(seen) = self.actors.take() else {
            return Noted {
                heaps,
                ..Noted::default()
            };
        };
        let references = seen.take_references();
        let ended = seen.into_cells();
        let ended = ended
            .map(|cell| EndedRecord::of(&cell, self.line))
            .collect();
        Noted {
            references,
            ended,
            heaps,
        }
    }

    fn contexts(&mut self) -> (&SeenActors, &NamedHeaps) {
        let (system, scope) = (&self.system, &self.scope);
        let at_ns = self.at_ns;
        let actors = self
            .actors
            .get_or_insert_with(|| SeenActors::of(system, scope.clone()).at(at_ns));
        (actors, &self.named)
    }
}

impl HeapSink {
    /// The actor is being captured. This is the number of its heap.
    pub(super) fn new(
        images: Arc<HeapImages>,
        kinds: Arc<SavedKinds>,
        chain: Option<HeapChain>,
        heap: u64,
        holder: HeapHolder,
    ) -> HeapSink {
        images.begins(holder.holder);
        HeapSink {
            images,
            kinds,
            seen: holder.seen,
            heap,
            holder: holder.holder,
            actor: holder.actor,
            path: holder.path,
            record: SpansRecord::new(heap),
            unchanged: UnchangedRecord::new(heap),
            chain,
            image: None,
            bytes: 0,
            needed: BTreeSet::new(),
            has_ended: false,
        }
    }

    /// Gives what was written to the cut.
    fn flush(&mut self) {
        let noted = self.seen.take(&self.path);
        let record = mem::replace(&mut self.record, SpansRecord::new(self.heap));
        self.bytes += record.bytes();
        self.images.add(record, noted);
    }

    fn flush_unchanged(&mut self) {
        let record = mem::replace(&mut self.unchanged, UnchangedRecord::new(self.heap));
        if !record.runs.is_empty() {
            self.images.add_unchanged(record);
        }
    }

    /// All is written.
    fn completes(&mut self) {
        self.flush();
        self.flush_unchanged();
        if let Some(image) = self.image.take() {
            let record = HeapRecord {
                heap: self.heap,
                actor: self.actor,
            };
            self.images.completes(
                record,
                WrittenHeap {
                    heap: self.heap,
                    image,
                    bytes: self.bytes,
                    needed: mem::take(&mut self.needed),
                    chain: self.chain.take(),
                },
            );
        }
    }

    fn unsaved(&self, error: ImageError) -> Unsaved {
        let actor = self.path.clone();
        match error {
            ImageError::Panicked { type_name, payload } => {
                let message = format!("{} (an object `{type_name}`)", message_of(&*payload));
                drop_foreign("the payload of a panic", payload);
                Unsaved::Panicked { actor, message }
            }
            error => Unsaved::Heap { actor, error },
        }
    }
}

impl ImageSink for HeapSink {
    fn encoder(&mut self, encode: &mut dyn FnMut(&Encoder<'_>)) {
        let (kinds, (actors, heaps)) = (&self.kinds, self.seen.contexts());
        let results = kinds.values().listed_results();
        encode(&Encoder::new().with_contexts(&[actors, heaps, results]));
    }

    fn since(&self) -> Option<ImageId> {
        Some(self.chain.as_ref()?.last().clone())
    }

    fn began(&mut self, image: ImageId) {
        self.image = Some(image);
    }

    fn unchanged(&mut self, span: u32, first_image: u32) {
        let chain = self.chain.as_ref();
        let Some(snapshot) = chain.and_then(|chain| chain.snapshot(first_image)) else {
            let actor = self.path.clone();
            let what = format!("the span {span} of a heap, which no snapshot has");
            return self.images.fails(Unsaved::Lacking { actor, what });
        };
        self.needed.insert(snapshot);
        self.unchanged.add(span, snapshot);
        if self.unchanged.is_full() {
            self.flush_unchanged();
        }
    }

    fn span(&mut self, record: SpanRecord) {
        self.record.spans.push(record);
        if self.record.is_full() {
            self.flush();
        }
    }

    fn demand(&self) -> Demand {
        match () {
            () if self.images.is_given_up() => Demand::Nothing,
            // In a simulation the thread that takes the snapshot runs the actors; no time passes.
            () if self.images.is_full() && self.seen.system.stage().is_none() => Demand::Wait,
            () => Demand::More,
        }
    }

    fn ended(mut self: Box<Self>, result: Result<(), ImageError>) {
        self.has_ended = true;
        match result {
            Ok(()) => self.completes(),
            Err(error) => self.images.fails(self.unsaved(error)),
        }
    }
}

impl Drop for HeapSink {
    fn drop(&mut self) {
        if !self.has_ended && !self.images.is_given_up() {
            let actor = self.path.clone();
            let what = "a heap that was gone before it was written".to_owned();
            self.images.fails(Unsaved::Lacking { actor, what });
        }
        drop_foreign(
            "what the objects of a heap lead to",
            self.seen.take(&self.path),
        );
        self.images.ends(self.holder);
    }
}
