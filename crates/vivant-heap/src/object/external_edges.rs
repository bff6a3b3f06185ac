//! [`ExternalEdges`]: receives the references that objects hold to things counted outside the heap.

use std::any::Any;
use std::fmt;

/// Receives the references that objects hold to things that are counted outside the heap, such as
/// addresses of actors ([`Object::trace_external`](crate::Object::trace_external)).
pub struct ExternalEdges<'s>(&'s mut dyn FnMut(&dyn Any));

impl<'s> ExternalEdges<'s> {
    /// Passes each reference to `each`.
    pub fn to(each: &'s mut dyn FnMut(&dyn Any)) -> ExternalEdges<'s> {
        ExternalEdges(each)
    }

    /// Reports one reference. The code that traces recognises it by its type.
    pub fn one(&mut self, held: &dyn Any) {
        (self.0)(held);
    }
}

impl fmt::Debug for ExternalEdges<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExternalEdges").finish_non_exhaustive()
    }
}
