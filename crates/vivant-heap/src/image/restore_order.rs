//! [`RestoreOrder`]: makes the objects of an image so that each has what it needs.
//!
//! An object that changes in place is there, without content, as soon as a reference to it is
//! loaded; its content comes later. An object that never changes is made at once, after those that
//! its content refers to. Such objects form no cycles: each was made of others that existed.

use super::block_name::BlockName;
use super::content::{Content, fault};
use super::heap_image::HeapImage;
use super::object_codec::Restored;
use super::restored_blocks::{At, BlockState};
use super::restoring::RestoringHeap;
use crate::alloc::header::Header;
use std::any::Any;
use std::cell::Cell;
use std::ptr::NonNull;
use vivant_codec::{Comparison, Decoder, Event, Group, LoadError, ShapeId, walk};

/// Steps that the walks through all contents together may take: so many, and some for each byte.
const STEPS_MIN: u64 = 1 << 20;
const STEPS_PER_BYTE: u64 = 256;

pub(super) struct RestoreOrder<'c> {
    restoring: &'c RestoringHeap,
    contexts: &'c [&'c dyn Any],
    objects: &'c [ShapeId],
    comparison: &'c Comparison<'c>,
    steps: Cell<u64>,
}

impl<'c> RestoreOrder<'c> {
    pub(super) fn new(
        restoring: &'c RestoringHeap,
        contexts: &'c [&'c dyn Any],
        image: &HeapImage<'c>,
    ) -> RestoreOrder<'c> {
        let bytes = restoring.blocks.bytes();
        RestoreOrder {
            restoring,
            contexts,
            objects: image.objects,
            comparison: image.comparison,
            steps: Cell::new(STEPS_MIN.saturating_add(bytes.saturating_mul(STEPS_PER_BYTE))),
        }
    }

    /// Returns what `load` loads. It is called again after each object that it needs was made.
    pub(super) fn repeated<T>(
        &self,
        mut load: impl FnMut() -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        loop {
            let loaded = load();
            match self.restoring.take_needed() {
                // What was loaded may lack something, though it looks right.
                Some(needed) => {
                    drop(loaded);
                    self.make(needed)?;
                }
                None => return loaded,
            }
        }
    }

    /// Loads the contents of all objects that change in place.
    pub(super) fn fill_all(&self) -> Result<(), LoadError> {
        loop {
            let mut unfilled = self.restoring.take_unfilled();
            if unfilled.is_empty() {
                return Ok(());
            }
            // In the order of the memory, and of the bytes.
            unfilled.sort_unstable();
            for at in unfilled {
                self.repeated(|| self.fill(at))?;
            }
        }
    }

    fn fill(&self, at: At) -> Result<(), LoadError> {
        let (Some(codec), BlockState::Made(object)) =
            (self.restoring.codec(at), self.restoring.blocks.state(at))
        else {
            return Err(fault("an object without a type".to_owned()));
        };
        let Restored::InPlace { fill, .. } = &codec.restored else {
            return Ok(());
        };
        // SAFETY: the object was begun with this codec (S3), and the decoder is of this heap (S1).
        self.load(at, |content| unsafe { fill(content, object) })?;
        // A value that needs another object is loaded again, and is not complete.
        if !self.restoring.needs_some() {
            // SAFETY: it has its content now (S7).
            unsafe { self.restoring.is_whole(object) };
        }
        Ok(())
    }

    /// Makes an object that never changes, and before it all such objects that it refers to.
    fn make(&self, at: At) -> Result<(), LoadError> {
        let blocks = &self.restoring.blocks;
        let mut open = vec![at];
        while let Some(&next) = open.last() {
            if let BlockState::Made(_) = blocks.state(next) {
                open.pop();
                continue;
            }
            let made = self.make_one(next);
            let Some(needed) = self.restoring.take_needed() else {
                blocks.set_state(next, BlockState::Made(made?));
                continue;
            };
            if blocks.state(next) == BlockState::Open {
                blocks.set_state(next, BlockState::Begun);
                self.add_needed(next, &mut open)?;
            }
            if blocks.state(needed) == BlockState::Begun {
                return Err(fault(
                    "an object that never changes refers to itself".to_owned(),
                ));
            }
            open.push(needed);
        }
        Ok(())
    }

    /// Makes an object of its content. The result counts only if no other object is needed.
    fn make_one(&self, at: At) -> Result<NonNull<Header>, LoadError> {
        let Some(codec) = self.restoring.codec(at) else {
            return Err(fault("an object without a type".to_owned()));
        };
        let Restored::Whole(restore) = &codec.restored else {
            return Err(fault("an object that changes in place".to_owned()));
        };
        let mut room = |bytes| match self.restoring.needs_some() {
            true => Err(fault("an object that lacks others".to_owned())),
            false => self
                .restoring
                .room(at, bytes)
                .map_err(|it| fault(it.into())),
        };
        // SAFETY: a codec of the object's type (S3); decoder and room are of this heap (S1).
        let object = self.load(at, |content| unsafe { restore(content, &mut room) })?;
        // SAFETY: it has its value (S7).
        unsafe { self.restoring.is_whole(object) };
        Ok(object)
    }

    fn load<T>(
        &self,
        at: At,
        load: impl FnOnce(Content<'_, '_>) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        let bytes = self.restoring.blocks.content(at);
        let mut input = Decoder::new(bytes).with_contexts(self.contexts);
        let content = Content {
            input: &mut input,
            shapes: self.comparison,
            shape: self.shape(at)?,
        };
        let loaded = load(content)?;
        input.finish()?;
        Ok(loaded)
    }

    fn shape(&self, at: At) -> Result<ShapeId, LoadError> {
        let object_type = self.restoring.blocks.object_type(at);
        let shape = self.objects.get(object_type);
        shape
            .copied()
            .ok_or_else(|| fault("an object of a type that the image does not list".to_owned()))
    }

    /// Adds what the content of an object refers to, as far as it never changes, its type is known,
    /// and it is not made. Without this each reference of a long slice would be found by a load of
    /// the whole slice.
    fn add_needed(&self, at: At, open: &mut Vec<At>) -> Result<(), LoadError> {
        let blocks = &self.restoring.blocks;
        let mut is_name = false;
        walk(
            self.comparison.shapes(),
            self.shape(at)?,
            blocks.content(at),
            |event| {
                let left = self.steps.get().checked_sub(1);
                self.steps
                    .set(left.ok_or_else(|| fault("contents without end".to_owned()))?);
                match event {
                    Event::Begin(Group::Reference("vivant::Gc")) => is_name = true,
                    Event::Unsigned(name) if std::mem::take(&mut is_name) => {
                        let name = BlockName::from_file(u64::try_from(name).unwrap_or(u64::MAX));
                        open.extend(blocks.find(name).filter(|it| self.is_open(*it)));
                    }
                    _ => {}
                }
                Ok::<(), LoadError>(())
            },
        )
    }

    /// Whether an object never changes, has a known type, and is not begun.
    fn is_open(&self, at: At) -> bool {
        let codec = self.restoring.codec(at);
        self.restoring.blocks.state(at) == BlockState::Open
            && codec.is_some_and(|codec| matches!(codec.restored, Restored::Whole(_)))
    }
}
