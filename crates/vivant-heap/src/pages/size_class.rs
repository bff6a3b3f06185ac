//! Size classes: the block sizes of the old generation.

use super::chunk::{GRANULE, PAGE};

/// Objects of more bytes than this, header included, get a span of their own.
pub(crate) const SMALL_MAX: usize = 2048;

/// The number of size classes: steps of 16 bytes up to 256, then four to each doubling.
pub(crate) const CLASSES: usize = STEPS + 4 * 3;

/// The number of sizes that are multiples of 16 bytes.
const STEPS: usize = 16;

/// The largest of these sizes.
const STEPS_MAX: usize = STEPS * GRANULE;

/// Returns the smallest size class for an object of `bytes` bytes, 1 to [`SMALL_MAX`].
#[inline]
pub(crate) const fn class_for(bytes: usize) -> usize {
    debug_assert!(1 <= bytes && bytes <= SMALL_MAX);
    if bytes <= STEPS_MAX {
        return (bytes - 1) / GRANULE;
    }
    // The two bits below the highest one are the number of the quarter within the doubling.
    let top = (bytes - 1).ilog2() as usize;
    let quarter = ((bytes - 1) >> (top - 2)) & 3;
    STEPS + (top - 8) * 4 + quarter
}

/// The layout of a size class's spans.
#[derive(Clone, Copy)]
struct Shape {
    /// Bytes of a block.
    block: usize,
    /// Pages of a span.
    pages: usize,
    /// Blocks in a span.
    blocks: usize,
}

/// Looked up for each object that is tenured.
static SHAPES: [Shape; CLASSES] = {
    let none = Shape {
        block: 0,
        pages: 0,
        blocks: 0,
    };
    let mut shapes = [none; CLASSES];
    let mut class = 0;
    while class < CLASSES {
        let (block, pages) = (size_of_block(class), pages_for(size_of_block(class)));
        let blocks = pages * PAGE / block;
        shapes[class] = Shape {
            block,
            pages,
            blocks,
        };
        class += 1;
    }
    shapes
};

/// Bytes of a block of this size class: a multiple of [`GRANULE`].
#[inline]
pub(crate) fn block_size(class: usize) -> usize {
    SHAPES[class].block
}

/// Pages of a span of this size class: so many that less than a sixteenth of the span is left over.
#[inline]
pub(crate) fn span_pages(class: usize) -> usize {
    SHAPES[class].pages
}

/// Blocks in a span of this size class.
#[inline]
pub(crate) fn blocks(class: usize) -> usize {
    SHAPES[class].blocks
}

/// Computes what [`block_size`] looks up.
pub(crate) const fn size_of_block(class: usize) -> usize {
    if class < STEPS {
        return (class + 1) * GRANULE;
    }
    let (doubling, quarter) = ((class - STEPS) / 4, (class - STEPS) % 4);
    (STEPS_MAX << doubling) + (quarter + 1) * ((STEPS_MAX / 4) << doubling)
}

const fn pages_for(block: usize) -> usize {
    let mut pages = 1;
    while (pages * PAGE) % block * 16 > pages * PAGE {
        pages += 1;
    }
    assert!(
        pages <= 8,
        "eight pages hold nearly four times the largest block"
    );
    pages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_size_has_the_smallest_class_that_holds_it() {
        for bytes in 1..=SMALL_MAX {
            let class = class_for(bytes);
            assert!(block_size(class) >= bytes, "{bytes}");
            assert!(class == 0 || block_size(class - 1) < bytes, "{bytes}");
        }
        assert_eq!(class_for(SMALL_MAX), CLASSES - 1);
    }

    #[test]
    fn little_is_wasted() {
        let sizes = (1..=SMALL_MAX).filter(|bytes| bytes % 8 == 0);
        let (mut used, mut taken) = (0, 0);
        for bytes in sizes {
            let class = class_for(bytes);
            let span = span_pages(class) * PAGE;
            used += bytes * (span / block_size(class));
            taken += span;
            // H4: the limit of internal fragmentation by rounding up, for any size above the first
            // few.
            let block = block_size(class);
            assert!(bytes < 64 || (block - bytes) * 100 <= block * 20, "{bytes}");
        }
        assert!((taken - used) * 100 <= taken * 12, "{used} of {taken}");
    }
}
