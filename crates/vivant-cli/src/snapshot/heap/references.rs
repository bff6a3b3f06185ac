//! [`References`]: the references to objects in a value.

use super::object_name::{FOREIGN, ObjectName, REGION, VAL, WEAK, is_to_object};
use vivant_codec::{Event, Group};

/// A reference in a value.
#[derive(Clone, Copy)]
pub(super) struct Reference {
    pub(super) to: ObjectName,
    /// It leads to the cell of a weak reference, which refers to the target.
    pub(super) is_weak: bool,
}

/// Finds the references to objects of one heap in the events of a value.
pub(super) struct References {
    /// The number of the heap.
    heap: u64,
    next: Next,
    /// The number of regions around the next event.
    regions: u32,
}

/// What the next events are.
#[derive(Clone, Copy)]
enum Next {
    Any,
    /// The name of an object: whether the reference is weak.
    Name {
        is_weak: bool,
    },
    /// The number of the heap that owns an object.
    Owner,
    /// A reference to an object of this heap.
    ObjectOf(u64),
}

impl References {
    /// Those to objects of the heap with this number.
    pub(super) fn to(heap: u64) -> References {
        let next = Next::Any;
        let regions = 0;
        References {
            heap,
            next,
            regions,
        }
    }

    /// The reference that this event ends.
    pub(super) fn event(&mut self, event: &Event<'_, '_>) -> Option<Reference> {
        let before = self.next;
        self.next = Next::Any;
        let is_elsewhere = match before {
            Next::ObjectOf(heap) => heap != self.heap,
            _ => self.regions > 0,
        };
        match (event, before) {
            (Event::Begin(Group::Reference(REGION)), _) => self.regions += 1,
            (Event::End(Group::Reference(REGION)), _) => self.regions -= 1,
            (Event::Begin(Group::Reference(name)), _) if is_to_object(name) && !is_elsewhere => {
                let is_weak = *name == WEAK;
                self.next = Next::Name { is_weak };
            }
            (
                Event::Begin(Group::Variant {
                    of: VAL,
                    variant: FOREIGN,
                    ..
                }),
                _,
            ) => self.next = Next::Owner,
            // Of the number, and of the reference.
            (Event::Field(_), Next::Owner | Next::ObjectOf(_)) => self.next = before,
            (Event::Unsigned(number), Next::Owner) => {
                self.next = Next::ObjectOf(u64::try_from(*number).ok()?);
            }
            (Event::Unsigned(number), Next::Name { is_weak }) => {
                let to = ObjectName::new(u64::try_from(*number).ok()?);
                return Some(Reference { to, is_weak });
            }
            _ => {}
        }
        None
    }
}
