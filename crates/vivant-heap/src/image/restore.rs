//! [`Heap::restore`]: a heap of an image.

use super::heap_image::HeapImage;
use super::restored_heaps::{HeapDecoder, HeapNumbers, HeapSpans, RestoredHeaps};
use crate::gc::heap::{Heap, Root};
use crate::gc::pacing::Pacing;
use crate::pages::page_source::PageSource;
use crate::sync::Arc;
use std::any::Any;
use std::task::Waker;
use vivant_codec::LoadError;

impl<R: Root> Heap<R> {
    /// Makes a heap of an image. `state` loads the state. For heaps that refer to objects of each
    /// other: [`RestoredHeaps`].
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
        const NUMBER: u64 = 0;
        let heaps = [HeapSpans {
            number: NUMBER,
            pacing,
            spans: image.spans,
            watches: Vec::new(),
        }];
        let types = (image.comparison, image.objects);
        let heaps = RestoredHeaps::new(source, types, HeapNumbers::New, heaps)?;
        let state = heaps.state::<R>(NUMBER, contexts, state)?;
        Ok(heaps.finish(contexts)?.heap(state, waker))
    }
}
