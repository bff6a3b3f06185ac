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
    /// As [`Restart`](OnPanic::Restart), but the new incarnation begins with the state that the
    /// actor had in the last snapshot of its system, heap and all. So it does when the supervisor
    /// restarts it because a sibling has failed; not when it has stopped itself.
    ///
    /// For a type with `#[actor(saved)]`. The last snapshot is the newest of those that the system
    /// has taken, or was restored from, which has a state of the actor. If there is none, or it
    /// cannot be loaded, the actor begins by its start function, and
    /// [`Report::StateNotRestored`](crate::Report::StateNotRestored) says why.
    ///
    /// The state goes back in time, and nothing else does:
    ///
    /// - The mailbox is that of now ([`Messages`] says what becomes of it). What waited in the
    ///   snapshot is not delivered again.
    /// - What the actor had asked for at the snapshot, and had no answer to, fails:
    ///   its continuations get an [`AskError`](crate::AskError), as they do if a resolver is
    ///   dropped. Resolvers in the state lead nowhere: those askers have their answers, or have
    ///   been told.
    /// - A behaviour that was between two steps goes on with them, unless the actor has failed in
    ///   that behaviour: then an older snapshot is taken.
    /// - Timers are those of now. Links and subscriptions have ended, and are not made again.
    /// - An address of an actor that has ended since refuses messages.
    ///
    /// The snapshot is read by a thread of its own. A state that takes longer to load than
    /// [`starts_within`](crate::Child::starts_within) is a failed start.
    ///
    /// ```
    /// use vivant::prelude::*;
    /// use vivant::{Child, OnPanic, Restart, Supervisor};
    /// use vivant::journal::{DirectoryStore, Journal, Settings};
    ///
    /// #[derive(Actor)] #[actor(saved)] struct Account { balance: i64 }
    /// #[behaviours] impl Account {
    ///     #[start] fn open() -> Self { Account { balance: 0 } }
    ///     fn pay(&mut self, amount: i64) -> i64 {
    ///         self.balance += amount;
    ///         assert!(self.balance >= 0, "the account is overdrawn");
    ///         self.balance
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # std::panic::set_hook(Box::new(|_| ()));
    /// # let folder = tempfile::tempdir()?;
    /// let journal = Journal::open(DirectoryStore::new(folder.path()), Settings::default())?;
    /// let system = System::builder().saved::<(Account,)>().build();
    /// let bank = Supervisor::one_for_one().spawn(&system);
    /// let account = bank.add(Account::child().on_panic(OnPanic::RestoreLast));
    /// account.pay(30).ask_blocking()?;
    /// system.snapshot(&journal)?;
    ///
    /// assert!(account.pay(-50).ask_blocking().is_err());
    /// assert_eq!(account.pay(1).ask_blocking()?, 31);
    /// # Ok(()) }
    /// ```
    RestoreLast,
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
