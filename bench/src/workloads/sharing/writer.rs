//! A writer: publishes versions of a map.

use super::reader::Reader;
use crate::latency::Latencies;
use crate::workloads::keyed::mixed;
use std::time::Instant;
use vivant::heap::{Leaf, val};
use vivant::prelude::*;

/// What a key maps to: itself, and the version that has put it in.
fn entry(key: u64, version: u64) -> (u64, u64) {
    (key, key | version << 32)
}

#[derive(Actor)]
pub(super) struct WriterState<'gc> {
    map: val::Map<'gc, u64, u64>,
    version: u64,
    readers: Vec<Address<Reader>>,
    took: Leaf<Latencies>,
}

#[behaviours]
impl<'gc> WriterState<'gc> {
    #[start]
    pub(super) fn new(t: &Turn<'gc, Writer>, entries: u64, readers: Vec<Address<Reader>>) -> Self {
        WriterState {
            map: val::Map::from_iter(t, (0..entries).map(|key| entry(key, 0))),
            version: 0,
            readers,
            took: Leaf(Latencies::new()),
        }
    }

    pub(super) fn publish(&mut self, t: &Turn<'gc, Writer>, changes: u64) {
        let began = Instant::now();
        self.version += 1;
        let (entries, version) = (self.map.len() as u64, self.version);
        let keys = (0..changes).map(|change| mixed(version * changes + change + 1) % entries);
        self.map = self.map.extend(t, keys.map(|key| entry(key, version)));
        for reader in &self.readers {
            t.send(reader.read(self.map));
        }
        self.took.0.record(began.elapsed());
    }

    /// The time of its turns since the last request, and the bytes of old objects.
    pub(super) fn took(&mut self, t: &Turn<'gc, Writer>) -> (Latencies, u64) {
        let took = std::mem::replace(&mut self.took.0, Latencies::new());
        (took, t.stats().live as u64)
    }
}
