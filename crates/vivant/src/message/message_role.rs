//! The role of a message for its receiver, and its route into a mailbox.

/// The role of a message for its receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MessageRole {
    /// Makes the actor's state.
    Start,
    /// A behaviour: counted against budgets and back-pressure; runs user code in a turn.
    Turn,
    /// As `Turn`: a continuation that its own actor has released in a turn. An exclusive wait does
    /// not defer it.
    Continuation,
    /// As `Turn`, but exempt from back-pressure, because its sender bounds its messages in flight.
    Bounded,
    /// A poll of a future: runs user code in a turn, but the program did not send it.
    Poll,
    /// The resolution of a promise: exempt from back-pressure; may release a continuation.
    Resolution,
    /// Ends the actor when it is reached.
    StopMark,
    /// Requests a promise of the actor's end: deferred until then.
    Watch,
    /// A message of the runtime: links, and messages between the runtime's own actors.
    Own,
    /// A message of the runtime about work that the actor finds in itself. A restored actor finds
    /// its work anew, so no image has such a message.
    Reminder,
    /// Stands for a message of the bounded queue; a message of the runtime.
    Ticket,
}

impl MessageRole {
    /// Returns true for a message that the program sent, which must not be lost silently (T3).
    pub(crate) fn is_sent(self) -> bool {
        matches!(
            self,
            MessageRole::Turn | MessageRole::Continuation | MessageRole::Bounded
        )
    }

    /// Returns true if an exclusive wait defers it (E1).
    pub(crate) fn waits_for_reply(self) -> bool {
        matches!(
            self,
            MessageRole::Turn | MessageRole::Bounded | MessageRole::StopMark
        )
    }

    /// Returns true if back-pressure counts it.
    #[inline]
    pub(crate) fn is_under_back_pressure(self) -> bool {
        matches!(self, MessageRole::Turn | MessageRole::Continuation)
    }

    /// Returns true if it runs user code.
    pub(crate) fn is_turn(self) -> bool {
        self.is_sent() || self == MessageRole::Poll
    }
}

/// The route of a message into a mailbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Route {
    /// To an actor without a bound: as a node of the inbox.
    Straight,
    /// To an actor with a bound: through the bounded queue, and it counts against the bound.
    Counted,
    /// To any actor: through the bounded queue if the actor has one, and it never counts against
    /// the bound.
    Exempt,
}
