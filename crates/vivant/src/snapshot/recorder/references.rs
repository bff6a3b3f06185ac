//! The references that encoded values have: to actors that the image lacks, and handles.

use super::super::ended::EndedRecord;
use super::super::noted::{NamedByActor, Noted};
use super::super::unsaved::Unsaved;
use super::heap_images::Written;
use super::{ImageRecorder, Record, Recorded};
use crate::actor::{Header, SeenActors};
use crate::sync::lock;
use std::any::Any;
use vivant_heap::NamedHeaps;

impl ImageRecorder {
    /// Calls `body` with the context of an encoder that notes the actors which the image lacks, and
    /// the handles of subscriptions, groups, topics and synchronizers.
    pub(super) fn noting_references<R>(
        &self,
        actor: &Header,
        body: impl FnOnce(&[&dyn Any]) -> R,
    ) -> R {
        let (result, noted) = self.noted(actor, body);
        self.adds(noted);
        result
    }

    /// Takes what heaps have written since the last call.
    pub(super) fn take_from_heaps(&self) {
        let Written {
            records,
            unchanged,
            noted,
            heaps,
            error,
        } = self.heaps.take();
        noted.into_iter().for_each(|noted| self.adds(noted));
        let mut recorded = lock(&self.recorded);
        recorded
            .records
            .extend(records.into_iter().map(Record::Spans));
        recorded
            .records
            .extend(unchanged.into_iter().map(Record::Unchanged));
        for (record, heap) in heaps {
            recorded.own_heaps.insert(record.heap);
            recorded.records.push(Record::Heap(record));
            recorded.heaps.push(heap);
        }
        if let Some(error) = error {
            recorded.error.get_or_insert(error);
        }
    }

    /// The objects that values have of other heaps are in the image.
    pub(super) fn checks_named_heaps(&self) {
        let recorded = &mut *lock(&self.recorded);
        let mut named = recorded.named_heaps.iter();
        let lacking = named.find(|(heap, _)| !recorded.own_heaps.contains(heap));
        if let Some((_, actor)) = lacking {
            let what = "a shared object (`Val`) of a heap that the snapshot has not captured";
            recorded.error.get_or_insert(Unsaved::Lacking {
                actor: actor.clone(),
                what: what.to_owned(),
            });
        }
    }

    /// The image leads to this.
    pub(super) fn adds(&self, noted: Noted) {
        let Noted {
            references,
            ended,
            heaps,
        } = noted;
        if !heaps.0.is_empty() {
            lock(&self.recorded).named_heaps.extend(heaps.0);
        }
        if !references.is_empty() {
            lock(&self.recorded).memberships.add_roots(&references);
        }
        if !ended.is_empty() {
            lock(&self.recorded).add_ended(ended);
        }
    }

    /// Calls `body` as `noting_references`, and returns what is noted.
    pub(super) fn noted<R>(
        &self,
        actor: &Header,
        body: impl FnOnce(&[&dyn Any]) -> R,
    ) -> (R, Noted) {
        let seen = SeenActors::of(&actor.system, self.scope.clone());
        let named = NamedHeaps::new(&actor.system.heaps);
        let (results, objects) = (self.kinds.values().listed_results(), self.kinds.objects());
        let result = body(&[&seen, &named, results, &**objects]);
        let references = seen.take_references();
        let line = actor.system.passes.now().phase();
        let ended = seen.into_cells().map(|cell| EndedRecord::of(&cell, line));
        let ended = ended.collect();
        let named = named.take().into_iter();
        let heaps = NamedByActor(named.map(|heap| (heap, actor.path())).collect());
        let noted = Noted {
            references,
            ended,
            heaps,
        };
        (result, noted)
    }
}

impl Recorded {
    pub(super) fn add_ended(&mut self, ended: Vec<EndedRecord>) {
        let ended = ended.into_iter().map(|record| (record.id, record));
        self.ended.extend(ended);
    }
}
