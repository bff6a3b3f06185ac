//! Values that a cut encodes: their bytes, what they lead to, and how long it took.

use super::super::message_record::Encoded;
use super::super::noted::Noted;
use super::ImageRecorder;
use super::buffer::{buffer, reuse};
use super::encoding::{NotEncoded, encode};
use super::heap_sink::HeapSink;
use crate::actor::{Header, Recorder};
use crate::saving::HeapSaver;
use std::any::Any;
use std::time::Duration;
use vivant_codec::{Encoder, Shape};

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
    ) -> Encoded {
        let (images, kinds) = (self.heaps.clone(), self.kinds.clone());
        let codecs = kinds.objects().clone();
        let chain = self.chains.get(&actor.id).cloned();
        let sink = HeapSink::new(images, kinds, chain, self.scope.clone(), actor);
        let heap = HeapSaver::new(codecs, Box::new(sink));
        let (encoded, noted) = self.encoded_by(actor, shape, |contexts| {
            let mut contexts = contexts.to_vec();
            contexts.push(&heap);
            encode(buffer(), &contexts, save)
        });
        self.adds(noted);
        encoded
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
