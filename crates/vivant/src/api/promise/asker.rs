//! [`Asker`]: what a behaviour sees of the side that waits for its reply.

use super::Resolver;
use super::awaited::{Awaited, seen};
use super::shown::PromiseLink;
use std::fmt;
use std::time::Duration;

/// The side that waits for the reply of this behaviour, as long as the turn lasts: whether it still
/// waits, and until when. A behaviour that has an `&Asker` after its turn gets that of its message;
/// it is no part of the message. It can skip work that no reply needs, and limit the requests that
/// it makes itself.
///
/// A time limit or a dropped future takes no message back and ends no turn: the behaviour decides.
/// A behaviour that has no effect but its reply is marked `#[if_awaited]` instead: a request is
/// then withdrawn if its reply is not awaited any more when its turn would begin.
///
/// Costs nothing where it is not taken.
///
/// ```
/// use std::time::Duration;
/// use vivant::Asker;
/// use vivant::prelude::*;
///
/// #[derive(Actor)]
/// struct Archive;
///
/// #[behaviours]
/// impl Archive {
///     /// Searches as many boxes as there is time for.
///     fn search(&self, t: &Turn<Self>, asker: &Asker, at: u64, found: u64) -> Step<(u64, u64), u64> {
///         let late = asker.deadline().is_some_and(|deadline| t.now() >= deadline);
///         if at == 100 || late || !asker.is_waiting() {
///             return Step::Done(found);
///         }
///         Step::Again((at + 1, found + u64::from(at % 7 == 0)))
///     }
/// }
///
/// #[derive(Actor)]
/// struct Desk { archive: Address<Archive> }
///
/// #[behaviours]
/// impl Desk {
///     /// The archive gets the time that is left.
///     fn find(&self, t: &Turn<Self>, asker: &Asker) -> Promise<u64> {
///         t.ask(self.archive.search(0, 0)).until(asker.deadline())
///     }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// let system = System::new();
/// let desk = system.spawn(Desk { archive: system.spawn(Archive) });
/// let found = desk.find().ask().within(Duration::from_secs(10));
/// assert_eq!(system.block_on(found)?, 15);
/// # Ok(()) }
/// ```
pub struct Asker<'r>(&'r dyn PromiseLink);

impl<'r> Asker<'r> {
    /// For the macros.
    #[doc(hidden)]
    pub fn __of<T: Send + 'static>(resolver: &'r Resolver<T>) -> Asker<'r> {
        Asker(resolver)
    }

    /// Whether a reply is awaited; see [`Resolver::is_wanted`]. Not if the message was sent, not
    /// asked.
    pub fn is_waiting(&self) -> bool {
        self.awaited() != Awaited::No
    }

    /// The time after which no reply is awaited any more; see [`Resolver::deadline`].
    pub fn deadline(&self) -> Option<Duration> {
        self.awaited().deadline()
    }

    fn awaited(&self) -> Awaited {
        seen(self.0)
    }
}

impl fmt::Debug for Asker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Asker({:?})", self.awaited())
    }
}
