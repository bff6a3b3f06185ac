//! [`RestoringHeaps`]: the heaps that are being made of the images of one cut. [`CurrentHeap`]: the
//! one of them of which something is loaded.

use super::checked_nodes::CheckedNodes;
use super::content::fault;
use super::restored_types::RestoredTypes;
use super::restoring::RestoringHeap;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::mem;
use std::ptr::NonNull;
use std::rc::Rc;
use vivant_codec::{Comparison, LoadError};

/// Heaps that are being made of the images of one cut. They may refer to shared objects of each
/// other.
pub(super) struct RestoringHeaps {
    /// It outlives this.
    comparison: NonNull<Comparison<'static>>,
    pub(super) heaps: Vec<RestoringHeap>,
    /// Where each is, by the number that it has in the image.
    places: BTreeMap<u64, u32>,
    pub(super) types: RestoredTypes,
    /// Number of loads of objects that wait for one within them.
    pub(super) nested: Cell<u32>,
    /// Whether a load has needed an object that waits for it.
    pub(super) met_begun: Cell<bool>,
    pub(super) checked: CheckedNodes,
    /// Whether a load has failed that had begun objects: some may have no content.
    is_broken: Cell<bool>,
}

impl RestoringHeaps {
    /// # Safety
    ///
    /// The comparison outlives this.
    pub(super) unsafe fn new(comparison: &Comparison<'_>, types: RestoredTypes) -> RestoringHeaps {
        RestoringHeaps {
            comparison: NonNull::from(comparison).cast(),
            heaps: Vec::new(),
            places: BTreeMap::new(),
            types,
            nested: Cell::new(0),
            met_begun: Cell::new(false),
            checked: CheckedNodes::new(),
            is_broken: Cell::new(false),
        }
    }

    /// Adds a heap.
    pub(super) fn add(&mut self, heap: RestoringHeap) -> Result<(), LoadError> {
        let place = self.heaps.len() as u32;
        if self.places.insert(heap.number, place).is_some() {
            return Err(fault(format!("two heaps {} in one image", heap.number)));
        }
        self.heaps.push(heap);
        Ok(())
    }

    /// Calls `load`. If it fails, or panics, all further loads fail.
    pub(super) fn unbroken<T>(
        &self,
        load: impl FnOnce() -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        self.is_whole()?;
        let is_broken = self.is_broken.replace(true);
        let loaded = load()?;
        // Unless a load within this one has failed.
        self.is_broken.set(is_broken);
        Ok(loaded)
    }

    /// An error if a load has failed.
    pub(super) fn is_whole(&self) -> Result<(), LoadError> {
        match self.is_broken.get() {
            true => Err(fault("a load of these heaps has failed before")),
            false => Ok(()),
        }
    }

    /// How the shapes of the image relate to those of the program.
    pub(super) fn comparison(&self) -> &Comparison<'_> {
        // SAFETY: by the contract of `new` (X1); the lifetime is that of this borrow (X7).
        unsafe { self.comparison.cast::<Comparison<'_>>().as_ref() }
    }

    /// The heap at this place.
    pub(super) fn heap(&self, place: u32) -> &RestoringHeap {
        &self.heaps[place as usize]
    }

    /// The place of the heap that the image has by this number.
    pub(super) fn place(&self, number: u64) -> Option<u32> {
        self.places.get(&number).copied()
    }
}

/// A context of decoders: the heaps, and in which of them the value lies that is being loaded.
pub(super) struct CurrentHeap {
    pub(super) heaps: Rc<RestoringHeaps>,
    /// `None`: in no heap, as a message.
    place: Cell<Option<u32>>,
}

/// The restore has failed. What nothing packed leads to is freed with the heaps; what a parcel
/// leads to stays, in whichever heaps it is.
impl Drop for RestoringHeaps {
    fn drop(&mut self) {
        let mut left = mem::take(&mut self.heaps);
        if left.iter_mut().all(RestoringHeap::is_unshared) {
            return;
        }
        left.iter().for_each(RestoringHeap::count_imports);
        loop {
            let before = left.len();
            left.retain_mut(|heap| !heap.is_unshared());
            if left.len() == before {
                return;
            }
        }
    }
}

impl CurrentHeap {
    pub(super) fn new(heaps: &Rc<RestoringHeaps>, place: Option<u32>) -> CurrentHeap {
        let heaps = heaps.clone();
        let place = Cell::new(place);
        CurrentHeap { heaps, place }
    }

    /// The place of the heap.
    pub(super) fn place(&self) -> Option<u32> {
        self.place.get()
    }

    /// The heap.
    pub(super) fn heap(&self) -> Option<&RestoringHeap> {
        Some(self.heaps.heap(self.place()?))
    }

    /// What is loaded until the result is dropped lies in this heap.
    pub(super) fn enter(&self, place: u32) -> impl Drop + '_ {
        struct Entered<'c>(&'c Cell<Option<u32>>, Option<u32>);

        impl Drop for Entered<'_> {
            fn drop(&mut self) {
                self.0.set(self.1);
            }
        }

        #[cfg(test)]
        let place = match self.place() {
            Some(own) if is_injected(InjectedFault::StaysInHeap) => own,
            _ => place,
        };
        Entered(&self.place, self.place.replace(Some(place)))
    }
}
