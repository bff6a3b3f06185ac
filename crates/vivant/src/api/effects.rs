//! The effects of a turn: all that a behaviour may do besides changing its own state.

use super::actor::Actor;
use super::address::Address;
use super::behaviour::{Continuation, Message};
use super::call::{Call, Then};
use super::clock::Clock;
use super::inline_state::InlineActor;
use super::interval::interval;
use super::link::Target;
use super::promise::{self, Pipeline, Promise, Resolver};
use super::requests::{link, watch};
use super::spawner::Spawner;
use super::turn::Turn;
use crate::actor::{AskError, Header, LinkMessage, LinkedPeer, Timer};
use crate::failures::{Failed, StopReason};
use crate::oracle::below;
use crate::services::{Action, Alarm, ns, period_ns};
use crate::sync::Arc;
use std::fmt;
use std::ptr;
use std::time::{Duration, SystemTime};

impl<A: Actor> Turn<'_, A> {
    /// The address of this turn's actor.
    pub fn me(&self) -> Address<A> {
        Address::to_actor(self.owner())
    }

    /// Sends a message without a reply. If its receiver has ended, or the receiver's mailbox is
    /// full ([`Mailbox`](crate::Mailbox)), it becomes a dead letter.
    ///
    /// Messages of this actor to one receiver arrive in the order of sending, and delivery is
    /// causal. Never waits: if the receiver is overloaded, this actor is muted and takes no
    /// further messages until the receiver has recovered.
    #[inline]
    pub fn send<M: Message>(&self, call: Call<'_, M>) {
        call.send();
    }

    /// Sends a message and returns a promise of its reply. The message is sent now, whatever
    /// becomes of the promise.
    #[must_use = "continue it with `.then(…)`, return it, or use `t.send(…)` when no answer is wanted"]
    pub fn ask<M: Message>(&self, call: Call<'_, M>) -> Promise<M::Reply> {
        let (promise, resolver) = Promise::asked(self.owner(), call.asked());
        call.post(resolver);
        promise
    }

    /// Leaves the reply of this behaviour to another actor: return the promise, and `call`'s reply
    /// goes straight to the asking actor or future, not by way of this actor, which may end
    /// meanwhile. The message is sent when the behaviour returns.
    ///
    /// That holds too for `t.delegate(call).within(limit)`, where the limit begins when the message
    /// is sent, and for `Ok(t.delegate(call))` in a behaviour that returns
    /// `Result<Promise<T>, E>`. A delegated promise that is continued here, by `then` or as one of
    /// several, is an ordinary request.
    #[must_use = "return it: nothing is sent before"]
    pub fn delegate<M: Message>(&self, call: Call<'_, M>) -> Promise<M::Reply> {
        Promise::delegated(call)
    }

    /// A promise and the right to resolve it: return the promise, keep the resolver in the state
    /// for a later turn.
    pub fn promise<T: Send + 'static>(&self) -> (Promise<T>, Resolver<T>) {
        Promise::open(self.owner())
    }

    /// The values of all promises, in their order; or the first error that comes. Of no promises:
    /// an empty vector, at once.
    ///
    /// ```
    /// # use vivant::prelude::*;
    /// #[derive(Actor)] struct Part { weight: u64 }
    /// #[behaviours] impl Part { fn weight(&self) -> u64 { self.weight } }
    ///
    /// #[derive(Actor)] struct Load { parts: Vec<Address<Part>> }
    /// #[behaviours] impl Load {
    ///     fn weights(&mut self, t: &Turn<Self>) -> Promise<Vec<u64>> {
    ///         t.all(self.parts.iter().map(|part| t.ask(part.weight())))
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), AskError> {
    /// let system = System::new();
    /// let parts = [3, 5].map(|weight| system.spawn(Part { weight }));
    /// let load = system.spawn(Load { parts: parts.into() });
    /// assert_eq!(load.weights().ask_blocking()?, [3, 5]);
    /// let empty = system.spawn(Load { parts: Vec::new() });
    /// assert_eq!(empty.weights().ask_blocking()?, []);             // nothing to wait for
    /// # Ok(()) }
    /// ```
    #[must_use = "continue it with `.then(…)`, or return it"]
    pub fn all<T: Send + 'static>(
        &self,
        promises: impl IntoIterator<Item = Promise<T>>,
    ) -> Promise<Vec<T>> {
        promise::all(self.owner(), promises.into_iter().collect())
    }

    /// The first value that comes; if none comes, the last error. Of no promises no value can come:
    /// [`AskError::Broken`](crate::AskError::Broken), at once.
    ///
    /// ```
    /// # use vivant::prelude::*;
    /// #[derive(Actor)] struct Mirror { page: Option<String> }
    /// #[behaviours] impl Mirror {
    ///     fn page(&mut self) -> String { self.page.clone().expect("a page") }
    /// }
    ///
    /// #[derive(Actor)] struct Reader { mirrors: Vec<Address<Mirror>> }
    /// #[behaviours] impl Reader {
    ///     fn read(&mut self, t: &Turn<Self>) -> Promise<String> {
    ///         t.any(self.mirrors.iter().map(|mirror| t.ask(mirror.page())))
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), AskError> {
    /// let system = System::new();
    /// let mirrors = [None, Some("home".to_owned())].map(|page| system.spawn(Mirror { page }));
    /// let reader = system.spawn(Reader { mirrors: mirrors.into() });
    /// assert_eq!(reader.read().ask_blocking()?, "home");
    /// let alone = system.spawn(Reader { mirrors: Vec::new() });
    /// assert!(matches!(alone.read().ask_blocking(), Err(AskError::Broken { .. })));
    /// # Ok(()) }
    /// ```
    #[must_use = "continue it with `.then(…)`, or return it"]
    pub fn any<T: Send + 'static>(
        &self,
        promises: impl IntoIterator<Item = Promise<T>>,
    ) -> Promise<T> {
        promise::any(self.owner(), promises.into_iter().collect())
    }

    /// The first `wanted` values that come, in the order of the promises. If so many cannot come
    /// any more, the error after which they cannot. Of fewer promises than that:
    /// [`AskError::Broken`](crate::AskError::Broken), at once.
    ///
    /// ```
    /// # use vivant::prelude::*;
    /// #[derive(Actor)] struct Replica { value: Option<u64> }
    /// #[behaviours] impl Replica {
    ///     fn read(&mut self) -> u64 { self.value.expect("a value") }
    /// }
    ///
    /// #[derive(Actor)] struct Store { replicas: Vec<Address<Replica>> }
    /// #[behaviours] impl Store {
    ///     fn read(&mut self, t: &Turn<Self>) -> Promise<Vec<u64>> {
    ///         t.quorum(2, self.replicas.iter().map(|replica| t.ask(replica.read())))
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), AskError> {
    /// let system = System::new();
    /// let replicas = [Some(7), None, Some(7)].map(|value| system.spawn(Replica { value }));
    /// let store = system.spawn(Store { replicas: replicas.into() });
    /// assert_eq!(store.read().ask_blocking()?, [7, 7]);
    /// # Ok(()) }
    /// ```
    #[must_use = "continue it with `.then(…)`, or return it"]
    pub fn quorum<T: Send + 'static>(
        &self,
        wanted: usize,
        promises: impl IntoIterator<Item = Promise<T>>,
    ) -> Promise<Vec<T>> {
        promise::quorum(self.owner(), wanted, promises.into_iter().collect())
    }

    /// What became of every promise, in their order, once all are resolved or broken: the errors
    /// have their places among the values. Of no promises: nothing, at once.
    #[must_use = "continue it with `.then(…)`, or return it"]
    pub fn all_settled<T: Send + 'static>(
        &self,
        promises: impl IntoIterator<Item = Promise<T>>,
    ) -> Promise<Vec<Result<T, AskError>>> {
        promise::all_settled(self.owner(), promises.into_iter().collect())
    }

    /// A barrier: asks every member, and promises all their replies once the last has come, in the
    /// order of the members. A member that cannot reply has its error there, and does not hold the
    /// others up. Costs what the requests cost, and [`Turn::all_settled`].
    ///
    /// For a group: `t.barrier(&group.members(), …)`. A member that never replies holds the barrier
    /// up for ever: set a time limit with [`Promise::within`].
    ///
    /// ```
    /// use vivant::prelude::*;
    ///
    /// #[derive(Actor)] struct Cell { value: u64 }
    /// #[behaviours] impl Cell {
    ///     fn step(&mut self, by: u64) -> u64 { self.value += by; self.value }
    /// }
    ///
    /// #[derive(Actor)] struct Grid { cells: Vec<Address<Cell>> }
    /// #[behaviours] impl Grid {
    ///     fn advance(&self, t: &Turn<Self>) -> Promise<u64> {
    ///         t.barrier(&self.cells, |cell| cell.step(2)).then(t.me().advanced())
    ///     }
    ///     #[then]
    ///     fn advanced(&self, cells: Result<Vec<Result<u64, AskError>>, AskError>) -> u64 {
    ///         cells.into_iter().flatten().flatten().sum()      // all cells have made their step
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), AskError> {
    /// let system = System::new();
    /// let cells = [1, 2, 3].map(|value| system.spawn(Cell { value }));
    /// let grid = system.spawn(Grid { cells: cells.into() });
    /// assert_eq!(grid.advance().ask_blocking()?, 12);
    /// # Ok(()) }
    /// ```
    #[must_use = "continue it with `.then(…)`, or return it"]
    pub fn barrier<'m, T, M>(
        &self,
        members: impl IntoIterator<Item = &'m Address<T>>,
        mut call: impl FnMut(&'m Address<T>) -> Call<'m, M>,
    ) -> Promise<Vec<Result<M::Reply, AskError>>>
    where
        T: ?Sized + Target,
        M: Message,
    {
        let asked = members.into_iter().map(|member| self.ask(call(member)));
        self.all_settled(asked.collect::<Vec<_>>())
    }

    /// An actor that `promise` will bring, to which messages may be sent already: they travel when
    /// the address is here.
    pub fn pipeline<B>(&self, promise: Promise<Address<B>>) -> Pipeline<B>
    where
        B: ?Sized + Target<Handle: Send>,
    {
        Pipeline::of(self, promise)
    }

    /// Makes an actor of `state`, as a child of this actor; its number counts among this actor's
    /// children.
    pub fn spawn_actor<B: InlineActor>(&self, state: B) -> Address<B> {
        self.spawn_state(state)
    }

    /// Sends `call` once, after `delay`. The timer keeps the receiver alive.
    pub fn after<M: Message>(&self, delay: Duration, call: Call<'_, M>) -> Timer {
        let action = Action::Send(call.into_delayed());
        self.worker()
            .system
            .set_timer(ns(delay), Alarm::Once(action))
    }

    /// Sends `call` periodically, first after `period`, until the timer is cancelled or the
    /// receiver has ended. Ticks do not drift; ticks missed while the system was held up are not
    /// made up for. A tick that finds the mailbox full is lost like any message, and the interval
    /// continues. The timer keeps the receiver alive.
    ///
    /// # Panics
    ///
    /// If `period` is zero.
    #[track_caller]
    pub fn every<M: Message>(&self, period: Duration, call: Call<'_, M>) -> Timer
    where
        M::Args: Clone + Send,
    {
        let period_ns = period_ns(period);
        let alarm = interval(period_ns, call);
        self.worker().system.set_timer(period_ns, alarm)
    }

    /// Time since the system began; in a simulation, virtual.
    pub fn now(&self) -> Duration {
        Duration::from_nanos(self.worker().system.oracle.now_ns())
    }

    /// Calendar time; a simulation begins at 2000-01-01 00:00 UTC.
    pub fn wall(&self) -> SystemTime {
        self.worker().system.oracle.wall()
    }

    /// Time for futures given to [`Turn::spawn`].
    pub fn clock(&self) -> Clock {
        Clock::new(self.worker().system.clone())
    }

    /// A uniform random number from this actor's own stream; under one seed always the same.
    pub fn random(&self) -> u64 {
        self.worker().with_me(Header::next_random)
    }

    /// A random number below `bound`.
    ///
    /// # Panics
    ///
    /// If `bound` is zero.
    pub fn random_below(&self, bound: u64) -> u64 {
        assert!(bound > 0, "there is no number below zero");
        below(self.random(), bound)
    }

    /// Ends this actor after this message.
    pub fn stop(&self) {
        self.worker().request_end(StopReason::Finished);
    }

    /// Fails this incarnation after this message, because of `why`: as a panic does, but the turn
    /// goes on to its end, nothing is unwound, and the behaviour's reply is delivered. Supervisors
    /// and linked actors see a failure, with [`StopReason::Failed`]; a supervisor's
    /// [`OnPanic`](crate::OnPanic) applies, and a new incarnation never keeps the state. The
    /// system's [`Report`](crate::Report) has the text. For an actor that finds that it cannot go
    /// on, where nothing is wrong with its code. Later calls in the same turn are reported, but
    /// like [`stop`](Turn::stop) they have no effect on the reason. In a stop hook the call is
    /// reported, and changes nothing: the actor is ending.
    ///
    /// ```
    /// use vivant::prelude::*;
    /// use vivant::Supervisor;
    ///
    /// #[derive(Actor)] struct Line { sent: u64 }
    /// #[behaviours] impl Line {
    ///     #[start] fn open() -> Self { Line { sent: 0 } }
    ///     fn send(&mut self, t: &Turn<Self>, text: String) -> Result<u64, String> {
    ///         if text.is_empty() {
    ///             t.fail("the peer has hung up");
    ///             return Err("the line is lost".to_owned());
    ///         }
    ///         self.sent += 1;
    ///         Ok(self.sent)
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), AskError> {
    /// let system = System::new();
    /// let tree = Supervisor::one_for_one().spawn(&system);
    /// let line = tree.add(Line::child());
    /// assert_eq!(line.send("hello".into()).ask_blocking()?, Ok(1));
    /// assert_eq!(line.send(String::new()).ask_blocking()?, Err("the line is lost".to_owned()));
    /// assert_eq!(line.send("hello".into()).ask_blocking()?, Ok(1));        // a new state
    /// # Ok(()) }
    /// ```
    pub fn fail(&self, why: impl fmt::Display) {
        let worker = self.worker();
        let failed = Arc::new(Failed {
            behaviour: worker.behaviour(),
            message: why.to_string(),
        });
        worker.system.reports.failed(worker.path(), &failed);
        worker.request_end(StopReason::Failed(failed));
    }

    /// Monitors an actor: a promise of the reason of its end; if it has ended already, the promise
    /// is resolved at once. A supervised actor that is restarted has not ended. It does not keep
    /// the actor alive. For objects see [`Turn::on_death`].
    #[must_use = "continue it with `.then(…)`, or return it"]
    pub fn watch<T: ?Sized + Target>(&self, address: &Address<T>) -> Promise<StopReason> {
        let (promise, resolver) = Promise::open(self.owner());
        watch(&Address::counted(address), resolver);
        promise
    }

    /// Links this actor and another: when one of them fails, by a panic, a link or as a supervisor
    /// that gives up, the other fails too, with [`StopReason::Linked`]. An end for any other reason
    /// has no effect. The supervisor of a failed actor decides what happens to it; a new
    /// incarnation has no links. It does not keep the actor alive.
    pub fn link<T: ?Sized + Target>(&self, address: &Address<T>) {
        let (me, other) = (self.owner(), Address::counted(address));
        if !ptr::eq(&raw const *me, &raw const *other) {
            let number = self.worker().system.next_link();
            let end = |peer| LinkMessage::Link(LinkedPeer { peer, number });
            self.worker().request_link(end(other.cell()));
            link(&other, end(me.cell()));
        }
    }

    /// Removes the link set by [`Turn::link`].
    pub fn unlink<T: ?Sized + Target>(&self, address: &Address<T>) {
        let (me, other) = (self.owner(), Address::counted(address));
        self.worker()
            .request_link(LinkMessage::Unlink(other.cell()));
        link(&other, LinkMessage::Unlink(me.cell()));
    }

    /// Continues with `then` for every dead letter from now on; see
    /// [`System::dead_letters`](crate::System::dead_letters).
    pub fn on_dead_letters<K>(&self, then: Then<'_, K>)
    where
        K: Continuation<Hole = crate::failures::DeadLetter>,
        K::Rest: Clone + Sync,
    {
        self.worker().system.dead_letters.subscribe(then);
    }
}
