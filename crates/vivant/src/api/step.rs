//! Behaviours in steps: a long turn, divided so that the collector and the runtime can run, and the
//! time budget is checked, in between.

/// The outcome of one step of a behaviour: the behaviour is called again, with other values, or is
/// done.
///
/// A behaviour that returns this is a loop: its body is the method, its variables are the
/// parameters. The message carries their first values, [`Step::Again`] their next ones (a tuple, or
/// the one value if there is one parameter). A parameter marked `#[locals]` is not in the message:
/// it begins as its type's default, and may be of any type that the actor's state may be of; in an
/// actor with a graph it may refer to collected objects, which live as long as it does.
///
/// Between two steps the actor's heap may be collected, and the actor may be stopped, or leave its
/// worker because its time budget is used up. Other messages, replies and timers wait until
/// the last step. A guard is tested before the first step only. If a step panics the others are
/// lost; the changes of earlier ones to the state stay. If the actor is stopped or restarted
/// between two steps, the message is a dead letter, and its ask fails.
///
/// Costs one recycled block of memory a step.
///
/// ```
/// use vivant::prelude::*;
///
/// #[derive(Actor)]
/// struct Primes { found: Vec<u64> }
///
/// #[behaviours]
/// impl Primes {
///     /// Finds the primes below `end`, 1,000 candidates a step; returns their number.
///     fn find(&mut self, end: u64, #[locals] next: u64) -> Step<(u64, u64), u64> {
///         let until = (next + 1000).min(end);
///         let is_prime = |n: &u64| *n > 1 && (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0);
///         self.found.extend((next..until).filter(is_prime));
///         if until < end { Step::Again((end, until)) } else { Step::Done(end) }
///     }
///     fn count(&self) -> usize { self.found.len() }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// let system = System::new();
/// let primes = system.spawn(Primes { found: Vec::new() });
/// assert_eq!(primes.find(10_000).ask_blocking()?, 10_000);
/// assert_eq!(primes.count().ask_blocking()?, 1229);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "a behaviour returns it: nothing else calls it again"]
pub enum Step<V, R> {
    /// Call the behaviour once more, with these values of its parameters, before any other message.
    Again(V),
    /// That was the last step: this is the reply.
    Done(R),
}
