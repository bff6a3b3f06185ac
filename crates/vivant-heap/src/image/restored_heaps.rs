//! [`RestoredHeaps`]: heaps of the images of one cut, which are made together.

use super::content::fault;
use super::ended_heaps::end_together;
use super::restore_order::RestoreOrder;
use super::restored_types::RestoredTypes;
use super::restoring::RestoringHeap;
use super::restoring_heaps::{CurrentHeap, RestoringHeaps};
use super::span_record::SpanRecord;
use super::watches::WatchRecord;
use crate::gc::detached_heap::DetachedHeap;
use crate::gc::heap::{Core, Heap, Root, erase_brand};
use crate::gc::heap_drop::drop_state;
use crate::gc::mutator::Mutator;
use crate::gc::pacing::Pacing;
use crate::gc::role::Role;
use crate::object::evacuator::TenuringPolicy;
use crate::object::gc::{Brand, Gc};
use crate::object::object_trait::Object;
use crate::orca::heap_handle::HeapHandle;
use crate::pages::page_source::PageSource;
use crate::sync::Arc;
use crate::watch::death_watch::DeathWatch;
use std::any::Any;
use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::mem::{self, ManuallyDrop};
use std::ptr::NonNull;
use std::rc::Rc;
use std::task::Waker;
use vivant_codec::{Comparison, Decoder, LoadError, ShapeId};

/// Heaps that are being made of the images of one cut. They may refer to shared objects of each
/// other: such an object is made in the heap that has allocated it, when the first reference to it
/// is loaded.
///
/// 1. [`state`](RestoredHeaps::state) loads the state of a heap. Other values that refer to objects
///    are loaded in [`with_state`](RestoredHeaps::with_state), or by
///    [`values`](RestoredHeaps::values) if they are in no heap, as a message.
/// 2. [`finish`](RestoredHeaps::finish) counts the references from one heap to another.
/// 3. [`FinishedHeaps::heap`] makes a heap of its state. A heap without one is a
///    [detached heap](FinishedHeaps::detached).
///
/// What is dropped before the end leaves nothing, unless a parcel that was loaded refers to it, or
/// long chains of objects go to and fro between heaps.
pub struct RestoredHeaps<'i> {
    restoring: Rc<RestoringHeaps>,
    /// Of values in no heap.
    outside: CurrentHeap,
    comparison: PhantomData<&'i Comparison<'i>>,
}

/// A heap of an image.
#[derive(Clone, Debug)]
pub struct HeapSpans {
    /// Its number, by which references name it.
    pub number: u64,
    /// How the new heap paces its collector.
    pub pacing: Pacing,
    /// Its spans, in any order.
    pub spans: Vec<SpanRecord>,
    /// Its death watches.
    pub watches: Vec<WatchRecord>,
}

/// Which numbers restored heaps get.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeapNumbers {
    /// Those that they have in the image. No other heap of their page source has had one of them,
    /// and none will have ([`PageSource::number_heaps_from`]).
    Kept,
    /// New ones.
    New,
}

/// The state of a heap that is being made.
pub struct RestoredState<R: Root> {
    /// Of the heap.
    owner: Arc<HeapHandle>,
    number: u64,
    state: ManuallyDrop<R::Of<'static>>,
    /// Regions in the state may count objects of them. If the restore fails they end after it.
    heaps: Rc<RestoringHeaps>,
}

/// Heaps that have all their objects.
#[derive(Default)]
pub struct FinishedHeaps {
    /// By the numbers that they have in the image.
    cores: BTreeMap<u64, Box<UnsafeCell<Core>>>,
}

/// Makes decoders of values that refer to objects of a heap that is being restored.
pub struct HeapDecoder<'gc, 'a> {
    contexts: &'a [&'a dyn Any],
    heap: &'a RestoringHeap,
    brand: Brand<'gc>,
}

/// Makes decoders of values that are in no heap, and refer to objects of heaps that are being
/// restored.
pub struct ValueDecoder<'a> {
    contexts: Vec<&'a dyn Any>,
}

impl ValueDecoder<'_> {
    /// A decoder of these bytes, with the contexts. A reference lasts as long as the decoder; a
    /// [parcel](crate::Parcel) keeps its objects.
    #[must_use]
    pub fn of<'b>(&'b self, bytes: &'b [u8]) -> Decoder<'b, 'b> {
        Decoder::new(bytes).with_contexts(&self.contexts)
    }
}

impl<'gc> HeapDecoder<'gc, '_> {
    /// A decoder of these bytes, with the contexts.
    #[must_use]
    pub fn of<'b>(&'b self, bytes: &'b [u8]) -> Decoder<'gc, 'b> {
        Decoder::new(bytes).with_contexts(self.contexts)
    }

    /// The death watch of the heap with this number.
    #[must_use]
    pub fn watch(&self, number: u64) -> DeathWatch {
        let heap = self.heap.handle().id();
        DeathWatch { heap, number }
    }

    /// Makes an object that the image does not have.
    pub fn alloc<T: Object<'gc>>(&self, value: T) -> Gc<'gc, T> {
        // SAFETY: the heap is being made, and this has its brand (S1).
        let mutator: Mutator<'gc> = unsafe { self.heap.mutator() };
        mutator.alloc(value)
    }
}

impl<'i> RestoredHeaps<'i> {
    /// Heaps of an image, without objects. `objects` are the shapes of the contents of objects, by
    /// the numbers of their types.
    ///
    /// # Errors
    ///
    /// The spans are not those of heaps, or two heaps have one number.
    pub fn new(
        source: &Arc<PageSource>,
        (comparison, objects): (&'i Comparison<'i>, &[ShapeId]),
        numbers: HeapNumbers,
        heaps: impl IntoIterator<Item = HeapSpans>,
    ) -> Result<RestoredHeaps<'i>, LoadError> {
        // SAFETY: the comparison outlives `'i`, and is used by loads alone, which borrow this (X7).
        let mut restoring =
            unsafe { RestoringHeaps::new(source, comparison, RestoredTypes::new(objects)) };
        for heap in heaps {
            let number = match numbers {
                HeapNumbers::Kept => heap.number,
                HeapNumbers::New => source.next_heap(),
            };
            let core = Core::numbered(source, heap.pacing, Role::Heap, number);
            let spans = (heap.spans, heap.watches);
            restoring.add(RestoringHeap::new(heap.number, core, spans)?)?;
        }
        let restoring = Rc::new(restoring);
        Ok(RestoredHeaps {
            outside: CurrentHeap::new(&restoring, None),
            restoring,
            comparison: PhantomData,
        })
    }

    /// Makes decoders of values that are in no heap and refer to shared objects, as messages.
    #[must_use]
    pub fn values<'a>(&'a self, contexts: &[&'a dyn Any]) -> ValueDecoder<'a> {
        let mut all: Vec<&dyn Any> = vec![&self.outside, &self.restoring.checked];
        all.extend(contexts);
        ValueDecoder { contexts: all }
    }

    /// Loads the state of a heap. Each object that it reaches returns to its old block, if its type
    /// has the size that it had.
    ///
    /// Each object is loaded once, and nothing recurses with the depth of the graph.
    ///
    /// # Errors
    ///
    /// The image is not that of such heaps, or there is no memory.
    pub fn state<R: Root>(
        &self,
        number: u64,
        contexts: &[&dyn Any],
        state: impl for<'gc> FnOnce(&HeapDecoder<'gc, '_>) -> Result<R::Of<'gc>, LoadError>,
    ) -> Result<RestoredState<R>, LoadError> {
        self.within(number, contexts, |decoder| {
            let state = erase_brand::<R>(state(decoder)?);
            decoder.heap.has_state.set(true);
            Ok(RestoredState {
                owner: decoder.heap.handle(),
                number,
                state: ManuallyDrop::new(state),
                heaps: self.restoring.clone(),
            })
        })
    }

    /// Loads more values of a heap, when its state is loaded.
    ///
    /// # Errors
    ///
    /// As [`state`](RestoredHeaps::state).
    ///
    /// # Panics
    ///
    /// The state is that of a heap of another restore.
    pub fn with_state<R: Root, T>(
        &self,
        state: &mut RestoredState<R>,
        contexts: &[&dyn Any],
        body: impl for<'gc> FnOnce(&HeapDecoder<'gc, '_>, &mut R::Of<'gc>) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        let (number, owner) = (state.number, state.owner.clone());
        let state = NonNull::from(&mut *state.state);
        self.within(number, contexts, |decoder| {
            assert!(
                Arc::ptr_eq(&owner, &decoder.heap.handle()),
                "a state of another heap"
            );
            // SAFETY: the same type but for its brand, which the body can neither choose nor keep
            // (X8); it is borrowed exclusively above (X2). The decoder has the brand of its heap
            // (S1).
            body(decoder, unsafe { &mut *state.cast().as_ptr() })
        })
    }

    /// Calls `load` with decoders of a heap, and fills what its references have begun.
    fn within<T>(
        &self,
        number: u64,
        contexts: &[&dyn Any],
        load: impl for<'gc> FnOnce(&HeapDecoder<'gc, '_>) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        let Some(place) = self.restoring.place(number) else {
            return Err(fault(format!("no heap {number} in the image")));
        };
        let current = CurrentHeap::new(&self.restoring, Some(place));
        // First: a decoder finds the first context of a type.
        let mut all: Vec<&dyn Any> = vec![&current, &self.restoring.checked];
        all.extend(contexts);
        let decoder = HeapDecoder {
            contexts: &all,
            heap: self.restoring.heap(place),
            brand: PhantomData,
        };
        self.restoring.unbroken(|| {
            let loaded = load(&decoder)?;
            RestoreOrder::new(&current, &decoder.of(&[])).fill_all(place)?;
            Ok(loaded)
        })
    }

    /// All is loaded: loads what only tags of other heaps have begun, with these contexts, and
    /// counts what heaps have of each other.
    ///
    /// # Errors
    ///
    /// As [`state`](RestoredHeaps::state), or an object has no content.
    pub fn finish(self, contexts: &[&dyn Any]) -> Result<FinishedHeaps, LoadError> {
        let numbers = || self.restoring.heaps.iter();
        while let Some(heap) = numbers().find(|heap| heap.has_unfilled()) {
            self.within(heap.number, contexts, |_| Ok(()))?;
        }
        let heaps = &self.restoring;
        heaps.is_whole()?;
        heaps.heaps.iter().try_for_each(RestoringHeap::check)?;
        heaps.heaps.iter().for_each(RestoringHeap::count_imports);
        let cores = heaps.heaps.iter();
        let cores = cores.map(|heap| (heap.number, heap.take_core()));
        let cores = cores.collect();
        Ok(FinishedHeaps { cores })
    }
}

impl FinishedHeaps {
    /// The heap with this state. Its inbox may have deltas that have woken nothing: it is to be
    /// drained ([`Heap::drain_all`], or a [step](Heap::step)).
    ///
    /// # Panics
    ///
    /// It is the state of a heap of another restore.
    pub fn heap<R: Root>(&mut self, state: RestoredState<R>, waker: Option<Waker>) -> Heap<R> {
        let core = self.cores.remove(&state.number);
        let core = core.filter(|core| {
            // SAFETY: this has the core, and no turn runs (X2).
            Arc::ptr_eq(unsafe { &(*core.get()).owner }, &state.owner)
        });
        let mut core = core.expect("the state of a heap of this restore");
        let mut state = state.into_inner();
        let restored = core.get_mut();
        if let Some(waker) = waker {
            restored.wake_by(waker);
        }
        // The chunks of collections are clean then, as other objects that change in place are.
        restored.minor(&mut state, TenuringPolicy::Never);
        restored.next_mark(0);
        let mut heap = Heap::of(core, state);
        heap.check();
        heap
    }

    /// The heaps that are left, without states: those of which other heaps or parcels have objects.
    /// Each with its number in the image.
    pub fn detached(mut self) -> impl Iterator<Item = (u64, DetachedHeap)> {
        self.take_detached()
    }

    fn take_detached(&mut self) -> impl Iterator<Item = (u64, DetachedHeap)> + use<> {
        let cores = mem::take(&mut self.cores).into_iter();
        cores.filter_map(|(number, mut core)| {
            let restored = core.get_mut();
            restored.minor(&mut (), TenuringPolicy::Never);
            restored.next_mark(0);
            Some((number, DetachedHeap::of(core)?))
        })
    }
}

/// Frees the heaps that have gone to no holder, but for what parcels or other heaps have.
impl Drop for FinishedHeaps {
    fn drop(&mut self) {
        end_together(self.take_detached().map(|(_, heap)| heap).collect());
    }
}

impl<R: Root> RestoredState<R> {
    fn into_inner(self) -> R::Of<'static> {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: each is taken once, because this is not dropped (X10).
        unsafe {
            std::ptr::drop_in_place(&raw mut this.owner);
            std::ptr::drop_in_place(&raw mut this.heaps);
            ManuallyDrop::take(&mut this.state)
        }
    }
}

/// Nothing has become of the heap.
impl<R: Root> Drop for RestoredState<R> {
    fn drop(&mut self) {
        // SAFETY: dropped once, and not used afterwards (X10).
        unsafe { drop_state(&mut self.state) };
    }
}

impl fmt::Debug for RestoredHeaps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = self.restoring.heaps.iter().map(|heap| heap.number);
        f.debug_set().entries(numbers).finish()
    }
}

impl<R: Root> fmt::Debug for RestoredState<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RestoredState({})", self.number)
    }
}

impl fmt::Debug for FinishedHeaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.cores.keys()).finish()
    }
}

impl fmt::Debug for ValueDecoder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueDecoder").finish_non_exhaustive()
    }
}

impl fmt::Debug for HeapDecoder<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeapDecoder").finish_non_exhaustive()
    }
}
