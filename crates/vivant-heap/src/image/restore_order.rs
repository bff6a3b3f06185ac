//! [`RestoreOrder`]: makes the objects of an image so that each has what it needs.
//!
//! An object that changes in place is there, without content, as soon as a reference to it is
//! loaded; its content comes later. An object that never changes is made at once, after those that
//! its content refers to. Such objects form no cycles: each was made of others that existed. Each
//! content is loaded once.

use super::block_name::BlockName;
use super::content::{Content, fault};
use super::object_codec::{ObjectCodec, Restored};
use super::restored_blocks::{At, BlockState};
use super::restoring::RestoringHeap;
use crate::alloc::header::Header;
use std::cell::Cell;
use std::mem;
use std::ptr::NonNull;
use vivant_codec::{Decoder, Event, Group, LoadError, ShapeId, walk};

/// Loads of objects within loads of others. One level more needs a type of objects that no
/// reference has shown before, so this bounds only how many types a program nests.
const NESTED_MAX: u32 = 64;

/// Makes objects of a heap, for the decoder of what refers to them.
pub(super) struct RestoreOrder<'d, 'gc, 'a> {
    heap: &'a RestoringHeap,
    input: &'d Decoder<'gc, 'a>,
}

/// An object that is to be made.
#[derive(Clone, Copy)]
struct Wanted {
    at: At,
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
    Object,
    Part,
}

impl<'d, 'gc, 'a> RestoreOrder<'d, 'gc, 'a> {
    /// The decoder has the heap as a context, and so its brand (S1).
    pub(super) fn new(
        heap: &'a RestoringHeap,
        input: &'d Decoder<'gc, 'a>,
    ) -> RestoreOrder<'d, 'gc, 'a> {
        RestoreOrder { heap, input }
    }

    /// The object with this name, which a reference says to be of this type. An object that never
    /// changes is whole: it is made now, if it is not made yet.
    pub(super) fn object(
        &self,
        name: BlockName,
        codec: &'static ObjectCodec,
    ) -> Result<NonNull<Header>, LoadError> {
        let (heap, input) = (self.heap, self.input);
        let Some(at) = heap.blocks.find(name) else {
            return Err(input.error(format!(
                "a reference to {name}, where the heap has no object"
            )));
        };
        let learned = heap.types.learn(heap.blocks.object_type(at), codec);
        learned.map_err(|why| input.error(why))?;
        match (heap.blocks.state(at), &codec.restored) {
            (BlockState::Made(object), _) => Ok(object),
            (_, Restored::InPlace { bytes, begin, .. }) => heap.begin(at, *bytes, *begin),
            (_, Restored::Part) | (BlockState::Loaded, _) => {
                Err(input.error("a reference to a part of a collection"))
            }
            (BlockState::Begun, Restored::Whole(_)) => {
                heap.met_begun.set(true);
                Err(input.error("an object that never changes refers to itself"))
            }
            (BlockState::Open, Restored::Whole(_)) => self.make_within(at),
        }
    }

    /// The content of a part of a collection, which is loaded once.
    pub(super) fn part(
        &self,
        name: BlockName,
        codec: &'static ObjectCodec,
    ) -> Result<Content<'a>, LoadError> {
        let (heap, input) = (self.heap, self.input);
        let Some(at) = heap.blocks.find(name) else {
            return Err(input.error(format!("a part {name}, where the heap has no object")));
        };
        let learned = heap.types.learn(heap.blocks.object_type(at), codec);
        learned.map_err(|why| input.error(why))?;
        if heap.blocks.state(at) != BlockState::Open {
            return Err(input.error(format!("two collections with the part {name}")));
        }
        heap.blocks.set_state(at, BlockState::Loaded);
        self.content(at)
    }

    /// Makes an object while what refers to it is loaded.
    fn make_within(&self, at: At) -> Result<NonNull<Header>, LoadError> {
        let nested = self.heap.nested.get();
        if nested == NESTED_MAX {
            let why = "objects of too many types within each other";
            return Err(self.input.error(why));
        }
        self.heap.nested.set(nested + 1);
        let made = self.make(at);
        self.heap.nested.set(nested);
        made
    }

    /// Loads the contents of all objects that change in place.
    pub(super) fn fill_all(&self) -> Result<(), LoadError> {
        loop {
            let mut unfilled = self.heap.take_unfilled();
            if unfilled.is_empty() {
                return Ok(());
            }
            // In the order of the memory, and of the bytes.
            unfilled.sort_unstable_by_key(|at| at.place());
            for at in unfilled {
                self.fill(at)?;
            }
        }
    }

    fn fill(&self, at: At) -> Result<(), LoadError> {
        let number = self.heap.blocks.object_type(at);
        let (Some(codec), BlockState::Made(object)) =
            (self.heap.types.codec(number), self.heap.blocks.state(at))
        else {
            return Err(fault("an object without a type"));
        };
        let Restored::InPlace { fill, .. } = &codec.restored else {
            return Ok(());
        };
        // SAFETY: the object was begun with this codec (S3), and the decoder is of this heap (S1).
        unsafe { fill(self.content(at)?, object)? };
        // SAFETY: it has its content now (S7).
        unsafe { self.heap.is_whole(object) };
        Ok(())
    }

    /// Makes an object that never changes, and before it all such objects that it refers to.
    fn make(&self, at: At) -> Result<NonNull<Header>, LoadError> {
        let blocks = &self.heap.blocks;
        let by = WantedBy::Load;
        let mut wanted = vec![Wanted { at, by }];
        while let Some(&next) = wanted.last() {
            match blocks.state(next.at) {
                BlockState::Made(_) => {
                    wanted.pop();
                    continue;
                }
                BlockState::Open => {
                    blocks.set_state(next.at, BlockState::Begun);
                    let before = wanted.len();
                    let added = self.add_needed(next.at, &mut wanted);
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
            self.heap.met_begun.set(false);
            match self.make_one(next.at) {
                Ok(object) => blocks.set_state(next.at, BlockState::Made(object)),
                Err(_) if next.by == WantedBy::Walk && self.heap.met_begun.take() => {
                    // What refers to it may not load it. Else it is made then.
                    blocks.set_state(next.at, BlockState::Open);
                    wanted.pop();
                }
                Err(error) => {
                    self.reopen(&wanted);
                    return Err(error);
                }
            }
        }
        match blocks.state(at) {
            BlockState::Made(object) => Ok(object),
            _ => Err(fault("an object that was not made")),
        }
    }

    /// None of these is made now. A load may go on without what it refers to.
    fn reopen(&self, wanted: &[Wanted]) {
        let blocks = &self.heap.blocks;
        for at in wanted.iter().map(|it| it.at) {
            if blocks.state(at) == BlockState::Begun {
                blocks.set_state(at, BlockState::Open);
            }
        }
    }

    /// Makes an object of its content.
    fn make_one(&self, at: At) -> Result<NonNull<Header>, LoadError> {
        let codec = self.heap.types.codec(self.heap.blocks.object_type(at));
        let Some(Restored::Whole(restore)) = codec.map(|codec| &codec.restored) else {
            return Err(fault("an object without a type"));
        };
        let mut room = |bytes| self.heap.room(at, bytes);
        // SAFETY: a codec of the object's type (S3); decoder and room are of this heap (S1).
        let object = unsafe { restore(self.content(at)?, &mut room)? };
        // SAFETY: it has its value (S7).
        unsafe { self.heap.is_whole(object) };
        Ok(object)
    }

    fn content(&self, at: At) -> Result<Content<'a>, LoadError> {
        let input = self.input.another(self.heap.blocks.content(at));
        Ok(Content {
            // SAFETY: the same type but for its brand, which has no part in its layout (X8). The
            // codec that loads the content gives the brand back (S1).
            input: unsafe { mem::transmute::<Decoder<'gc, 'a>, Decoder<'static, 'a>>(input) },
            shapes: self.heap.comparison(),
            shape: self.shape(at)?,
        })
    }

    fn shape(&self, at: At) -> Result<ShapeId, LoadError> {
        let shape = self.heap.types.shape(self.heap.blocks.object_type(at));
        shape.ok_or_else(|| fault("an object of a type that the image does not list"))
    }

    /// Adds what the content of an object refers to, as far as it never changes, its type is known,
    /// and it is not begun. Without this a load would make it, and a long chain of objects would be
    /// as many loads within each other.
    fn add_needed(&self, at: At, wanted: &mut Vec<Wanted>) -> Result<(), LoadError> {
        let (blocks, types) = (&self.heap.blocks, &self.heap.types);
        if !types.refers_to_whole(blocks.object_type(at)) {
            return Ok(());
        }
        let is_open = |at: &At| {
            blocks.state(*at) == BlockState::Open && types.is_whole(blocks.object_type(*at))
        };
        let shapes = self.heap.comparison().shapes();
        // The content, and those of its parts.
        let mut contents = vec![at];
        while let Some(at) = contents.pop() {
            let named = Cell::new(Named::Nothing);
            walk(shapes, self.shape(at)?, blocks.content(at), |event| {
                blocks.take_step()?;
                match event {
                    Event::Begin(Group::Reference("vivant::Gc")) => named.set(Named::Object),
                    Event::Begin(Group::Reference("vivant::Part")) => named.set(Named::Part),
                    Event::Unsigned(name) => {
                        let name = BlockName::from_file(u64::try_from(name).unwrap_or(u64::MAX));
                        match named.replace(Named::Nothing) {
                            Named::Nothing => {}
                            Named::Object => {
                                let found = blocks.find(name).filter(is_open);
                                let by = WantedBy::Walk;
                                wanted.extend(found.map(|at| Wanted { at, by }));
                            }
                            Named::Part => contents.extend(blocks.find(name)),
                        }
                    }
                    _ => {}
                }
                Ok::<(), LoadError>(())
            })?;
        }
        Ok(())
    }
}
