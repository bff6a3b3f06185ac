//! [`Holdings`]: where objects show what they hold of things that are counted elsewhere.

use std::any::Any;
use std::fmt;

/// Where objects show what they hold of things that are counted elsewhere, as addresses of actors
/// are ([`Object::show_holdings`](crate::Object::show_holdings)).
pub struct Holdings<'s>(&'s mut dyn FnMut(&dyn Any));

impl<'s> Holdings<'s> {
    /// Hands what is shown to `each`.
    pub fn to(each: &'s mut dyn FnMut(&dyn Any)) -> Holdings<'s> {
        Holdings(each)
    }

    /// Shows one. Whoever has asked knows it by its type.
    pub fn one(&mut self, held: &dyn Any) {
        (self.0)(held);
    }
}

impl fmt::Debug for Holdings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Holdings").finish_non_exhaustive()
    }
}
