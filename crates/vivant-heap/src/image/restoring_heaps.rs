//! [`RestoringHeaps`]: the heaps that are being made of the images of one cut. [`CurrentHeap`]: the
//! one of them of which something is loaded.

use super::checked_nodes::CheckedNodes;
use super::content::fault;
use super::ended_heaps::end_together;
use super::restored_types::RestoredTypes;
use super::restoring::RestoringHeap;
use super::restoring_regions::RestoringRegions;
use super::span_record::SpanRecord;
use crate::gc::detached_heap::DetachedHeap;
use crate::gc::heap::Core;
use crate::gc::pacing::Pacing;
use crate::gc::role::{Holder, Role};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::pages::page_source::PageSource;
use crate::sync::Arc;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::mem;
use std::ptr::NonNull;
use std::rc::Rc;
use vivant_codec::{Comparison, LoadError};

/// The place of the first region. An image has fewer heaps.
const FIRST_REGION: u32 = 1 << 31;

/// Loads of objects within loads of others. One level more needs a type of objects that no
/// reference has shown before, or a region in a region. So this bounds how many types a program
/// nests.
const NESTED_MAX: u32 = 64;

/// Regions that lie in each other, in images.
pub(super) const REGIONS_MAX: u32 = 16;

/// A number of levels that are entered.
#[derive(Default)]
struct Levels(Cell<u32>);

/// A level that is left when this is dropped.
pub(super) struct Level<'l>(&'l Levels);

impl Levels {
    /// Enters a level, if there are not `most` of them.
    fn enter(&self, most: u32) -> Option<Level<'_>> {
        let Levels(levels) = self;
        levels.set(levels.get() + 1);
        let level = Level(self);
        (levels.get() <= most).then_some(level)
    }
}

impl Drop for Level<'_> {
    fn drop(&mut self) {
        let Level(Levels(levels)) = self;
        levels.set(levels.get() - 1);
    }
}

/// Heaps that are being made of the images of one cut. They may refer to shared objects of each
/// other.
pub(super) struct RestoringHeaps {
    /// It outlives this.
    comparison: NonNull<Comparison<'static>>,
    pub(super) heaps: Vec<RestoringHeap>,
    /// Their places are behind those of the heaps, from `FIRST_REGION` on.
    regions: RestoringRegions,
    source: Arc<PageSource>,
    /// Where each is, by the number that it has in the image.
    places: BTreeMap<u64, u32>,
    pub(super) types: RestoredTypes,
    /// Loads of objects that wait for one within them.
    nested: Levels,
    /// Regions that are being loaded.
    in_regions: Levels,
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
    pub(super) unsafe fn new(
        source: &Arc<PageSource>,
        comparison: &Comparison<'_>,
        types: RestoredTypes,
    ) -> RestoringHeaps {
        RestoringHeaps {
            source: source.clone(),
            regions: RestoringRegions::default(),
            comparison: NonNull::from(comparison).cast(),
            heaps: Vec::new(),
            places: BTreeMap::new(),
            types,
            nested: Levels::default(),
            in_regions: Levels::default(),
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

    /// The heap or region at this place.
    pub(super) fn heap(&self, place: u32) -> &RestoringHeap {
        match place.checked_sub(FIRST_REGION) {
            None => &self.heaps[place as usize],
            Some(region) => self.regions.get(region),
        }
    }

    /// Begins a region with these spans, which what is loaded in the heap at this place has.
    /// Returns its place.
    pub(super) fn begin_region(
        &self,
        holder: Option<u32>,
        spans: Vec<SpanRecord>,
    ) -> Result<u32, LoadError> {
        let pacing = holder.map_or_else(Pacing::new, |holder| self.heap(holder).region_pacing());
        let core = Core::new(&self.source, pacing, Role::Region(Holder::None));
        let region = RestoringHeap::region(core, spans)?;
        let place = self.regions.add(region);
        let place = place.map_err(|_| fault("more regions than a restore can have"))?;
        Ok(FIRST_REGION + place)
    }

    /// Enters a level of loads within loads.
    pub(super) fn nest(&self) -> Result<Level<'_>, LoadError> {
        let level = self.nested.enter(NESTED_MAX);
        level.ok_or_else(|| fault("objects of too many types within each other"))
    }

    /// Enters a region.
    pub(super) fn nest_region(&self) -> Result<Level<'_>, LoadError> {
        let level = self.in_regions.enter(REGIONS_MAX);
        level.ok_or_else(|| fault("a region (`Iso`) within 16 others"))
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

/// The heaps that were not made: the restore has failed. They end as those of actors do: what
/// nothing outside of them counts is freed, also if regions in them count it. What a parcel leads
/// to stays, in whichever heaps it is.
impl Drop for RestoringHeaps {
    fn drop(&mut self) {
        // Regions are made at once, or given up.
        debug_assert!(self.regions.take().all(|region| region.is_made()));
        let failed = mem::take(&mut self.heaps).into_iter();
        let failed: Vec<_> = failed.filter(|heap| !heap.is_made()).collect();
        failed.iter().for_each(RestoringHeap::count_imports);
        let cores = failed.iter().map(RestoringHeap::take_failed);
        end_together(cores.filter_map(DetachedHeap::of).collect());
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

    /// Whether what is loaded lies in a region.
    pub(super) fn is_region(&self) -> bool {
        self.place().is_some_and(|place| place >= FIRST_REGION)
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
