//! Notices of deaths: a message to whoever wants to hear that an object of this heap is gone (H10).

use super::Collected;
use crate::actor::Actor;
use crate::behaviour::Message;
use crate::call::Call;
use crate::turn::Turn;
use std::collections::BTreeMap;
use vivant_heap::{Collected as Target, Gc, Object, Watch};

/// Sends the notice.
pub(super) type Notice = Box<dyn FnOnce() + Send>;

/// The notices of an actor, by token: in the order in which they were asked for (R5).
#[derive(Default)]
pub(super) struct Notices {
    waiting: BTreeMap<u64, (Watch, Notice)>,
    next: u64,
}

/// What a turn has asked for.
#[derive(Default)]
pub(super) struct Asked {
    first: u64,
    notices: Vec<(Watch, Notice)>,
    /// Taken back.
    ended: Vec<(Watch, u64)>,
}

impl Notices {
    /// A turn begins.
    pub(super) fn begin(&self) -> Asked {
        Asked {
            first: self.next,
            ..Asked::default()
        }
    }

    /// A turn is over, or was cut off by a panic: what it asked for is asked for.
    #[inline]
    pub(super) fn end(&mut self, asked: Asked) {
        if asked.notices.is_empty() && asked.ended.is_empty() {
            return;
        }
        self.next = asked.next();
        self.waiting.extend((asked.first..).zip(asked.notices));
        for (watch, token) in asked.ended {
            self.take(watch, token);
        }
    }

    /// The notice of a death. None if the actor has watched by the heap's own means, with a token
    /// that is one of these perhaps.
    pub(super) fn take(&mut self, watch: Watch, token: u64) -> Option<Notice> {
        if self.waiting.get(&token)?.0 != watch {
            return None;
        }
        self.waiting.remove(&token).map(|(_, notice)| notice)
    }
}

impl Asked {
    fn next(&self) -> u64 {
        self.first + self.notices.len() as u64
    }
}

impl<'gc, A: Actor<Space = Collected>> Turn<'gc, A>
where
    for<'any> A::State<'any>: Object<'any>,
{
    /// Sends `call` when a collection has found `object` dead (H10): some time after nothing refers
    /// to it any more, once, in the order in which the notices were asked for.
    ///
    /// The object stays as dead as it is: what has to be known of it then is among the call's
    /// arguments. It is not kept alive by this; its actor is not either, if the notice is for
    /// itself. When the actor ends, nobody is told of anything.
    ///
    /// Costs an entry in two maps; see [`Mutator::watch`](vivant_heap::Mutator::watch).
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
    ///         self.open = Some(file);                                 // the one before is forgotten
    ///     }
    ///     fn closed(&mut self, number: u64) { self.closed.push(number); }
    ///     fn all_closed(&self) -> Vec<u64> { self.closed.clone() }
    /// }
    ///
    /// # fn main() -> Result<(), AskError> {
    /// let simulation = vivant::simulation::Simulation::new(1);
    /// let desk = Desk::spawn(simulation.system());
    /// (1..=3).for_each(|number| desk.open(number).send());
    /// simulation.run();                                               // it has rested meanwhile
    /// assert_eq!(desk.all_closed().ask_blocking()?, [1, 2]);
    /// # Ok(()) }
    /// ```
    pub fn on_death<T, M>(&self, object: Gc<'gc, T>, call: Call<'_, M>) -> Watch
    where
        T: ?Sized + Target<'gc>,
        M: Message,
    {
        let notice: Notice = match call.to().id == self.owner().id {
            true => call.into_weak(),
            false => {
                let call = call.into_owned();
                Box::new(move || call.send())
            }
        };
        let mut asked = self.part().asked.borrow_mut();
        let watch = vivant_heap::Mutator::watch(self, object, asked.next());
        asked.notices.push((watch, notice));
        watch
    }

    /// Takes [`Turn::on_death`] back. False if the death was found already, and its notice comes or
    /// came, or if it was taken back before.
    pub fn forget_death(&self, watch: Watch) -> bool {
        let token = vivant_heap::Mutator::unwatch(self, watch);
        let ended = token.map(|token| (watch, token));
        self.part().asked.borrow_mut().ended.extend(ended);
        token.is_some()
    }
}
