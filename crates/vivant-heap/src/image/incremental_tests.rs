//! What turns have changed is in the next image, whatever brought the change.

use super::image_id::ImageId;
use super::image_sink::{ImageError, ImageSink};
use super::object_codec::ObjectCodecs;
use super::span_record::SpanRecord;
use crate::injected_fault::{self, InjectedFault};
use crate::{Gc, Heap, Iso, Mut, Pacing, PageSource, Root};
use std::sync::{Arc, Mutex};
use vivant_codec::{Encoder, Saved};

struct Numbers;

impl Root for Numbers {
    type Of<'gc> = Vec<Gc<'gc, Mut<u64>>>;
}

/// Counts the spans that are written.
struct Counts(Arc<Mutex<Counted>>);

#[derive(Default)]
struct Counted {
    since: Option<ImageId>,
    began: Option<ImageId>,
    written: usize,
}

impl ImageSink for Counts {
    fn encoder(&mut self, encode: &mut dyn FnMut(&Encoder<'_>)) {
        encode(&Encoder::new());
    }

    fn since(&self) -> Option<ImageId> {
        self.0.lock().expect("no panic").since.clone()
    }

    fn began(&mut self, image: ImageId) {
        self.0.lock().expect("no panic").began = Some(image);
    }

    fn span(&mut self, record: SpanRecord) {
        self.0.lock().expect("no panic").written += usize::from(record.objects() != 0);
    }

    fn unchanged(&mut self, _span: u32, _first_image: u32) {}

    fn ended(self: Box<Self>, result: Result<(), ImageError>) {
        result.expect("all is saved");
    }
}

/// A heap of which an image was taken.
struct Imaged {
    source: Arc<PageSource>,
    heap: Heap<Numbers>,
    codecs: Arc<ObjectCodecs>,
    last: Option<ImageId>,
}

impl Imaged {
    fn new() -> Imaged {
        let source = Arc::new(PageSource::new());
        let heap = Heap::new(&source, Pacing::new(), |m| {
            (0..100).map(|n| m.alloc(Mut::new(n))).collect()
        });
        let mut codecs = ObjectCodecs::new();
        codecs.add(<Vec<Gc<'_, Mut<u64>>>>::SHAPE);
        let mut imaged = Imaged {
            source,
            heap,
            codecs: Arc::new(codecs),
            last: None,
        };
        assert!(imaged.spans_in_next() > 0);
        assert_eq!(imaged.spans_in_next(), 0, "nothing has changed");
        imaged
    }

    /// The number of spans that the next image writes.
    fn spans_in_next(&mut self) -> usize {
        let counted = Arc::new(Mutex::new(Counted {
            since: self.last.take(),
            ..Counted::default()
        }));
        let sink = Box::new(Counts(counted.clone()));
        self.heap.begin_image(self.codecs.clone(), sink, |_| ());
        self.heap.finish_image();
        let counted = counted.lock().expect("no panic");
        self.last.clone_from(&counted.began);
        counted.written
    }
}

fn a_write() {
    let mut imaged = Imaged::new();
    imaged.heap.turn(|m, all| all[7].set(m, 70));
    assert_eq!(imaged.spans_in_next(), 1);
}

fn a_birth() {
    let mut imaged = Imaged::new();
    imaged.heap.turn(|m, all| all.push(m.alloc(Mut::new(1))));
    assert_eq!(imaged.spans_in_next(), 1);
}

fn a_merge() {
    let mut imaged = Imaged::new();
    let region = Iso::<Vec<Gc<'_, Mut<u64>>>>::new(&imaged.source, |m| vec![m.alloc(Mut::new(1))]);
    imaged.heap.turn(|m, all| all.extend(region.merge(m)));
    assert_eq!(imaged.spans_in_next(), 1);
}

const CHECKS: [(InjectedFault, fn()); 3] = [
    (InjectedFault::UnnotedChange, a_write),
    (InjectedFault::UnnotedBirth, a_birth),
    (InjectedFault::UnnotedMerge, a_merge),
];

#[test]
fn changes_are_in_the_next_image() {
    CHECKS.iter().for_each(|(_, check)| check());
}

#[test]
fn canary_each_forgotten_change_is_noticed() {
    injected_fault::each_is_caught(&CHECKS);
}
