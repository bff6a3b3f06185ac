//! [`RestoringRegions`]: the regions that are being made of an image.

use super::restoring::RestoringHeap;
use std::cell::{Cell, OnceCell};
use std::mem;

/// Grows while others are in use: none of them moves. Each segment is twice as long as the one
/// before it.
#[derive(Default)]
pub(super) struct RestoringRegions {
    segments: [OnceCell<Box<[OnceCell<RestoringHeap>]>>; SEGMENTS],
    len: Cell<u32>,
}

const SEGMENTS: usize = 31;

impl RestoringRegions {
    /// Adds a region, and returns its place; or returns the region, if there are too many.
    pub(super) fn add(&self, region: RestoringHeap) -> Result<u32, Box<RestoringHeap>> {
        let place = self.len.get();
        let (number, index) = split(place);
        let Some(segment) = self.segments.get(number) else {
            return Err(Box::new(region));
        };
        let slots = segment.get_or_init(|| (0..1 << number).map(|_| OnceCell::new()).collect());
        slots[index].set(region).map_err(Box::new)?;
        self.len.set(place + 1);
        Ok(place)
    }

    /// The region at this place.
    pub(super) fn get(&self, place: u32) -> &RestoringHeap {
        let (segment, index) = split(place);
        let region = self.segments[segment].get().and_then(|it| it[index].get());
        region.expect("the place of a region")
    }

    /// Takes all of them.
    pub(super) fn take(&mut self) -> impl Iterator<Item = RestoringHeap> + use<> {
        self.len.set(0);
        let segments = mem::take(&mut self.segments).into_iter();
        let slots = segments.filter_map(OnceCell::into_inner).flatten();
        slots.filter_map(OnceCell::into_inner)
    }
}

/// The segment of a place, and the place in it: the segments have 1, 2, 4 … places.
fn split(place: u32) -> (usize, usize) {
    let segment = (place + 1).ilog2();
    (segment as usize, (place + 1 - (1 << segment)) as usize)
}
