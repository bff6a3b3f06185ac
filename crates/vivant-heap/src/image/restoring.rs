//! [`RestoringHeap`]: a heap that is being made of an image.

use super::block_name::BlockName;
use super::object_codec::{ObjectCodec, Restored};
use super::restored_blocks::{At, BlockState, RestoredBlocks};
use super::span_record::Holds;
use crate::alloc::header::Header;
use crate::alloc::old::restored::RestoredSpan;
use crate::gc::heap::Core;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::orca::heap_handle::HeapHandle;
use std::borrow::Cow;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::ptr::NonNull;

/// A heap that is being made of an image. It is a context of the decoders that load the state and
/// the contents of objects; no other code has it.
pub(super) struct RestoringHeap {
    /// Of the heap, which outlives this. No other reference to it exists while a function of this
    /// file runs, and those call no code of users.
    core: NonNull<UnsafeCell<Core>>,
    pub(super) blocks: RestoredBlocks,
    /// The codecs of the types of the image, by their numbers there, as far as references have
    /// shown them.
    types: RefCell<Vec<Option<&'static ObjectCodec>>>,
    /// An object that has to be made before what is being loaded.
    needed: Cell<Option<At>>,
    /// Objects that have no content yet.
    unfilled: RefCell<Vec<At>>,
}

/// Why a reference cannot be loaded.
type Why = Cow<'static, str>;

impl RestoringHeap {
    /// # Safety
    ///
    /// The heap outlives this, and has no objects. Nothing else uses it meanwhile.
    pub(super) unsafe fn new(
        core: NonNull<UnsafeCell<Core>>,
        blocks: RestoredBlocks,
        types: usize,
    ) -> RestoringHeap {
        RestoringHeap {
            core,
            blocks,
            types: RefCell::new(vec![None; types]),
            needed: Cell::new(None),
            unfilled: RefCell::default(),
        }
    }

    /// The object with this name, which a reference says to be of this type. An object that never
    /// changes is whole; if it is not made yet, this is an error, and it is made before the load of
    /// what refers to it is repeated.
    pub(super) fn object(
        &self,
        name: BlockName,
        codec: &'static ObjectCodec,
    ) -> Result<NonNull<Header>, Why> {
        let Some(at) = self.blocks.find(name) else {
            return Err(format!("a reference to {name}, where the heap has no object").into());
        };
        self.learn(at, codec)?;
        if let BlockState::Made(object) = self.blocks.state(at) {
            return Ok(object);
        }
        match &codec.restored {
            Restored::InPlace { bytes, begin, .. } => {
                let object = self.room(at, *bytes)?;
                // SAFETY: `room` found room for an object of this type (X4).
                unsafe { begin(object) };
                self.blocks.set_state(at, BlockState::Made(object));
                self.unfilled.borrow_mut().push(at);
                Ok(object)
            }
            Restored::Whole(_) => {
                self.needed.set(Some(at));
                Err("a reference to an object that is not made yet".into())
            }
        }
    }

    /// A reference says which type an object has. All objects of one number have that type.
    fn learn(&self, at: At, codec: &'static ObjectCodec) -> Result<(), Why> {
        let mut types = self.types.borrow_mut();
        let Some(known) = types.get_mut(self.blocks.object_type(at)) else {
            return Err("an object of a type that the image does not list".into());
        };
        match known {
            Some(known) if known.is_like(codec) => Ok(()),
            #[cfg(test)]
            Some(_) if is_injected(InjectedFault::AnyType) => Ok(()),
            Some(known) => Err(format!(
                "a reference to a `{}`, where the heap has a `{}`",
                codec.type_name(),
                known.type_name()
            )
            .into()),
            None => {
                *known = Some(codec);
                Ok(())
            }
        }
    }

    /// The type of an object, if a reference has shown it.
    pub(super) fn codec(&self, at: At) -> Option<&'static ObjectCodec> {
        let types = self.types.borrow();
        *types.get(self.blocks.object_type(at))?
    }

    /// Takes the object that has to be made before what was just loaded.
    pub(super) fn take_needed(&self) -> Option<At> {
        self.needed.take()
    }

    /// Whether what is being loaded needs another object first.
    pub(super) fn needs_some(&self) -> bool {
        self.needed.get().is_some()
    }

    /// Takes all objects that have no content yet.
    pub(super) fn take_unfilled(&self) -> Vec<At> {
        #[cfg(test)]
        if is_injected(InjectedFault::Unfilled) {
            self.unfilled.borrow_mut().pop();
        }
        self.unfilled.take()
    }

    /// Room for an object with so many bytes behind its header: its old block, or another one if
    /// its type has another size now.
    pub(super) fn room(&self, at: At, bytes: usize) -> Result<NonNull<Header>, Why> {
        // SAFETY: by the contract of `new` (X1).
        let core = unsafe { &mut *self.core.as_ref().get() };
        let size = size_of::<Header>() + bytes;
        let span = self.blocks.span(at);
        if !span.fits(size) {
            let owner = HeapHandle::name(&core.owner).cast();
            let room = core.old.allocate(bytes, &core.source, owner);
            return room.ok_or(NO_MEMORY.into());
        }
        let taken = match span.taken.get() {
            Some(taken) => taken,
            None => {
                let holds = match span.holds {
                    Holds::Blocks(_) => RestoredSpan::Blocks(size),
                    Holds::Large => RestoredSpan::Large(size),
                };
                let owner = HeapHandle::name(&core.owner).cast();
                let taken = core
                    .old
                    .take_restored(holds, span.number, &core.source, owner);
                let taken = taken.ok_or(NO_MEMORY)?;
                span.taken.set(Some(taken));
                taken
            }
        };
        let block = self.blocks.number(at);
        // SAFETY: taken for this image, and listed when this is dropped. The span has the block,
        // as `RestoredBlocks` has checked (X4), and the object is made once (S4).
        Ok(unsafe { core.old.take_restored_block(taken, block) })
    }

    /// An object has its value, and is not written before the next turn.
    ///
    /// # Safety
    ///
    /// The object is one of this heap.
    pub(super) unsafe fn is_whole(&self, object: NonNull<Header>) {
        // SAFETY: by the contract of `new` (X1).
        let core = unsafe { &mut *self.core.as_ref().get() };
        // SAFETY: the caller's contract (X1).
        let table = unsafe { object.as_ref() }.table();
        if table.has_destructor() {
            // SAFETY: the caller's contract (X1).
            unsafe { core.old.note_drop(object) };
        }
        if table.show.is_some() {
            core.has_external_edges.set(true);
        }
    }
}

impl Drop for RestoringHeap {
    fn drop(&mut self) {
        // SAFETY: by the contract of `new` (X1).
        let core = unsafe { &mut *self.core.as_ref().get() };
        for taken in self.blocks.spans().filter_map(|span| span.taken.take()) {
            // SAFETY: `room` took it for this heap (X10), and it is on no list.
            unsafe { core.old.list_restored(taken, &core.source) };
        }
    }
}

const NO_MEMORY: &str = "there is no memory for the objects of the image";
