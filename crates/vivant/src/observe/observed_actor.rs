//! [`ObservedActor`]: an actor as subscribers and recorders see it.

use std::fmt;

#[derive(Clone, Copy)]
pub(crate) struct ObservedActor<P> {
    /// The stable name of its type.
    pub(crate) type_name: &'static str,
    /// Makes its path.
    pub(crate) path: P,
}

impl<P: Fn() -> String> fmt::Display for ObservedActor<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&(self.path)())
    }
}
