//! Values that a cut encodes: their bytes, what they lead to, and how long it took.

use super::super::message_record::Encoded;
use super::super::noted::Noted;
use super::ImageRecorder;
use super::buffer::{buffer, reuse};
use super::encoding::{NotEncoded, encode};
use super::heap_sink::{HasState, HeapHolder, HeapSink};
use crate::actor::{Header, Recorder, Shared, StateRef};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::saving::HeapSaver;
use crate::sync::Arc;
use std::any::Any;
use std::time::Duration;
use vivant_codec::{Encoder, Shape};
use vivant_heap::{DetachedHeap, ImageSink};

impl ImageRecorder {
    /// Returns what is encoded, or nothing after an error.
    pub(super) fn encoded(
        &self,
        actor: &Header,
        shape: &'static Shape,
        save: impl FnOnce(&mut Encoder<'_>),
    ) -> Encoded {
        let (encoded, noted) = self.encoded_noting(actor, shape, save);
        self.adds(noted);
        encoded
    }

    /// As `encoded`, for a state in a heap: of that an image begins, which is written while turns
    /// run.
    pub(super) fn encoded_with_heap(
        &self,
        actor: &Header,
        shape: &'static Shape,
        save: impl FnOnce(&mut Encoder<'_>),
    ) -> (Encoded, Option<Encoded>) {
        let heap = self.heap_saver(HeapHolder::of(actor, self.scope.clone(), HasState::Yes));
        let (encoded, noted) = self.encoded_by(actor, shape, |contexts| {
            let mut contexts = contexts.to_vec();
            contexts.push(&heap);
            encode(buffer(), &contexts, save)
        });
        self.adds(noted);
        let locals = heap.take_locals();
        #[cfg(test)]
        let locals = locals.filter(|_| !is_planted(InjectedFault::LocalsUnrecorded));
        let locals = locals.map(|(shape, bytes)| Encoded {
            shape: self.shape(shape),
            bytes: bytes.unwrap_or_else(|error| {
                self.fails(NotEncoded::Error(error).of(actor));
                Vec::new()
            }),
        });
        (encoded, locals)
    }

    /// Of a heap of which the image has no state an image begins, if the program has values that
    /// refer to objects of other heaps.
    pub(super) fn shared_objects(&self, actor: &Header, state: &mut StateRef<'_>) {
        if let Some(heap) = &actor.class.heap
            && self.kinds.objects().share()
        {
            let holder = HeapHolder::of(actor, self.scope.clone(), HasState::No);
            (heap.begin_image)(state, &self.heap_saver(holder));
        }
    }

    /// As `shared_objects`, for a heap of an actor that has ended.
    pub(super) fn detached_heap(&self, system: &Arc<Shared>, number: u64, heap: &mut DetachedHeap) {
        if self.kinds.objects().share() {
            let holder = HeapHolder::detached(number, system, self.scope.clone());
            let saver = self.heap_saver(holder);
            if let Some(sink) = saver.take_sink(heap.number()) {
                heap.begin_image(saver.codecs(), sink);
            }
        }
    }

    fn heap_saver(&self, holder: HeapHolder) -> HeapSaver {
        let (images, kinds) = (self.heaps.clone(), self.kinds.clone());
        let codecs = kinds.objects().clone();
        let chains = self.chains.clone();
        let sink = move |heap: u64| -> Box<dyn ImageSink> {
            let chain = chains.get(&heap).cloned();
            Box::new(HeapSink::new(images, kinds, chain, heap, holder))
        };
        HeapSaver::new(codecs, Box::new(sink))
    }

    /// As `encoded`, with that to which it leads.
    pub(super) fn encoded_noting(
        &self,
        actor: &Header,
        shape: &'static Shape,
        save: impl FnOnce(&mut Encoder<'_>),
    ) -> (Encoded, Noted) {
        self.encoded_by(actor, shape, |contexts| encode(buffer(), contexts, save))
    }

    fn encoded_by(
        &self,
        actor: &Header,
        shape: &'static Shape,
        encode: impl FnOnce(&[&dyn Any]) -> Result<Vec<u8>, NotEncoded>,
    ) -> (Encoded, Noted) {
        let began_ns = actor.system.oracle.now_ns();
        let (encoded, noted) = self.noted(actor, encode);
        let encoded = encoded.unwrap_or_else(|error| {
            self.fails(error.of(actor));
            Vec::new()
        });
        let bytes = encoded.as_slice().into();
        let took = Duration::from_nanos(actor.system.oracle.now_ns().saturating_sub(began_ns));
        self.took(actor, encoded.len(), took);
        reuse(encoded);
        let shape = self.shape(shape);
        (Encoded { shape, bytes }, noted)
    }

    /// Returns `buffer`, which is empty, with what is encoded, or nothing after an error.
    pub(super) fn encoded_into(
        &self,
        buffer: Vec<u8>,
        actor: &Header,
        save: impl FnOnce(&mut Encoder<'_>),
    ) -> Vec<u8> {
        let encoded = self.noting_references(actor, |contexts| encode(buffer, contexts, save));
        encoded.unwrap_or_else(|error| {
            self.fails(error.of(actor));
            Vec::new()
        })
    }
}
