//! A message that could not be sent.

use super::behaviour::Message;
use super::call::Call;
use crate::actor::{AskError, NotSent, Refusal};
use crate::interned::Name;
use std::error::Error;
use std::fmt;

/// A message that could not be sent, together with that message.
///
/// `?` converts it into the [`AskError`] that an ask would have had: with the reason of the actor's
/// end, or the bound of its mailbox. The message is dropped then.
///
/// ```
/// use vivant::prelude::*;
///
/// #[derive(Actor)] struct Desk { notes: Vec<String> }
/// #[behaviours] impl Desk {
///     fn note(&mut self, text: String) { self.notes.push(text); }
/// }
///
/// fn note(desk: &Address<Desk>) -> Result<(), AskError> {
///     desk.note("rain".to_owned()).try_send()?;
///     Ok(())
/// }
///
/// let system = System::new();
/// let desk = system.spawn(Desk { notes: Vec::new() });
/// assert!(note(&desk).is_ok());
/// system.shutdown();
/// assert!(matches!(note(&desk), Err(AskError::Stopped(it)) if it.reason == StopReason::Shutdown));
/// ```
pub struct SendError<M: Message> {
    /// The message, to send elsewhere or take apart.
    pub call: Call<'static, M>,
    /// Path of the receiver.
    pub actor: String,
    /// Why it was not sent.
    pub why: NotSent,
}

impl<M: Message> fmt::Debug for SendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendError")
            .field("behaviour", &M::NAME)
            .field("actor", &self.actor)
            .field("why", &self.why)
            .finish_non_exhaustive()
    }
}

impl<M: Message> fmt::Display for SendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (message, actor) = (M::NAME, &self.actor);
        match &self.why {
            NotSent::Ended => write!(f, "{message} was not sent: {actor} has ended"),
            NotSent::Full(mailbox) => {
                write!(
                    f,
                    "{message} was not sent: the mailbox of {actor} is full: {mailbox}"
                )
            }
            NotSent::InsideTurn(it) => write!(
                f,
                "{message} was not sent to {actor}: {} of {} waited for a place inside its turn, which would hold up a \
                 worker: use `t.send(…)` or `.try_send()`",
                it.behaviour, it.actor
            ),
        }
    }
}

impl<M: Message> Error for SendError<M> {}

impl<M: Message> From<SendError<M>> for AskError {
    fn from(error: SendError<M>) -> AskError {
        let cell = error.call.to().cell();
        let refusal = match error.why {
            NotSent::Ended => Refusal::ended(cell),
            NotSent::Full(_) => Refusal::full(cell),
            NotSent::InsideTurn(inside) => return AskError::InsideTurn(inside),
        };
        refusal.error(Name::new(M::NAME), error.call.place())
    }
}
