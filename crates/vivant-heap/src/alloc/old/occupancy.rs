//! The occupancy of the old generation by size class: a walk over its spans, for inspection.

use super::Old;
use crate::pages::size_class::{block_size, blocks};

/// The blocks of one size class in the old generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ClassOccupancy {
    /// Bytes of a block, the header of its object included.
    pub block_bytes: usize,
    /// Blocks in the spans of this class.
    pub blocks: usize,
    /// Of these, blocks that hold an object. An object that the last mark has found dead counts
    /// until its span is swept.
    pub used: usize,
}

impl Old {
    /// The size classes that have spans, the smallest first. Visits each of these spans.
    pub(crate) fn occupancy(&self) -> Vec<ClassOccupancy> {
        let sizes = self.sizes.iter().enumerate();
        let classes = sizes.filter_map(|(class, spans)| Some((class, spans.as_ref()?)));
        let occupancy = classes.map(|(class, spans)| {
            let (mut all, mut used) = (0, 0);
            for span in spans.iter() {
                // SAFETY: only the holder of the heap, which is the caller, writes the description
                // of its span, and not meanwhile (X6).
                let page = unsafe { span.0.as_ref() };
                all += blocks(class);
                used += usize::from(page.used);
            }
            ClassOccupancy {
                block_bytes: block_size(class),
                blocks: all,
                used: used - spans.cache.free.count_ones() as usize,
            }
        });
        occupancy.filter(|class| class.blocks > 0).collect()
    }
}
