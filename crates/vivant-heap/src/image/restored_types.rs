//! [`RestoredTypes`]: the types of the objects of an image.

use super::object_codec::{ObjectCodec, Restored};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use std::any::TypeId;
use std::cell::RefCell;
use std::collections::HashMap;
use vivant_codec::ShapeId;

/// The types of objects, by the numbers that an image has for them.
pub(super) struct RestoredTypes {
    /// The shapes of their contents.
    contents: Vec<ShapeId>,
    found: RefCell<Found>,
}

/// What references have shown.
struct Found {
    by_number: Vec<Option<Known>>,
    by_type: HashMap<TypeId, usize>,
}

#[derive(Clone, Copy)]
struct Known {
    codec: &'static ObjectCodec,
    /// Whether its contents may refer to objects that never change.
    refers_to_whole: bool,
}

impl RestoredTypes {
    pub(super) fn new(contents: &[ShapeId]) -> RestoredTypes {
        RestoredTypes {
            contents: contents.to_vec(),
            found: RefCell::new(Found {
                by_number: vec![None; contents.len()],
                by_type: HashMap::new(),
            }),
        }
    }

    /// A reference says which type the objects of a number have. Each number has one type, and each
    /// type one number.
    pub(super) fn learn(&self, number: usize, codec: &'static ObjectCodec) -> Result<(), String> {
        let found = &mut *self.found.borrow_mut();
        let Some(known) = found.by_number.get_mut(number) else {
            return Err("an object of a type that the image does not list".to_owned());
        };
        match known {
            Some(known) if known.codec.is_like(codec) => Ok(()),
            #[cfg(test)]
            Some(_) if is_injected(InjectedFault::AnyType) => Ok(()),
            Some(known) => Err(format!(
                "a reference to a `{}`, where the heap has a `{}`",
                codec.type_name(),
                known.codec.type_name()
            )),
            None => {
                if *found.by_type.entry(codec.type_id()).or_insert(number) != number {
                    return Err(format!("two numbers for the type `{}`", codec.type_name()));
                }
                *known = Some(Known {
                    codec,
                    refers_to_whole: codec.refers_to_whole(),
                });
                Ok(())
            }
        }
    }

    /// The codec of the objects of a number, if a reference has shown their type.
    pub(super) fn codec(&self, number: usize) -> Option<&'static ObjectCodec> {
        Some(self.known(number)?.codec)
    }

    /// Whether objects of this number never change, as far as references have shown their type.
    pub(super) fn is_whole(&self, number: usize) -> bool {
        let known = self.known(number);
        known.is_some_and(|known| matches!(known.codec.restored, Restored::Whole(_)))
    }

    pub(super) fn refers_to_whole(&self, number: usize) -> bool {
        self.known(number)
            .is_some_and(|known| known.refers_to_whole)
    }

    fn known(&self, number: usize) -> Option<Known> {
        *self.found.borrow().by_number.get(number)?
    }

    /// The shape of the contents of objects of this number.
    pub(super) fn shape(&self, number: usize) -> Option<ShapeId> {
        self.contents.get(number).copied()
    }
}
