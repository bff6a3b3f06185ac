//! [`HeapSink`]: takes the image of one heap while turns run.

use super::super::ended::EndedRecord;
use super::super::heap_chain::{HeapChain, WrittenHeap};
use super::super::heap_records::{SpansRecord, UnchangedRecord};
use super::super::noted::Noted;
use super::super::unsaved::Unsaved;
use super::heap_images::HeapImages;
use crate::actor::{Header, Scope, SeenActors, Shared, drop_foreign};
use crate::api::SavedKinds;
use crate::candidates::ActorKey;
use crate::failures::message_of;
use crate::phase::Phase;
use crate::sync::Arc;
use std::collections::BTreeSet;
use std::mem;
use vivant_codec::Encoder;
use vivant_heap::{Demand, ImageError, ImageId, ImageSink, SpanRecord};

/// Takes the image of the heap of an actor, for a cut.
pub(super) struct HeapSink {
    images: Arc<HeapImages>,
    kinds: Arc<SavedKinds>,
    seen: Seen,
    actor: u64,
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

/// To what the objects lead.
struct Seen {
    system: Arc<Shared>,
    scope: Scope,
    line: Phase,
    /// When the actor was captured.
    at_ns: u64,
    actors: Option<SeenActors>,
}

impl Seen {
    /// Takes what was noted since the last call.
    fn take(&mut self) -> Noted {
        let Some(seen) = self.actors.take() else {
            return Noted::default();
        };
        let references = seen.take_references();
        let ended = seen.into_cells();
        let ended = ended
            .map(|cell| EndedRecord::of(&cell, self.line))
            .collect();
        Noted { references, ended }
    }

    fn actors(&mut self) -> &SeenActors {
        let (system, scope) = (&self.system, &self.scope);
        let at_ns = self.at_ns;
        self.actors
            .get_or_insert_with(|| SeenActors::of(system, scope.clone()).at(at_ns))
    }
}

impl HeapSink {
    /// The actor is being captured.
    pub(super) fn new(
        images: Arc<HeapImages>,
        kinds: Arc<SavedKinds>,
        chain: Option<HeapChain>,
        scope: Scope,
        actor: &Header,
    ) -> HeapSink {
        images.begins(ActorKey {
            id: actor.id,
            place: actor.place(),
        });
        HeapSink {
            images,
            kinds,
            seen: Seen {
                system: actor.system.clone(),
                scope,
                line: actor.system.passes.now().phase(),
                at_ns: actor.system.oracle.now_ns(),
                actors: None,
            },
            actor: actor.id,
            path: actor.path(),
            record: SpansRecord::new(actor.id),
            unchanged: UnchangedRecord::new(actor.id),
            chain,
            image: None,
            bytes: 0,
            needed: BTreeSet::new(),
            has_ended: false,
        }
    }

    /// Gives what was written to the cut.
    fn flush(&mut self) {
        let noted = self.seen.take();
        let record = mem::replace(&mut self.record, SpansRecord::new(self.actor));
        self.bytes += record.bytes();
        self.images.add(record, noted);
    }

    fn flush_unchanged(&mut self) {
        let record = mem::replace(&mut self.unchanged, UnchangedRecord::new(self.actor));
        if !record.runs.is_empty() {
            self.images.add_unchanged(record);
        }
    }

    /// All is written.
    fn completes(&mut self) {
        self.flush();
        self.flush_unchanged();
        if let Some(image) = self.image.take() {
            self.images.completes(WrittenHeap {
                actor: self.actor,
                image,
                bytes: self.bytes,
                needed: mem::take(&mut self.needed),
                chain: self.chain.take(),
            });
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
        let (kinds, seen) = (&self.kinds, self.seen.actors());
        encode(&Encoder::new().with_contexts(&[seen, kinds.values().listed_results()]));
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
        drop_foreign("what the objects of a heap lead to", self.seen.take());
        self.images.ends(self.actor);
    }
}
