//! When a heap collects.

use crate::marking::Marking;
use crate::stress::Stress;

/// When a heap collects.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Pacing {
    /// Bytes in the nursery at which it is emptied between two turns.
    pub nursery: usize,
    /// Bytes in the old generation before the first mark.
    pub first: usize,
    /// How much the old generation may grow from what lived after the last mark before the next: 2.0 is twice. What is over 64 MiB grows by a quarter of that: a heap of
    /// 256 MiB and more by 1.25. It grows by up to three tenths while it is marked beside its turns.
    pub growth: f64,
    /// How the old generation is marked.
    pub marking: Marking,
    /// For tests: checks and collects more than a program needs.
    pub stress: Option<Stress>,
}

/// A heap that is larger grows by as much as one of so many bytes, or by a part of what it is.
const LARGE: usize = 64 << 20;
const LARGE_PART: usize = 4;

impl Default for Pacing {
    fn default() -> Pacing {
        Pacing::new()
    }
}

impl Pacing {
    /// What suits most programs: 256 KiB of nursery, a first mark at 256 KiB, and then whenever the heap has doubled.
    #[must_use]
    pub const fn new() -> Pacing {
        Pacing {
            nursery: 256 * 1024,
            first: 256 * 1024,
            growth: 2.0,
            marking: Marking::Concurrent,
            stress: None,
        }
    }

    /// With another [`nursery`](Pacing::nursery), in bytes.
    #[must_use]
    pub const fn nursery(mut self, bytes: usize) -> Pacing {
        self.nursery = bytes;
        self
    }

    /// With the [`first`](Pacing::first) mark at so many bytes.
    #[must_use]
    pub const fn first(mut self, bytes: usize) -> Pacing {
        self.first = bytes;
        self
    }

    /// With another [`growth`](Pacing::growth).
    #[must_use]
    pub const fn growth(mut self, factor: f64) -> Pacing {
        self.growth = factor;
        self
    }

    /// With another way of [`marking`](Pacing::marking).
    #[must_use]
    pub const fn marking(mut self, marking: Marking) -> Pacing {
        self.marking = marking;
        self
    }

    /// Under [`stress`](Pacing::stress).
    #[must_use]
    pub const fn stressed(mut self, stress: Stress) -> Pacing {
        self.stress = Some(stress);
        self
    }

    /// The weight at which the next mark is due, if the last one has left so much; 0 if there was none.
    pub(crate) fn next_mark(&self, weight: usize) -> usize {
        match self.marking {
            Marking::Never => usize::MAX,
            Marking::Concurrent | Marking::AtOnce => {
                let grows = |weight: usize| (weight as f64 * (self.growth - 1.0)) as usize;
                let most = grows(LARGE).max(grows(weight) / LARGE_PART);
                let next = weight.saturating_add(grows(weight).min(most));
                next.max(self.first)
            }
        }
    }
}
