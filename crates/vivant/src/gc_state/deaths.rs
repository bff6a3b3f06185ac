//! Death watch: messages that report that a collection has found an object of this heap dead (H10).

use super::GcState;
use crate::actor::{DelayedMessage, Observation, Source, Table, observed};
use crate::api::{Actor, Call, Message, Turn};
use std::collections::BTreeMap;
use std::ptr;
use vivant_heap::{Collected, DeathWatch, Gc, Object};

/// The notices of an actor, by token: in the order in which the watches were set (R5).
#[derive(Default)]
pub(super) struct DeathNotices {
    waiting: BTreeMap<u64, (DeathWatch, DelayedMessage)>,
    next: u64,
}

/// The watches that a turn has set.
#[derive(Default)]
pub(super) struct TurnWatches {
    first: u64,
    notices: Vec<(DeathWatch, DelayedMessage)>,
    /// The watches that it has removed.
    ended: Vec<(DeathWatch, u64)>,
}

impl DeathNotices {
    /// The notices of an image: token, watch and message.
    pub(super) fn restored(
        notices: impl Iterator<Item = (u64, DeathWatch, DelayedMessage)>,
    ) -> DeathNotices {
        let waiting = notices.map(|(token, watch, message)| (token, (watch, message)));
        let waiting: BTreeMap<_, _> = waiting.collect();
        let last = waiting.last_key_value();
        let next = last.map_or(0, |(token, _)| token.saturating_add(1));
        DeathNotices { waiting, next }
    }

    /// The message of a watch, if it is of this actor and not of another user of the heap.
    pub(super) fn of(&self, watch: u64, token: u64) -> Option<&DelayedMessage> {
        let (of, message) = self.waiting.get(&token)?;
        (of.number() == watch).then_some(message)
    }

    /// A turn begins.
    pub(super) fn begin(&self) -> TurnWatches {
        TurnWatches {
            first: self.next,
            ..TurnWatches::default()
        }
    }

    /// A turn has ended, or a panic has aborted it: its watches take effect.
    #[inline]
    pub(super) fn end(&mut self, watches: TurnWatches) {
        if watches.notices.is_empty() && watches.ended.is_empty() {
            return;
        }
        self.next = watches.next();
        self.waiting.extend((watches.first..).zip(watches.notices));
        for (watch, token) in watches.ended {
            self.take(watch, token);
        }
    }

    /// The notice for a dead object. None if the actor has set the watch by the heap's own
    /// interface; its token may equal one of these.
    pub(super) fn take(&mut self, watch: DeathWatch, token: u64) -> Option<DelayedMessage> {
        if self.waiting.get(&token)?.0 != watch {
            return None;
        }
        self.waiting.remove(&token).map(|(_, notice)| notice)
    }
}

impl TurnWatches {
    fn next(&self) -> u64 {
        self.first + self.notices.len() as u64
    }
}

impl<'gc, A: Actor<Storage = GcState>> Turn<'gc, A>
where
    for<'any> A::State<'any>: Object<'any>,
{
    /// Sends `call` when a collection has found `object` dead: some time after the last
    /// reference to it has gone, once, in the order in which the watches were set.
    ///
    /// The object is not resurrected: pass the data that the notice needs as arguments of the call.
    /// The watch does not keep the object alive; nor its actor, if the notice is for the actor
    /// itself. When the actor ends, no notice is sent.
    ///
    /// Costs an entry in two maps; see [`Mutator::watch_death`](vivant_heap::Mutator::watch_death).
    ///
    /// ```
    /// use vivant::prelude::*;
    ///
    /// #[derive(Actor)]
    /// struct DeskState<'gc> { open: Option<Gc<'gc, u64>>, closed: Vec<u64> }
    ///
    /// #[behaviours]
    /// impl<'gc> DeskState<'gc> {
    ///     #[start]
    ///     fn new() -> Self { DeskState { open: None, closed: Vec::new() } }
    ///     fn open(&mut self, t: &Turn<'gc, Desk>, number: u64) {
    ///         let file = t.alloc(number);
    ///         t.on_death(file, t.me().closed(number));
    ///         self.open = Some(file);                         // drops the one before
    ///     }
    ///     fn closed(&mut self, number: u64) { self.closed.push(number); }
    ///     fn all_closed(&self) -> Vec<u64> { self.closed.clone() }
    /// }
    ///
    /// # fn main() -> Result<(), AskError> {
    /// let simulation = vivant::simulation::Simulation::new(1);
    /// let desk = Desk::spawn(simulation.system());
    /// (1..=3).for_each(|number| desk.open(number).send());
    /// simulation.run();                                       // it was idle meanwhile
    /// assert_eq!(desk.all_closed().ask_blocking()?, [1, 2]);
    /// # Ok(()) }
    /// ```
    pub fn on_death<T, M>(&self, object: Gc<'gc, T>, call: Call<'_, M>) -> DeathWatch
    where
        T: ?Sized + Collected<'gc>,
        M: Message,
    {
        let notice = match ptr::eq(&raw const **call.to(), &raw const *self.owner()) {
            true => call.into_weak(),
            false => call.into_delayed(),
        };
        let mut watches = self.part().watches.borrow_mut();
        let watch = vivant_heap::Mutator::watch_death(self, object, watches.next());
        watches.notices.push((watch, notice));
        watch
    }

    /// Removes a watch set by [`Turn::on_death`]. False if the death was found already, so that its
    /// notice comes or came, or if the watch was removed before.
    pub fn forget_death(&self, watch: DeathWatch) -> bool {
        let token = vivant_heap::Mutator::unwatch_death(self, watch);
        let ended = token.map(|token| (watch, token));
        self.part().watches.borrow_mut().ended.extend(ended);
        observed(
            Observation::DeathWatch,
            Source::Table(Table::DeathWatches),
            token.is_some(),
        )
    }
}
