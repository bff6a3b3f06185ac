//! [`HeapSaver`]: where the objects of a saved heap go.

use crate::sync::Arc;
use std::cell::Cell;
use std::fmt;
use vivant_heap::{ImageSink, ObjectCodecs};

/// Takes the image of the heap in which the state lies that is encoded. A context of the encoder.
pub struct HeapSaver {
    codecs: Arc<ObjectCodecs>,
    sink: Cell<Option<MakeSink>>,
}

/// Makes what takes the objects of the heap with this number.
pub(crate) type MakeSink = Box<dyn FnOnce(u64) -> Box<dyn ImageSink>>;

impl HeapSaver {
    pub(crate) fn new(codecs: Arc<ObjectCodecs>, sink: MakeSink) -> HeapSaver {
        let sink = Cell::new(Some(sink));
        HeapSaver { codecs, sink }
    }

    /// How the objects are saved.
    pub(crate) fn codecs(&self) -> Arc<ObjectCodecs> {
        self.codecs.clone()
    }

    /// What takes the objects of the heap with this number. `None`: another heap has it.
    pub(crate) fn take_sink(&self, heap: u64) -> Option<Box<dyn ImageSink>> {
        Some(self.sink.take()?(heap))
    }
}

impl fmt::Debug for HeapSaver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeapSaver").finish_non_exhaustive()
    }
}
