//! [`Heap::restore`]: a heap of an image.

use super::checked_nodes::CheckedNodes;
use super::content::fault;
use super::heap_image::HeapImage;
use super::restore_order::RestoreOrder;
use super::restored_blocks::RestoredBlocks;
use super::restored_types::RestoredTypes;
use super::restoring::RestoringHeap;
use crate::gc::heap::{Core, Heap, Root, erase_brand};
use crate::gc::pacing::Pacing;
use crate::gc::role::Role;
use crate::object::evacuator::TenuringPolicy;
use crate::object::gc::Brand;
use crate::pages::chunk::PageName;
use crate::pages::page_source::PageSource;
use crate::sync::Arc;
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::task::Waker;
use vivant_codec::{Decoder, LoadError};

/// Makes decoders of values that refer to objects of a heap that is being restored.
pub struct HeapDecoder<'gc, 'a> {
    contexts: &'a [&'a dyn Any],
    brand: Brand<'gc>,
}

impl<'gc> HeapDecoder<'gc, '_> {
    /// A decoder of these bytes, with the contexts.
    #[must_use]
    pub fn of<'b>(&'b self, bytes: &'b [u8]) -> Decoder<'gc, 'b> {
        Decoder::new(bytes).with_contexts(self.contexts)
    }
}

impl fmt::Debug for HeapDecoder<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeapDecoder").finish_non_exhaustive()
    }
}

impl<R: Root> Heap<R> {
    /// Makes a heap of an image. `state` loads the state. Each object that the state reaches
    /// returns to its old block, if its type has the size that it had.
    ///
    /// Each object is loaded once, and nothing recurses with the depth of the graph.
    ///
    /// # Errors
    ///
    /// The image is not that of such a heap, or there is no memory.
    pub fn restore<'a>(
        source: &Arc<PageSource>,
        pacing: Pacing,
        waker: Option<Waker>,
        image: HeapImage<'a>,
        contexts: &[&'a dyn Any],
        state: impl for<'gc> FnOnce(&HeapDecoder<'gc, '_>) -> Result<R::Of<'gc>, LoadError>,
    ) -> Result<Heap<R>, LoadError> {
        let mut core = Core::new(source, pacing, Role::Heap);
        if let Some(waker) = waker {
            core.get_mut().wake_by(waker);
        }
        let blocks = RestoredBlocks::new(image.spans).map_err(fault)?;
        // A right image has no number near the end, and a heap must have some left.
        let Some(number) = blocks.number_behind(PageName::SPAN_MAX / 2) else {
            return Err(fault("a span with a number that no span can have"));
        };
        core.get_mut().old.number_behind(number);
        core.get_mut().is_restoring = true;
        let state = {
            let pointer = NonNull::from(&*core);
            let types = RestoredTypes::new(image.objects);
            // SAFETY: the core has no objects (X3). It outlives `restoring`, as the comparison does
            // (X7), and is not used before that is dropped (X2).
            let restoring = unsafe { RestoringHeap::new(pointer, image.comparison, blocks, types) };
            // First: a decoder finds the first context of a type.
            let checked = CheckedNodes::new();
            let mut all: Vec<&dyn Any> = vec![&restoring, &checked];
            all.extend(contexts);
            let decoder = HeapDecoder {
                contexts: &all,
                brand: PhantomData,
            };
            let state = state(&decoder)?;
            RestoreOrder::new(&restoring, &decoder.of(&[])).fill_all()?;
            erase_brand::<R>(state)
        };
        let mut state = state;
        let restored = core.get_mut();
        restored.is_restoring = false;
        // The chunks of collections are clean then, as other objects that change in place are.
        restored.minor(&mut state, TenuringPolicy::Never);
        restored.next_mark(0);
        let mut heap = Heap::of(core, state);
        heap.check();
        Ok(heap)
    }
}
