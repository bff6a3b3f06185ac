//! [`References`]: the references to objects in a value.

use super::object_name::{ObjectName, WEAK, is_to_object};
use vivant_codec::{Event, Group};

/// A reference in a value.
#[derive(Clone, Copy)]
pub(super) struct Reference {
    pub(super) to: ObjectName,
    /// It leads to the cell of a weak reference, which refers to the target.
    pub(super) is_weak: bool,
}

/// Finds the references in the events of a value.
#[derive(Default)]
pub(super) struct References {
    /// The event before began a reference to an object: whether that is weak.
    next: Option<bool>,
}

impl References {
    /// The reference that this event ends.
    pub(super) fn event(&mut self, event: &Event<'_, '_>) -> Option<Reference> {
        let before = self.next.take();
        match event {
            Event::Begin(Group::Reference(name)) => {
                self.next = is_to_object(name).then_some(*name == WEAK);
            }
            Event::Unsigned(number) => {
                let (is_weak, number) = (before?, u64::try_from(*number).ok()?);
                let to = ObjectName::new(number);
                return Some(Reference { to, is_weak });
            }
            _ => {}
        }
        None
    }
}
