//! [`Budget`]: the limits of the collector's work in one call.

/// Limits of the work of one call and of the steps that follow it at once
/// ([`Next::Again`](crate::Next::Again)). A step takes off what it has done. Where the pacer needs
/// less, the step does less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Budget {
    /// Objects scanned: some 10 to 50 ns each.
    pub objects: usize,
    /// Entries of mark termination: some 20 to 100 ns each.
    pub entries: usize,
    /// Count deltas applied: some 100 ns each.
    pub deltas: usize,
    /// Spans swept: some 200 ns each.
    pub spans: usize,
    /// Pages of spans that a sweep empties: the system may take them back.
    pub pages: usize,
    /// Bytes of objects written to an image: some 1 to 3 ns each.
    pub image: usize,
}

/// Spans swept before the actor checks for messages: some 50 microseconds.
const SPANS: usize = 256;

/// Count deltas applied in one piece: some 100 microseconds.
const DELTAS: usize = 1024;

/// Bytes written to an image in one piece: some 100 microseconds.
const IMAGE: usize = 32 * 1024;

/// Work units of a detached heap to sweep a span: it takes as long as to scan so many objects.
const UNITS_PER_SPAN: usize = 16;

/// Bytes that a unit of work writes to an image.
const UNIT_BYTES: usize = 16;

impl Budget {
    /// Everything that is due, in one piece: a mark is a stop-the-world mark.
    pub const UNLIMITED: Budget = Budget {
        objects: usize::MAX,
        entries: usize::MAX,
        deltas: usize::MAX,
        spans: usize::MAX,
        pages: usize::MAX,
        image: usize::MAX,
    };

    /// What may come between two turns. Marking and termination are paced by promotion.
    pub const BETWEEN_TURNS: Budget = Budget {
        objects: usize::MAX - 1,
        entries: usize::MAX - 1,
        deltas: DELTAS,
        spans: SPANS,
        pages: SPANS,
        image: IMAGE,
    };

    /// A budget of `units` units of work, each as long as scanning an object.
    #[must_use]
    pub const fn units(units: usize) -> Budget {
        let spans = if units / UNITS_PER_SPAN == 0 {
            1
        } else {
            units / UNITS_PER_SPAN
        };
        Budget {
            objects: units,
            entries: units,
            deltas: units,
            spans,
            pages: spans,
            image: units.saturating_mul(UNIT_BYTES),
        }
    }

    /// A budget for a sweep of `spans` spans.
    #[must_use]
    pub const fn of_spans(spans: usize) -> Budget {
        Budget {
            spans,
            pages: spans,
            ..Budget::BETWEEN_TURNS
        }
    }

    /// Whether a mark is to be over within this budget.
    pub(crate) fn is_unlimited(&self) -> bool {
        self.objects == usize::MAX
    }
}
