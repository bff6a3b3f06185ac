//! The death watches of a heap, in its image.

use super::block_name::BlockName;
use crate::gc::heap::{Heap, Root};
use vivant_codec::Saved;

/// A death watch of a heap, in an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Saved)]
#[saved(name = "vivant::Watch")]
pub struct WatchRecord {
    /// Its number among those of its heap.
    pub number: u64,
    /// The token of its notice.
    pub token: u64,
    /// The name of the object. `None`: a collection has found it dead, and the notice was not
    /// taken.
    pub object: Option<u64>,
}

impl<R: Root> Heap<R> {
    /// The death watches, for the image that has just begun: no turn has run since.
    ///
    /// A restored heap has them again ([`HeapSpans::watches`](crate::HeapSpans)). A watched object
    /// that nothing refers to is not restored: it is found dead.
    pub fn image_watches(&mut self) -> Vec<WatchRecord> {
        let deaths = self.parts().0.deaths.get_mut();
        let records = deaths.each().map(|(number, object, token)| WatchRecord {
            number,
            token,
            // SAFETY: a watched object is in its place until it is found dead (Y3), and it is old:
            // the image has begun with a minor collection.
            object: object.map(|object| unsafe { BlockName::of(object) }.to_file()),
        });
        records.collect()
    }
}
