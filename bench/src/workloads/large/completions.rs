//! The times between completions.

use crate::latency::Latencies;
use std::mem;
use std::time::Instant;
use vivant::codec::{Decoder, Encoder, LoadError, Saved, Shape};

pub(super) struct Completions {
    latencies: Latencies,
    last: Option<Instant>,
    /// Completions that do not count.
    dropped: u64,
}

impl Completions {
    /// All count.
    pub(super) fn all() -> Completions {
        Completions::after(0)
    }

    /// The first `dropped` do not count.
    pub(super) fn after(dropped: u64) -> Completions {
        Completions {
            latencies: Latencies::new(),
            last: None,
            dropped,
        }
    }

    /// From here the first one is timed; otherwise the second one is the first to be timed.
    pub(super) fn begin(&mut self) {
        self.last = Some(Instant::now());
    }

    pub(super) fn one(&mut self) {
        let now = Instant::now();
        match self.last.replace(now) {
            Some(last) if self.dropped == 0 => self.latencies.record(now - last),
            _ => self.dropped = self.dropped.saturating_sub(1),
        }
    }

    pub(super) fn end(&mut self) -> Latencies {
        mem::replace(&mut self.latencies, Latencies::new())
    }
}

/// An image has none of them.
impl<'gc> Saved<'gc> for Completions {
    const SHAPE: &'static Shape = <() as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        ().save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Completions, LoadError> {
        <()>::load(input)?;
        Ok(Completions::all())
    }
}
