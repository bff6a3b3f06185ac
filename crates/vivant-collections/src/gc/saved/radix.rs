//! [`gc::Vec`](crate::gc::Vec) and [`gc::VecDeque`](crate::gc::VecDeque) in images.

use super::{PartOf, SavedContent, part};
use crate::gc::chunk::{Chunk, Raw};
use crate::gc::deque::VecDeque;
use crate::gc::items::{Items, Links, link};
use crate::gc::radix::{HEIGHT_MAX, Radix};
use crate::gc::vec::Vec;
use std::slice;
use std::vec::Vec as StdVec;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, shape_of};
use vivant_heap::raw::restoring;
use vivant_heap::{Erased, Mutator, Object};

// SAFETY: a sequence of the elements is what `Vec` saves (C3).
unsafe impl<'gc, T: Object<'gc> + Saved<'gc>> SavedContent<'gc> for Items<T> {
    type Data = StdVec<T>;

    unsafe fn save(chunk: Raw, out: &mut Encoder<'_>) {
        // SAFETY: guaranteed by the caller (C3): the filled slots have elements.
        let elements = unsafe {
            let chunk: Chunk<'gc, Items<T>> = Chunk::of(chunk);
            slice::from_raw_parts(chunk.slot(chunk.from()).as_ptr(), chunk.len())
        };
        out.sequence(elements.iter());
    }
}

// SAFETY: a sequence of names is what `Vec` saves (C3).
unsafe impl SavedContent<'_> for Links {
    /// Of links, or of elements on the lowest level.
    type Data = StdVec<PartOf<Links>>;

    unsafe fn save(chunk: Raw, out: &mut Encoder<'_>) {
        // SAFETY: guaranteed by the caller (C3): the filled slots have links.
        let slots = unsafe { chunk.filled() };
        out.elements(slots.len(), |out| {
            for slot in slots {
                // SAFETY: a filled slot has a link, to a chunk that exists (C3).
                let child: PartOf<Links> = unsafe { part(link(chunk, slot).read(), out) };
                child.save(out);
            }
        });
    }
}

/// What an image has of a handle: the number of elements, the levels of links, and the root.
type Handle<T> = (u64, u32, Option<PartOf<Items<T>>>, Option<PartOf<Links>>);

impl<'gc, T: Object<'gc> + Saved<'gc>> Radix<'gc, T> {
    fn save(&self, out: &mut Encoder<'_>) {
        let root = self.root.map(Chunk::raw).filter(|_| self.len > 0);
        (self.len as u64).save(out);
        self.height.save(out);
        // SAFETY: the root exists (C3); without height it has elements, else links.
        let (items, links): (Option<PartOf<Items<T>>>, Option<PartOf<Links>>) = unsafe {
            match (root, self.height) {
                (Some(root), 0) => (Some(part(root, out)), None),
                (Some(root), _) => (None, Some(part(root, out))),
                (None, _) => (None, None),
            }
        };
        items.save(out);
        links.save(out);
    }

    fn load(
        (len, height, items, links): Handle<T>,
        input: &mut Decoder<'gc, '_>,
    ) -> Result<Self, LoadError> {
        if height as usize > HEIGHT_MAX {
            return Err(input.error("a vector of too many levels"));
        }
        // SAFETY: the mutator makes this tree alone (S1).
        let tree = unsafe {
            restoring(input, |m, input| {
                let mut tree = Radix::new();
                match (items, links) {
                    (Some(root), None) => tree.add(m, root, input)?,
                    (None, Some(root)) => tree.add_level(m, root, height, input)?,
                    (None, None) => {}
                    (Some(_), Some(_)) => return Err(input.error("a vector with two roots")),
                }
                Ok(tree)
            })?
        };
        match tree.len as u64 == len {
            true => Ok(tree),
            false => Err(input.error(format!("a vector of {len} elements with {}", tree.len))),
        }
    }

    fn add(
        &mut self,
        m: &Mutator<'gc>,
        part: PartOf<Items<T>>,
        input: &mut Decoder<'gc, '_>,
    ) -> Result<(), LoadError> {
        let elements = part.content(input)?.into_iter();
        elements.for_each(|element| self.push_back(m, element));
        Ok(())
    }

    /// As deep as the tree is high, at most.
    fn add_level(
        &mut self,
        m: &Mutator<'gc>,
        part: PartOf<Links>,
        height: u32,
        input: &mut Decoder<'gc, '_>,
    ) -> Result<(), LoadError> {
        let Some(below) = height.checked_sub(1) else {
            return self.add(m, part.as_type(), input);
        };
        for child in part.content(input)? {
            self.add_level(m, child, below, input)?;
        }
        Ok(())
    }
}

macro_rules! saved_sequence {
    ($name:ident, $shape:literal) => {
        impl<'gc, T> Saved<'gc> for $name<'gc, T>
        where
            T: Object<'gc> + Saved<'gc> + Erased,
            for<'any> <T as Erased>::Of<'any>: Saved<'any>,
        {
            const SHAPE: &'static Shape = &Shape::structure(
                $shape,
                const {
                    &[
                        Field::new("len", shape_of::<'gc, u64>()),
                        Field::new("levels", shape_of::<'gc, u32>()),
                        Field::new("elements", shape_of::<'gc, Option<PartOf<Items<T>>>>()),
                        Field::new("links", shape_of::<'gc, Option<PartOf<Links>>>()),
                    ]
                },
            );

            fn save(&self, out: &mut Encoder<'_>) {
                self.tree.save(out);
            }

            fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
                let mut fields = input.structure(Self::SHAPE)?;
                let handle = (
                    fields.field(0)?,
                    fields.field(1)?,
                    fields.field(2)?,
                    fields.field(3)?,
                );
                fields.end()?;
                let tree = Radix::load(handle, input)?;
                Ok($name { tree })
            }
        }

        // SAFETY: its brand is replaced (X8), and so is that of its elements.
        unsafe impl<T: Erased> Erased for $name<'_, T> {
            type Of<'gc> = $name<'gc, T::Of<'gc>>;
            type Static = $name<'static, T::Static>;
        }
    };
}

saved_sequence!(Vec, "vivant::gc::Vec");
saved_sequence!(VecDeque, "vivant::gc::VecDeque");
