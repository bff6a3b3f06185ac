//! The table of an actor type (a vtable): made once for each `A`. Also the message that starts an
//! actor.

use super::header::{Birth, Header};
use super::options::Mailbox;
use super::outgoing::{OutgoingReferences, TraceCoverage};
use super::reference::{AddressRef, CellRef};
use super::refusal::DelayedMessage;
use super::slot_list::SlotList;
use super::worker::Worker;
use crate::failures::StopReason;
use crate::saving::{EncodedStart, HeapSaver, StoredLocals, StoredShape};
use crate::statistics::HeapCounts;
use std::any::{Any, TypeId};
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;
use vivant_codec::{Decoder, Encoder, LoadError, Shape};
use vivant_heap::{FinishedHeaps, Pacing, RestoredHeaps, Sharer, ValueDecoder, WatchRecord};

/// The table of an actor type.
pub(crate) struct Class {
    pub(crate) name: &'static str,
    pub(crate) mailbox: Mailbox,
    pub(crate) type_id: fn() -> TypeId,
    /// The type with its parameters, for people.
    pub(crate) type_name: fn() -> &'static str,
    /// Size of the cell in bytes.
    pub(crate) bytes: usize,
    /// Whether its state may hold addresses that can be traced.
    pub(crate) is_traced: bool,
    /// Offset of the bounded queue from the header in bytes, if the mailbox has a bound.
    pub(crate) bounded_queue_at: Option<usize>,
    /// Its caller has dropped the last reference to a cell of this class, which `header` starts.
    pub(crate) free: unsafe fn(NonNull<Header>),
    pub(crate) drop_state: fn(&mut StateRef<'_>, &Worker),
    pub(crate) stopping: fn(&mut StateRef<'_>, &Worker, &StopReason),
    pub(crate) outgoing_references:
        fn(&mut StateRef<'_>, &mut OutgoingReferences<'_>) -> TraceCoverage,
    pub(crate) sharer: fn(&mut StateRef<'_>, &mut dyn FnMut(&mut dyn Sharer)),
    /// Its caller keeps the cell alive, which is of this class, and which `header` starts.
    pub(crate) heap_counts: unsafe fn(NonNull<Header>) -> Option<NonNull<HeapCounts>>,
    /// The functions of the heap, if the state is in one.
    pub(crate) heap: Option<HeapFunctions>,
    /// What a snapshot has of an actor of this type, besides its messages.
    pub(crate) saved: SavedClass,
    /// Whether the actor has a state now (C2).
    pub(crate) has_state: fn(&mut StateRef<'_>) -> bool,
    /// Makes a cell without a state, with one address.
    pub(crate) make: fn(Birth) -> AddressRef,
}

/// What a snapshot has of an actor, besides its messages.
pub(crate) enum SavedClass {
    Nothing,
    State(StateFunctions),
    /// Returns the name and the arguments of the start. `None` if it has not begun, or by a closure
    /// or a value.
    Start(fn(&mut StateRef<'_>) -> Option<EncodedStart>),
}

/// Gets each death watch of a heap, and what it sends.
pub struct EachWatch<'e>(pub(crate) &'e mut dyn FnMut(WatchRecord, Option<&DelayedMessage>));

impl fmt::Debug for EachWatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EachWatch").finish_non_exhaustive()
    }
}

/// The functions that save a heap, between two turns.
pub(crate) struct HeapFunctions {
    pub(crate) pacing: fn(&HostCell) -> Pacing,
    /// Passes its death watches on, with what they send, when its image has just begun.
    pub(crate) watches: fn(&mut StateRef<'_>, EachWatch<'_>),
    /// Begins an image of its objects, without the state.
    pub(crate) begin_image: fn(&mut StateRef<'_>, &HeapSaver),
    /// Writes a piece of its image, if one is being written.
    pub(crate) write_image: fn(&mut StateRef<'_>),
}

/// The functions that save and load a state, between two turns.
pub(crate) struct StateFunctions {
    pub(crate) shape: &'static Shape,
    /// Of its heap, if it has one, an image begins.
    pub(crate) save: fn(&mut StateRef<'_>, &mut Encoder<'_>),
    /// Loads it, for this cell.
    pub(crate) load: fn(CellRef, StateSource<'_>) -> Result<LoadedState, LoadError>,
}

/// What an image has of the state of an actor.
pub struct StateSource<'a> {
    pub(crate) bytes: &'a [u8],
    /// Of the decoders of all values.
    pub(crate) contexts: &'a [&'a dyn Any],
    /// Makes decoders of values that are in no heap.
    pub(crate) values: &'a ValueDecoder<'a>,
    /// The shape that the state has in the image.
    pub(crate) stored: StoredShape<'a>,
    /// The heaps of the image, and the number of the one in which the state is.
    pub(crate) heaps: &'a RestoredHeaps<'a>,
    pub(crate) heap: Option<u64>,
    /// The locals that the last step has left in it.
    pub(crate) locals: Option<StoredLocals<'a>>,
    /// What its death watches send.
    pub(crate) notices: Vec<RestoredNotice>,
}

/// What a death watch of a restored heap sends.
pub(crate) struct RestoredNotice {
    pub(crate) token: u64,
    /// The number of the watch.
    pub(crate) watch: u64,
    pub(crate) message: DelayedMessage,
}

impl<'a> StateSource<'a> {
    /// Loads a state that has no heap.
    pub(crate) fn load<T>(
        &self,
        load: impl for<'gc> FnOnce(&mut Decoder<'gc, 'a>, StoredShape<'a>) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        let mut input = self.values.of(self.bytes);
        let loaded = load(&mut input, self.stored)?;
        input.finish().map(|()| loaded)
    }
}

impl fmt::Debug for StateSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateSource").finish_non_exhaustive()
    }
}

/// The cell of the actor to which a loaded state belongs.
pub struct HostCell(pub(crate) CellRef);

/// A state that is loaded, and goes into the cell of its actor.
pub struct LoadedState(pub(crate) Loaded);

/// How a loaded state goes into its cell.
pub(crate) enum Loaded {
    Inline(PutState),
    /// When the heaps of the image are finished.
    InHeap(PutHeap),
}

/// Puts a state into its cell.
type PutState = Box<dyn FnOnce(&mut StateRef<'_>)>;

/// Puts a state and its heap into its cell.
type PutHeap = Box<dyn FnOnce(&mut StateRef<'_>, &mut FinishedHeaps)>;

impl LoadedState {
    /// Puts it into its cell.
    #[cfg_attr(not(feature = "snapshots"), allow(dead_code))]
    pub(crate) fn put(self, cell: &mut StateRef<'_>, heaps: &mut FinishedHeaps) {
        match self.0 {
            Loaded::Inline(put) => put(cell),
            Loaded::InHeap(put) => put(cell, heaps),
        }
    }
}

impl fmt::Debug for HostCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HostCell").finish()
    }
}

impl fmt::Debug for LoadedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedState").finish_non_exhaustive()
    }
}

/// The state of an actor that the caller holds, with its type erased.
pub(crate) struct StateRef<'h> {
    header: NonNull<Header>,
    held: PhantomData<&'h mut Header>,
}

impl<'h> StateRef<'h> {
    /// # Safety
    ///
    /// `header` starts a cell that is alive for `'h`, the pointer was made from the whole cell, and
    /// the caller holds the actor for `'h` and makes no second `StateRef` of it.
    pub(crate) unsafe fn new(header: NonNull<Header>) -> StateRef<'h> {
        StateRef {
            header,
            held: PhantomData,
        }
    }

    /// The start of the cell.
    pub(crate) fn header(&self) -> NonNull<Header> {
        self.header
    }

    /// What all threads see of the actor.
    #[inline]
    fn shared(&self) -> &Header {
        // SAFETY: the caller of `new` keeps the cell alive for `'h` (X7), and its header is only
        // ever shared (X6).
        unsafe { self.header.as_ref() }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.shared().ended().is_some()
    }

    /// The open promises of the actor.
    #[inline]
    pub(crate) fn slots(&self) -> &SlotList {
        &self.shared().slots
    }

    #[inline]
    /// Whether the actor has a state now (C2).
    pub(crate) fn has_state(&mut self) -> bool {
        (self.class().has_state)(self)
    }

    pub(crate) fn class(&self) -> &'static Class {
        self.shared().class
    }
}
