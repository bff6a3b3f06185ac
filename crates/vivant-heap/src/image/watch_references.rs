//! Values that name death watches, in images.

use super::regions::RegionDepth;
use super::restoring_heaps::CurrentHeap;
use super::saved_heap::SavedHeap;
use crate::watch::death_watch::DeathWatch;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, shape_of};

/// In the heap that is saved. A watch of another heap is an error.
impl<'gc> Saved<'gc> for DeathWatch {
    const SHAPE: &'static Shape =
        &Shape::reference("vivant::DeathWatch", shape_of::<'static, u64>());

    fn save(&self, out: &mut Encoder<'_>) {
        if out.lasting_context::<RegionDepth>().is_some() {
            return out.error("a death watch (`DeathWatch`) in a region, which sends no notices");
        }
        match out.lasting_context::<SavedHeap>() {
            Some(saved) if saved.is(self.heap) => self.number.save(out),
            _ => {
                out.error("a death watch (`DeathWatch`) of another heap than the one that is saved")
            }
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<DeathWatch, LoadError> {
        let number = input.reference(Self::SHAPE)?;
        let heap = input.context::<CurrentHeap>().and_then(CurrentHeap::heap);
        match heap {
            Some(heap) => Ok(DeathWatch {
                heap: heap.handle().id(),
                number,
            }),
            None => Err(input.error("a death watch, where no heap is restored")),
        }
    }
}
