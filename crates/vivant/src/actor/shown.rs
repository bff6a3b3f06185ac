//! Addresses as outgoing references, also those in objects of a heap.

use super::outgoing::{OutgoingReference, OutgoingReferences};
use super::reference::AddressRef;
use crate::candidates::ActorKey;
use std::any::Any;
use vivant_heap::ExternalEdges;

impl OutgoingReference {
    pub(crate) fn of(address: &AddressRef) -> OutgoingReference {
        OutgoingReference {
            who: ActorKey {
                id: address.id,
                place: address.place(),
            },
            system: address.system.number,
            is_traced: address.class.is_traced,
        }
    }

    /// The actor of `held`, if that is an address in an object of a heap.
    pub(crate) fn held(held: &dyn Any) -> Option<OutgoingReference> {
        held.downcast_ref().map(OutgoingReference::of)
    }
}

impl OutgoingReferences<'_> {
    /// For the derive: takes the addresses of an object that is part of a heap's state, and not
    /// [`TraceReferences`](crate::TraceReferences).
    #[doc(hidden)]
    pub fn __of_object(&mut self, show: impl FnOnce(&mut ExternalEdges<'_>)) {
        let mut each = |held: &dyn Any| {
            if let Some(reference) = OutgoingReference::held(held) {
                self.take(reference);
            }
        };
        show(&mut ExternalEdges::to(&mut each));
    }
}
