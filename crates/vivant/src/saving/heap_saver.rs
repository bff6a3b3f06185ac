//! [`HeapSaver`]: where the objects of a saved heap go.

use crate::sync::Arc;
use std::cell::Cell;
use std::fmt;
use vivant_codec::{SaveError, Shape};
use vivant_heap::{ImageSink, ObjectCodecs};

/// Takes the image of the heap in which the state lies that is encoded. A context of the encoder.
pub struct HeapSaver {
    codecs: Arc<ObjectCodecs>,
    sink: Cell<Option<MakeSink>>,
    /// The locals that the last step has left in the heap, encoded.
    locals: Cell<Option<EncodedLocals>>,
}

/// The locals of a step, and their shape; or why they could not be encoded.
pub(crate) type EncodedLocals = (&'static Shape, Result<Vec<u8>, SaveError>);

/// Makes what takes the objects of the heap with this number.
pub(crate) type MakeSink = Box<dyn FnOnce(u64) -> Box<dyn ImageSink>>;

impl HeapSaver {
    pub(crate) fn new(codecs: Arc<ObjectCodecs>, sink: MakeSink) -> HeapSaver {
        HeapSaver {
            codecs,
            sink: Cell::new(Some(sink)),
            locals: Cell::new(None),
        }
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

impl HeapSaver {
    pub(crate) fn set_locals(&self, locals: EncodedLocals) {
        self.locals.set(Some(locals));
    }

    pub(crate) fn take_locals(&self) -> Option<EncodedLocals> {
        self.locals.take()
    }
}

impl fmt::Debug for HeapSaver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeapSaver").finish_non_exhaustive()
    }
}
