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
    cell: usize,
    /// Pages of a span.
    pages: usize,
    /// Blocks in a span.
    cells: usize,
}

/// Looked up for each object that is tenured.
static SHAPES: [Shape; CLASSES] = {
    let none = Shape {
        cell: 0,
        pages: 0,
        cells: 0,
    };
    let mut shapes = [none; CLASSES];
    let mut class = 0;
    while class < CLASSES {
        let (cell, pages) = (size_of_cell(class), pages_for(size_of_cell(class)));
        let cells = pages * PAGE / cell;
        shapes[class] = Shape { cell, pages, cells };
        class += 1;
    }
    shapes
};

/// Bytes of a block of this size class: a multiple of [`GRANULE`].
#[inline]
pub(crate) fn cell_size(class: usize) -> usize {
    SHAPES[class].cell
}

/// Pages of a span of this size class: so many that less than a sixteenth of the span is left over.
#[inline]
pub(crate) fn run_pages(class: usize) -> usize {
    SHAPES[class].pages
}

/// Blocks in a span of this size class.
#[inline]
pub(crate) fn cells(class: usize) -> usize {
    SHAPES[class].cells
}

/// Computes what [`cell_size`] looks up.
pub(crate) const fn size_of_cell(class: usize) -> usize {
    if class < STEPS {
        return (class + 1) * GRANULE;
    }
    let (doubling, quarter) = ((class - STEPS) / 4, (class - STEPS) % 4);
    (STEPS_MAX << doubling) + (quarter + 1) * ((STEPS_MAX / 4) << doubling)
}

const fn pages_for(cell: usize) -> usize {
    let mut pages = 1;
    while (pages * PAGE) % cell * 16 > pages * PAGE {
        pages += 1;
    }
    assert!(
        pages <= 8,
        "eight pages hold nearly four times the largest cell"
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
            assert!(cell_size(class) >= bytes, "{bytes}");
            assert!(class == 0 || cell_size(class - 1) < bytes, "{bytes}");
        }
        assert_eq!(class_for(SMALL_MAX), CLASSES - 1);
    }

    #[test]
    fn little_is_wasted() {
        let sizes = (1..=SMALL_MAX).filter(|bytes| bytes % 8 == 0);
        let (mut used, mut taken) = (0, 0);
        for bytes in sizes {
            let class = class_for(bytes);
            let run = run_pages(class) * PAGE;
            used += bytes * (run / cell_size(class));
            taken += run;
            // H4: the limit of internal fragmentation by rounding up, for any size above the first
            // few.
            let cell = cell_size(class);
            assert!(bytes < 64 || (cell - bytes) * 100 <= cell * 20, "{bytes}");
        }
        assert!((taken - used) * 100 <= taken * 12, "{used} of {taken}");
    }
}
