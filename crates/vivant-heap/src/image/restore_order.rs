//! [`RestoreOrder`]: makes the objects of an image so that each has what it needs.
//!
//! An object that changes in place is there, without content, as soon as a reference to it is
//! loaded; its content comes later. An object that never changes is made at once, after those that
//! its content refers to. Such objects form no cycles: each was made of others that existed. Each
//! content is loaded once.

use super::block_name::BlockName;
use super::content::{Content, fault};
use super::object_codec::{ObjectCodec, Restored};
use super::reference_names::{FOREIGN, PART, REFERENCE, REGION, VAL};
use super::restored_blocks::{At, BlockState};
use super::restored_tags::WantedTarget;
use super::restoring::RestoringHeap;
use super::restoring_heaps::{CurrentHeap, RestoringHeaps};
use super::slices::elements;
use crate::alloc::header::Header;
use std::cell::Cell;
use std::mem;
use std::ptr::NonNull;
use vivant_codec::{Decoder, Event, Group, LoadError, Saved, ShapeId, walk};

/// Makes objects of heaps, for the decoder of what refers to them.
pub(super) struct RestoreOrder<'d, 'gc, 'a> {
    current: &'a CurrentHeap,
    input: &'d Decoder<'gc, 'a>,
}

/// A block: the place of its heap among those that are restored, and where it is in the heap.
#[derive(Clone, Copy)]
struct InHeap {
    heap: u32,
    at: At,
}

/// An object that is to be made.
#[derive(Clone, Copy)]
struct Wanted {
    block: InHeap,
    by: WantedBy,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WantedBy {
    /// A reference that was loaded.
    Load,
    /// A reference in a content. The program may not load it, because its type has changed.
    Walk,
}

/// What the next number in a content names.
#[derive(Clone, Copy)]
enum Named {
    Nothing,
    /// The heap of an object.
    Heap,
    /// An object of the heap at this place.
    Object(u32),
    Part,
}

impl<'d, 'gc, 'a> RestoreOrder<'d, 'gc, 'a> {
    /// The decoder has this context, and so the brand of the heap of which it decodes values (S1).
    pub(super) fn new(
        current: &'a CurrentHeap,
        input: &'d Decoder<'gc, 'a>,
    ) -> RestoreOrder<'d, 'gc, 'a> {
        RestoreOrder { current, input }
    }

    fn heaps(&self) -> &'a RestoringHeaps {
        &self.current.heaps
    }

    fn heap(&self, block: InHeap) -> &'a RestoringHeap {
        self.heaps().heap(block.heap)
    }

    /// The object of the heap at this place with this name, which a reference says to be of this
    /// type. An object that never changes is whole: it is made now, if it is not made yet.
    pub(super) fn object(
        &self,
        place: u32,
        name: BlockName,
        codec: &'static ObjectCodec,
    ) -> Result<NonNull<Header>, LoadError> {
        let (heaps, input) = (self.heaps(), self.input);
        let heap = heaps.heap(place);
        let Some(at) = heap.blocks.find(name) else {
            return Err(input.error(format!(
                "a reference to {name}, where the heap has no object"
            )));
        };
        let learned = heaps.types.learn(heap.blocks.object_type(at), codec);
        learned.map_err(|why| input.error(why))?;
        match (heap.blocks.state(at), &codec.restored) {
            (BlockState::Made(object), _) => Ok(object),
            (_, Restored::InPlace { bytes, begin, .. }) => heap.begin(at, *bytes, *begin),
            (_, Restored::Part) | (BlockState::Loaded, _) => {
                Err(input.error("a reference to a part of a collection"))
            }
            (BlockState::Begun, Restored::Whole(_)) => {
                heaps.met_begun.set(true);
                Err(input.error("an object that never changes refers to itself"))
            }
            // While what refers to it is loaded.
            (BlockState::Open, Restored::Whole(_)) => {
                let _level = heaps.nest()?;
                self.make(InHeap { heap: place, at })
            }
        }
    }

    /// The content of a part of a collection in the heap at this place, which is loaded once.
    pub(super) fn part(
        &self,
        place: u32,
        name: BlockName,
        codec: &'static ObjectCodec,
    ) -> Result<Content<'a>, LoadError> {
        let (heaps, input) = (self.heaps(), self.input);
        let heap = heaps.heap(place);
        let Some(at) = heap.blocks.find(name) else {
            return Err(input.error(format!("a part {name}, where the heap has no object")));
        };
        let learned = heaps.types.learn(heap.blocks.object_type(at), codec);
        learned.map_err(|why| input.error(why))?;
        if heap.blocks.state(at) != BlockState::Open {
            return Err(input.error(format!("two collections with the part {name}")));
        }
        heap.blocks.set_state(at, BlockState::Loaded);
        self.content(InHeap { heap: place, at })
    }

    /// The number of elements of the object of the heap at this place with this name, a slice or a
    /// text. It is not made.
    pub(super) fn count(
        &self,
        place: u32,
        name: u64,
        codec: &'static ObjectCodec,
    ) -> Result<usize, LoadError> {
        let (heap, input) = (self.heaps().heap(place), self.input);
        let name = BlockName::from_file(name);
        let Some(at) = heap.blocks.find(name) else {
            return Err(input.error(format!("a tag of {name}, where the heap has no object")));
        };
        let learned = self.heaps().types.learn(heap.blocks.object_type(at), codec);
        learned.map_err(|why| input.error(why))?;
        // Slices and texts begin with it.
        let count = u64::load(&mut input.another(heap.blocks.content(at)))?;
        usize::try_from(count).map_err(|_| input.error("a tag of an object that is too long"))
    }

    /// Makes the target of a tag.
    fn make_target(&self, place: u32, wanted: &WantedTarget) -> Result<(), LoadError> {
        let _in_heap = self.current.enter(place);
        let name = BlockName::from_file(wanted.name);
        let object = self.object(place, name, wanted.codec)?;
        if let Some(expected) = wanted.count {
            // SAFETY: its codec is that of a slice or a text (S3), which is whole (S2).
            let (_, count) = unsafe { elements(object) };
            if count != expected {
                return Err(fault("a tag of an object of another length"));
            }
        }
        let tags = &self.heaps().heap(place).tags;
        tags.has(wanted.entry, object).map_err(fault)
    }

    /// Loads the contents of all objects of a heap that change in place, and makes the objects that
    /// tags name.
    pub(super) fn fill_all(&self, place: u32) -> Result<(), LoadError> {
        loop {
            let heap = self.heaps().heap(place);
            while let Some(wanted) = heap.tags.take_wanted() {
                self.make_target(place, &wanted)?;
            }
            let mut unfilled = heap.take_unfilled();
            if unfilled.is_empty() && !heap.tags.are_wanted() {
                return Ok(());
            }
            // In the order of the memory, and of the bytes.
            unfilled.sort_unstable_by_key(|at| at.place());
            for at in unfilled {
                self.fill(InHeap { heap: place, at })?;
            }
        }
    }

    fn fill(&self, block: InHeap) -> Result<(), LoadError> {
        let heap = self.heap(block);
        let number = heap.blocks.object_type(block.at);
        let (Some(codec), BlockState::Made(object)) = (
            self.heaps().types.codec(number),
            heap.blocks.state(block.at),
        ) else {
            return Err(fault("an object without a type"));
        };
        let Restored::InPlace { fill, .. } = &codec.restored else {
            return Ok(());
        };
        let _in_heap = self.current.enter(block.heap);
        // SAFETY: the object was begun with this codec (S3), and the decoder is of this heap (S1).
        unsafe { fill(self.content(block)?, object)? };
        // SAFETY: it has its content now (S7).
        unsafe { heap.is_whole(object) };
        Ok(())
    }

    /// Makes an object that never changes, and before it all such objects that it refers to.
    fn make(&self, block: InHeap) -> Result<NonNull<Header>, LoadError> {
        let state = |block: InHeap| self.heap(block).blocks.state(block.at);
        let set_state = |block: InHeap, to| self.heap(block).blocks.set_state(block.at, to);
        let by = WantedBy::Load;
        let mut wanted = vec![Wanted { block, by }];
        while let Some(&next) = wanted.last() {
            match state(next.block) {
                BlockState::Made(_) => {
                    wanted.pop();
                    continue;
                }
                BlockState::Open => {
                    set_state(next.block, BlockState::Begun);
                    let before = wanted.len();
                    let added = self.add_needed(next.block, &mut wanted);
                    added.inspect_err(|_| self.reopen(&wanted))?;
                    if wanted.len() != before {
                        continue;
                    }
                }
                // A walk finds no part.
                BlockState::Loaded => return Err(fault("a part of a collection as an object")),
                // All that it was seen to need is made.
                BlockState::Begun => {}
            }
            self.heaps().met_begun.set(false);
            match self.make_one(next.block) {
                Ok(object) => set_state(next.block, BlockState::Made(object)),
                Err(_) if next.by == WantedBy::Walk && self.heaps().met_begun.take() => {
                    // What refers to it may not load it. Else it is made then.
                    set_state(next.block, BlockState::Open);
                    wanted.pop();
                }
                Err(error) => {
                    self.reopen(&wanted);
                    return Err(error);
                }
            }
        }
        match state(block) {
            BlockState::Made(object) => Ok(object),
            _ => Err(fault("an object that was not made")),
        }
    }

    /// None of these is made now. A load may go on without what it refers to.
    fn reopen(&self, wanted: &[Wanted]) {
        for block in wanted.iter().map(|it| it.block) {
            let blocks = &self.heap(block).blocks;
            if blocks.state(block.at) == BlockState::Begun {
                blocks.set_state(block.at, BlockState::Open);
            }
        }
    }

    /// Makes an object of its content.
    fn make_one(&self, block: InHeap) -> Result<NonNull<Header>, LoadError> {
        let heap = self.heap(block);
        let codec = self.heaps().types.codec(heap.blocks.object_type(block.at));
        let Some(Restored::Whole(restore)) = codec.map(|codec| &codec.restored) else {
            return Err(fault("an object without a type"));
        };
        let mut room = |bytes| heap.room(block.at, bytes);
        let _in_heap = self.current.enter(block.heap);
        // SAFETY: a codec of the object's type (S3); decoder and room are of this heap (S1).
        let object = unsafe { restore(self.content(block)?, &mut room)? };
        // SAFETY: it has its value (S7).
        unsafe { heap.is_whole(object) };
        Ok(object)
    }

    fn content(&self, block: InHeap) -> Result<Content<'a>, LoadError> {
        let input = self
            .input
            .another(self.heap(block).blocks.content(block.at));
        Ok(Content {
            // SAFETY: the same type but for its brand, which has no part in its layout (X8). The
            // codec that loads the content gives it the brand of the block's heap (S1).
            input: unsafe { mem::transmute::<Decoder<'gc, 'a>, Decoder<'static, 'a>>(input) },
            shapes: self.heaps().comparison(),
            shape: self.shape(block)?,
        })
    }

    fn shape(&self, block: InHeap) -> Result<ShapeId, LoadError> {
        let number = self.heap(block).blocks.object_type(block.at);
        let shape = self.heaps().types.shape(number);
        shape.ok_or_else(|| fault("an object of a type that the image does not list"))
    }

    /// Adds what the content of an object refers to, as far as it never changes, its type is known,
    /// and it is not begun. Without this a load would make it, and a long chain of objects would be
    /// as many loads within each other.
    fn add_needed(&self, block: InHeap, wanted: &mut Vec<Wanted>) -> Result<(), LoadError> {
        let (heaps, own) = (self.heaps(), self.heap(block));
        let types = &heaps.types;
        if !types.refers_to_whole(own.blocks.object_type(block.at)) {
            return Ok(());
        }
        let find = |heap: u32, name: u128| {
            let name = BlockName::from_file(u64::try_from(name).unwrap_or(u64::MAX));
            let at = heaps.heap(heap).blocks.find(name)?;
            Some(InHeap { heap, at })
        };
        let is_open = |block: &InHeap| {
            let blocks = &self.heap(*block).blocks;
            blocks.state(block.at) == BlockState::Open
                && types.is_whole(blocks.object_type(block.at))
        };
        let shapes = heaps.comparison().shapes();
        // The content, and those of its parts.
        let mut contents = vec![block];
        while let Some(block) = contents.pop() {
            let content = self.heap(block).blocks.content(block.at);
            // The number of an object of which the heap was named follows its heap.
            let (named, foreign) = (Cell::new(Named::Nothing), Cell::new(None));
            // Its references name its own objects, and are loaded with it.
            let regions = Cell::new(0_u32);
            walk(shapes, self.shape(block)?, content, |event| {
                own.blocks.take_step()?;
                match event {
                    Event::Begin(Group::Reference(REGION)) => regions.set(regions.get() + 1),
                    Event::End(Group::Reference(REGION)) => regions.set(regions.get() - 1),
                    _ if regions.get() != 0 => {}
                    Event::Begin(Group::Variant {
                        of: VAL,
                        variant: FOREIGN,
                        ..
                    }) => named.set(Named::Heap),
                    Event::Begin(Group::Reference(REFERENCE)) => {
                        named.set(match foreign.take() {
                            None => Named::Object(block.heap),
                            Some(Some(heap)) => Named::Object(heap),
                            // The image lacks the heap: a load of the reference is an error.
                            Some(None) => Named::Nothing,
                        });
                    }
                    Event::Begin(Group::Reference(PART)) => named.set(Named::Part),
                    Event::Unsigned(name) => match named.replace(Named::Nothing) {
                        Named::Nothing => {}
                        Named::Heap => {
                            let number = u64::try_from(name).ok();
                            foreign.set(Some(number.and_then(|number| heaps.place(number))));
                        }
                        Named::Object(heap) => {
                            let block = find(heap, name).filter(is_open);
                            let by = WantedBy::Walk;
                            wanted.extend(block.map(|block| Wanted { block, by }));
                        }
                        Named::Part => contents.extend(find(block.heap, name)),
                    },
                    _ => {}
                }
                Ok::<(), LoadError>(())
            })?;
        }
        Ok(())
    }
}
