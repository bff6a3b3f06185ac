//! [`Holdings`]: receives the references that objects hold to things counted outside the heap.

use std::any::Any;
use std::fmt;

/// Receives the references that objects hold to things that are counted outside the heap, such as
/// addresses of actors ([`Object::show_holdings`](crate::Object::show_holdings)).
pub struct Holdings<'s>(&'s mut dyn FnMut(&dyn Any));

impl<'s> Holdings<'s> {
    /// Passes each reference to `each`.
    pub fn to(each: &'s mut dyn FnMut(&dyn Any)) -> Holdings<'s> {
        Holdings(each)
    }

    /// Reports one reference. The code that traces recognises it by its type.
    pub fn one(&mut self, held: &dyn Any) {
        (self.0)(held);
    }
}

impl fmt::Debug for Holdings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Holdings").finish_non_exhaustive()
    }
}
