//! [`HeapSaver`]: where the objects of a saved heap go.

use crate::sync::Arc;
use std::cell::RefCell;
use vivant_heap::{ObjectCodecs, SpanRecord};

/// Takes the objects of a heap while the state of its actor is encoded. A context of the encoder.
pub(crate) struct HeapSaver {
    codecs: Arc<ObjectCodecs>,
    spans: RefCell<Vec<SpanRecord>>,
}

impl HeapSaver {
    pub(crate) fn new(codecs: Arc<ObjectCodecs>) -> HeapSaver {
        let spans = RefCell::default();
        HeapSaver { codecs, spans }
    }

    /// How the objects are saved.
    pub(crate) fn codecs(&self) -> &ObjectCodecs {
        &self.codecs
    }

    pub(crate) fn add(&self, span: SpanRecord) {
        self.spans.borrow_mut().push(span);
    }

    /// What was added.
    pub(crate) fn into_spans(self) -> Vec<SpanRecord> {
        self.spans.into_inner()
    }
}
