//! A sink that keeps what it is given.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use vivant_codec::{Encoder, to_bytes};
use vivant_heap::{Demand, ImageError, ImageId, ImageSink, SpanRecord};

/// Keeps what it is given.
pub(super) struct Sink(Taken);

/// What a sink was given.
#[derive(Clone)]
pub(super) struct Taken(Arc<Mutex<Kept>>);

struct Kept {
    since: Option<ImageId>,
    id: Option<ImageId>,
    spans: Vec<SpanRecord>,
    /// Numbers of spans, and of the first images that have their records.
    unchanged: Vec<(u32, u32)>,
    demand: Demand,
    ended: Option<Result<(), ImageError>>,
}

impl Sink {
    pub(super) fn new() -> (Sink, Taken) {
        Sink::since(None)
    }

    /// Keeps what has changed since an earlier image.
    pub(super) fn since(since: Option<ImageId>) -> (Sink, Taken) {
        let kept = Kept {
            since,
            id: None,
            spans: Vec::new(),
            unchanged: Vec::new(),
            demand: Demand::More,
            ended: None,
        };
        let taken = Taken(Arc::new(Mutex::new(kept)));
        (Sink(taken.clone()), taken)
    }
}

impl Taken {
    /// From now on the sink wants this.
    pub(super) fn demand(&self, demand: Demand) {
        self.0.lock().expect("no panic").demand = demand;
    }

    /// The number of spans.
    pub(super) fn spans(&self) -> usize {
        self.0.lock().expect("no panic").spans.len()
    }

    /// The bytes of all spans.
    #[cfg(not(miri))]
    pub(super) fn bytes(&self) -> usize {
        let kept = self.0.lock().expect("no panic");
        kept.spans.iter().map(SpanRecord::bytes).sum()
    }

    /// How the image has ended. `None`: it has not.
    pub(super) fn ended(&self) -> Option<Result<(), ImageError>> {
        self.0.lock().expect("no panic").ended.take()
    }

    /// Whether the sink is gone.
    pub(super) fn is_dropped(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// The image.
    pub(super) fn id(&self) -> ImageId {
        let kept = self.0.lock().expect("no panic");
        kept.id.clone().expect("it has begun")
    }

    /// The spans of a complete image, each encoded, by their numbers.
    pub(super) fn by_number(&self) -> BTreeMap<u32, Vec<u8>> {
        let encoded = self.complete();
        let kept = self.0.lock().expect("no panic");
        let numbers = kept.spans.iter().map(SpanRecord::number);
        numbers.zip(encoded).collect()
    }

    /// The spans that the image leaves to earlier ones, with the numbers of the first of those.
    pub(super) fn unchanged(&self) -> Vec<(u32, u32)> {
        self.0.lock().expect("no panic").unchanged.clone()
    }

    /// The spans of a complete image, each encoded.
    pub(super) fn complete(&self) -> Vec<Vec<u8>> {
        let kept = self.0.lock().expect("no panic");
        assert!(matches!(kept.ended, Some(Ok(()))), "{:?}", kept.ended);
        let spans = kept.spans.iter();
        spans
            .map(|span| to_bytes(span).expect("a span is saved"))
            .collect()
    }
}

impl ImageSink for Sink {
    fn encoder(&mut self, encode: &mut dyn FnMut(&Encoder<'_>)) {
        encode(&Encoder::new());
    }

    fn since(&self) -> Option<ImageId> {
        self.0.0.lock().expect("no panic").since.clone()
    }

    fn began(&mut self, image: ImageId) {
        self.0.0.lock().expect("no panic").id = Some(image);
    }

    fn span(&mut self, record: SpanRecord) {
        self.0.0.lock().expect("no panic").spans.push(record);
    }

    fn unchanged(&mut self, span: u32, first_image: u32) {
        let unchanged = &mut self.0.0.lock().expect("no panic").unchanged;
        unchanged.push((span, first_image));
    }

    fn demand(&self) -> Demand {
        self.0.0.lock().expect("no panic").demand
    }

    fn ended(self: Box<Self>, result: Result<(), ImageError>) {
        let before = self.0.0.lock().expect("no panic").ended.replace(result);
        assert!(before.is_none(), "it ends twice");
    }
}
