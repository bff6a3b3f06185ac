//! [`HeapChain`]: in which snapshots the records of a heap are.

use std::collections::BTreeSet;
use vivant_heap::ImageId;

/// Snapshots leave nothing of smaller heaps to earlier ones, in bytes of records.
const LEFT_MIN: usize = if cfg!(test) { 1 << 10 } else { 256 << 10 };

/// The snapshots that have the records of a heap, as it was in the last one of them.
#[derive(Clone, Debug)]
pub(super) struct HeapChain {
    last: ImageId,
    /// The number of the heap's image in each of them, and the number of the snapshot. Ascending.
    images: Vec<(u32, u64)>,
    /// Bytes of the records in the first of them, which had all, and in the others.
    whole_bytes: usize,
    later_bytes: usize,
}

/// A heap of which the image is complete, in a snapshot that is not published yet.
#[derive(Debug)]
pub(super) struct WrittenHeap {
    /// Its number.
    pub(super) heap: u64,
    pub(super) image: ImageId,
    /// Bytes of its records in this snapshot.
    pub(super) bytes: usize,
    /// The earlier snapshots to which others are left.
    pub(super) needed: BTreeSet<u64>,
    /// What was given for them.
    pub(super) chain: Option<HeapChain>,
}

impl HeapChain {
    /// The next snapshot can leave to the earlier ones what has not changed since this image.
    pub(super) fn last(&self) -> &ImageId {
        &self.last
    }

    /// The snapshot with the records that are first in this image of the heap, or in the next one
    /// that was published.
    pub(super) fn snapshot(&self, first_image: u32) -> Option<u64> {
        let mut images = self.images.iter();
        let (_, snapshot) = images.find(|(image, _)| *image >= first_image)?;
        Some(*snapshot)
    }

    pub(super) fn snapshots(&self) -> impl Iterator<Item = u64> {
        self.images.iter().map(|(_, snapshot)| *snapshot)
    }

    /// Whether the next snapshot is to leave records to these. After many, or when they have as
    /// much again as a whole image, it is whole: else more and more files are needed.
    fn goes_on(&self, needed_max: u32) -> bool {
        self.images.len() <= needed_max as usize
            && self.whole_bytes >= LEFT_MIN
            && self.later_bytes <= self.whole_bytes
    }
}

impl WrittenHeap {
    /// The snapshot was published. `None`: the next one is whole.
    pub(super) fn published(self, snapshot: u64, needed_max: u32) -> Option<(u64, HeapChain)> {
        let last = (self.image.number(), snapshot);
        let chain = match self.chain {
            Some(before) => {
                let images = before.images.into_iter();
                // The others have no records of the heap any more.
                let needed = images.filter(|(_, snapshot)| self.needed.contains(snapshot));
                HeapChain {
                    last: self.image,
                    images: needed.chain([last]).collect(),
                    later_bytes: before.later_bytes + self.bytes,
                    ..before
                }
            }
            None => HeapChain {
                last: self.image,
                images: vec![last],
                whole_bytes: self.bytes,
                later_bytes: 0,
            },
        };
        chain.goes_on(needed_max).then_some((self.heap, chain))
    }
}
