//! [`SavedKind`]: what a file names a kind of message by.

use std::fmt;

/// A kind of message: its form and its name. Displayed as `message bank::Account::deposit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SavedKind {
    /// Stable name of the behaviour, start or join.
    pub name: &'static str,
    /// The form.
    pub form: SavedForm,
}

/// The form of a kind of message: one name may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SavedForm {
    /// The message of a behaviour.
    Message,
    /// The next step of a behaviour, with its locals.
    NextStep,
    /// A continuation that a promise holds, without its hole.
    Continuation,
    /// The start of an actor.
    Start,
    /// A join. It never waits: its messages do.
    Join,
    /// A message of the runtime: about a link, a request to watch, the mark of a stop, which no
    /// actor lists; or between a supervisor and its children.
    Runtime,
    /// What a topic or a stream brings to a continuation of its kind: a value, the notice of missed
    /// ones, an item, an end.
    Published,
}

impl fmt::Display for SavedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.form, self.name)
    }
}

impl fmt::Display for SavedForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SavedForm::Message => "message",
            SavedForm::NextStep => "next step",
            SavedForm::Continuation => "continuation",
            SavedForm::Start => "start",
            SavedForm::Join => "join",
            SavedForm::Runtime => "message of the runtime",
            SavedForm::Published => "message of a topic or stream",
        })
    }
}
