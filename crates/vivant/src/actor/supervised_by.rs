//! The terms on which a supervised actor is started again.

/// When the actor is restarted, the effect of a panic, and what happens to waiting messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Terms {
    pub(crate) restart: Restart,
    pub(crate) on_panic: OnPanic,
    pub(crate) messages: Messages,
}

/// When a supervised actor is restarted.
///
/// With every choice an actor that is stopped from outside
/// ([`Address::stop`](crate::Address::stop),
/// [`Address::stop_after_queue`](crate::Address::stop_after_queue)) has ended for good.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Restart {
    /// When it has failed, and when it has stopped itself ([`Turn::stop`](crate::Turn::stop)).
    /// *Permanent* in Erlang/OTP.
    #[default]
    Always,
    /// When it has failed: it panicked, it called [`Turn::fail`](crate::Turn::fail), or an actor
    /// that it was linked with failed. *Transient*.
    OnFailure,
    /// Never. *Temporary*.
    Never,
}

/// The effect of a panic of a supervised actor. A failure that the actor declares by
/// [`Turn::fail`](crate::Turn::fail) has the same effect, but for [`Resume`](OnPanic::Resume): its
/// state is not kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum OnPanic {
    /// A new state, if [`Restart`] says so.
    #[default]
    Restart,
    /// It continues with the state that the panicking turn left. The failure counts against the
    /// budget.
    Resume,
    /// It ends.
    Stop,
    /// Its supervisor cannot repair it, and gives up at once.
    Escalate,
}

/// What happens to the waiting messages at a restart. The message of the turn that panicked has
/// been taken and is not processed again; its asker gets an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Messages {
    /// The new incarnation processes them, and all messages that arrive until it is up. The same
    /// holds for answers to requests of the old incarnation, and for its timers.
    #[default]
    Kept,
    /// They are dead letters, and their askers get
    /// [`AskError::Restarted`](crate::AskError::Restarted). Later messages are processed.
    Returned,
}
