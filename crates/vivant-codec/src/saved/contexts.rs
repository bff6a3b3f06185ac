//! [`Contexts`]: what the types of a runtime need besides the bytes.

use std::any::Any;
use std::fmt;

/// Values that an encoder or decoder carries for types that refer to something outside of the
/// bytes, each found by its type.
#[derive(Clone, Copy, Default)]
pub(crate) struct Contexts<'a>(&'a [&'a dyn Any]);

impl<'a> Contexts<'a> {
    pub(crate) fn new(contexts: &'a [&'a dyn Any]) -> Contexts<'a> {
        Contexts(contexts)
    }

    pub(crate) fn get<C: 'static>(self) -> Option<&'a C> {
        self.0.iter().find_map(|context| context.downcast_ref())
    }
}

impl fmt::Debug for Contexts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} contexts", self.0.len())
    }
}
