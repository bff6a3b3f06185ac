//! [`Contexts`]: what the types of a runtime need besides the bytes.

use std::any::Any;
use std::fmt;

/// Values that an encoder or decoder carries for types that refer to something outside of the
/// bytes, each found by its type.
#[derive(Clone, Copy, Default)]
pub(crate) struct Contexts<'a> {
    list: &'a [&'a dyn Any],
    /// Searched after the list.
    outer: Option<&'a Contexts<'a>>,
}

impl<'a> Contexts<'a> {
    pub(crate) fn new(list: &'a [&'a dyn Any]) -> Contexts<'a> {
        Contexts { list, outer: None }
    }

    /// These, and the ones around them.
    pub(crate) fn within(list: &'a [&'a dyn Any], outer: &'a Contexts<'a>) -> Contexts<'a> {
        let outer = Some(outer);
        Contexts { list, outer }
    }

    pub(crate) fn get<C: 'static>(self) -> Option<&'a C> {
        let own = self.list.iter().find_map(|context| context.downcast_ref());
        own.or_else(|| self.outer?.get())
    }
}

impl fmt::Debug for Contexts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} contexts", self.list.len())
    }
}
