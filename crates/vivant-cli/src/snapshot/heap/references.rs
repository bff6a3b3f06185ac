//! [`References`]: the references to objects in a value.

use super::object_name::{ObjectName, REFERENCE, is_to_object};
use vivant_codec::{Event, Group};

/// Finds the references in the events of a value.
#[derive(Default)]
pub(super) struct References {
    events: u64,
    /// The event before began a reference to an object.
    is_next: bool,
    begins_as_option: bool,
    is_option: bool,
}

impl References {
    /// The object to which the reference leads that this event ends.
    pub(super) fn event(&mut self, event: &Event<'_, '_>) -> Option<ObjectName> {
        let was_next = std::mem::take(&mut self.is_next);
        self.events += 1;
        match event {
            Event::Begin(Group::Some) => self.begins_as_option |= self.events == 1,
            Event::Begin(Group::Reference(name)) => {
                self.is_next = is_to_object(name);
                self.is_option |= self.begins_as_option && self.events == 2 && *name == REFERENCE;
            }
            Event::Unsigned(number) if was_next => {
                return u64::try_from(*number).ok().map(ObjectName::new);
            }
            _ => {}
        }
        None
    }

    /// Whether the value is an optional reference and nothing else. So is the cell of a weak
    /// reference; a `Mut<Option<Gc<T>>>` is the same in a file.
    pub(super) fn may_be_weak(&self) -> bool {
        self.is_option
    }
}
