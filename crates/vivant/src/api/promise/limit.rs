//! Time limits on promises.

use super::any_resolver::AnyResolver;
use super::receiver::Receiver;
use super::relay::Relay;
use super::resolver::RELAYS_MAX;
use super::saved::{PromiseName, PromiseUnsaved, ShapedBytes, SinkSaver};
use super::shown::{Awaits, PromiseLink, RaceLink, Raced, RequestChange, Shown};
use super::sink::{Continue, SinkLink};
use super::sink_data::{SinkData, SinkKind};
use super::{Promise, PromiseState, Resolver};
use crate::actor::{
    AddressRef, AskError, DelayedMessage, Next, Shared, Timer, Worker, drop_foreign,
};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::phase::Phase;
use crate::services::{Action, Alarm, Expires, TimerId, ns};
use crate::sync::{Arc, Mutex, lock, try_lock};
use std::any::Any;
use std::time::Duration;

impl<T: Send + 'static> Promise<T> {
    /// Stops waiting after `limit`: the promise is then broken with [`AskError::TimedOut`], and a
    /// value that arrives later is dropped. The message itself is not recalled, unless its
    /// behaviour is `#[if_awaited]`; a behaviour sees the limit by
    /// [`Asker::deadline`](crate::Asker::deadline).
    ///
    /// # Panics
    ///
    /// Outside any turn, where no promise belongs.
    #[must_use = "the promise that it returns takes its place: continue it with `.then(…)`, or return it"]
    pub fn within(self, limit: Duration) -> Promise<T> {
        let owner = Worker::with_current(Worker::me_if_any)
            .flatten()
            .expect("a promise lives within the turn that made it");
        let system = owner.system.clone();
        match self.kind {
            PromiseState::Ready(_) => self,
            // The limit goes with the message: the reply still goes straight to the asker.
            PromiseState::Delegated(send) => {
                Promise::new(PromiseState::Delegated(Box::new(move |resolver| {
                    if resolver.is_discarding() {
                        // Nothing waits: the message was sent, not asked.
                        return send(resolver);
                    }
                    let in_time = InTime::new(&system, limit, Box::new(resolver));
                    send(Resolver::of_relay(in_time));
                })))
            }
            kind => {
                let (promise, resolver) = Promise::open(owner.clone());
                let sink = InTime::new(&system, limit, Box::new(resolver));
                Promise::new(kind).sink_into(&owner, sink);
                promise
            }
        }
    }
}

impl<T: Send + 'static> Promise<T> {
    /// Stops waiting at this time on the clock of [`Turn::now`](crate::Turn::now), as
    /// [`within`](Promise::within) does after a duration; never, if it is `None`. So a request that
    /// is made to answer another one gets the time that is left of the first:
    /// `t.ask(…).until(asker.deadline())`.
    ///
    /// # Panics
    ///
    /// As [`within`](Promise::within).
    #[must_use = "the promise that it returns takes its place: continue it with `.then(…)`, or return it"]
    pub fn until(self, deadline: Option<Duration>) -> Promise<T> {
        let Some(deadline) = deadline else {
            return self;
        };
        let now = Worker::with_current(|worker| worker.system.oracle.now_ns());
        let now = Duration::from_nanos(now.unwrap_or(0));
        self.within(deadline.saturating_sub(now))
    }
}

/// The first of value and alarm resolves the promise.
pub(super) struct InTime {
    race: Arc<Mutex<Race>>,
    timer: Timer,
    until_ns: u64,
    limit: Duration,
}

/// Which of both was first.
enum Race {
    Open(Box<dyn AnyResolver>),
    /// The value.
    Value,
    /// The alarm.
    Expired(Box<Expired>),
}

/// What is left of a race that the alarm has decided.
struct Expired {
    /// It sent its error in this phase, or before. `None`: it is sending it.
    sent_in: Option<Phase>,
    /// What a file names the resolver by.
    then: PromiseName,
}

impl Race {
    /// The value decides the race, unless it is decided.
    fn value_arrives(&mut self) -> Option<Box<dyn AnyResolver>> {
        self.decide(|_| Race::Value)
    }

    /// The alarm decides the race, unless it is decided.
    fn expires(&mut self) -> Option<Box<dyn AnyResolver>> {
        self.decide(|resolver| {
            Race::Expired(Box::new(Expired {
                sent_in: None,
                then: resolver.promise_name(RELAYS_MAX),
            }))
        })
    }

    fn decide(
        &mut self,
        by: impl FnOnce(&dyn AnyResolver) -> Race,
    ) -> Option<Box<dyn AnyResolver>> {
        let Race::Open(resolver) = self else {
            return None;
        };
        let decided = by(&**resolver);
        match std::mem::replace(self, decided) {
            Race::Open(resolver) => Some(resolver),
            _ => None,
        }
    }
}

impl InTime {
    fn new(system: &Arc<Shared>, limit: Duration, resolver: Box<dyn AnyResolver>) -> InTime {
        InTime::begun((limit, limit), resolver, |alarm| {
            system.set_timer(ns(limit), alarm)
        })
    }

    /// So much is left of a limit.
    pub(super) fn begins(
        system: &Arc<Shared>,
        (left, limit): (Duration, Duration),
        resolver: Box<dyn AnyResolver>,
    ) -> InTime {
        InTime::begun((left, limit), resolver, |alarm| {
            system.set_timer(ns(left), alarm)
        })
    }

    /// As it was in another life of the system: its alarm had this number, and this time is left of
    /// the limit.
    pub(super) fn restored(
        system: &Arc<Shared>,
        timer: u64,
        (left, limit): (Duration, Duration),
        resolver: Box<dyn AnyResolver>,
    ) -> InTime {
        InTime::begun((left, limit), resolver, |alarm| {
            system.restored_timer(TimerId(timer), ns(left), alarm)
        })
    }

    fn begun(
        (left, limit): (Duration, Duration),
        resolver: Box<dyn AnyResolver>,
        timer: impl FnOnce(Alarm<DelayedMessage>) -> Timer,
    ) -> InTime {
        let race = Arc::new(Mutex::new(Race::Open(resolver)));
        let timer = timer(Alarm::Limit(Action::Expire(race.clone(), limit)));
        let until_ns = timer.system().oracle.limit_ns(ns(left));
        InTime {
            race,
            timer,
            until_ns,
            limit,
        }
    }

    /// What a file names it by.
    fn name_in_time(&self, relays_max: usize) -> PromiseName {
        let system = self.timer.system();
        let now_ns = system.oracle.now_ns();
        let (left_ns, then) = match &*lock(&self.race) {
            Race::Value => return PromiseName::Nothing,
            Race::Open(resolver) => {
                let until_ns = system.oracle.on_this_clock(self.until_ns);
                let then = resolver.promise_name(relays_max);
                (until_ns.saturating_sub(now_ns), then)
            }
            Race::Expired(expired) => {
                let line = system.passes.now().phase();
                if expired.sent_in.is_some_and(|phase| phase != line) {
                    return PromiseName::Nothing;
                }
                #[cfg(test)]
                if is_planted(InjectedFault::ExpiredUnrecorded) {
                    return PromiseName::Nothing;
                }
                // The alarm was behind the line, so it is still to come in the cut. If it was
                // before, the cut has its error too: the first of both takes the promise.
                (0, expired.then.clone())
            }
        };
        PromiseName::InTime {
            timer: self.timer.id().0,
            left: Duration::from_nanos(left_ns),
            limit: self.limit,
            then: Box::new(then),
        }
    }
}

impl Expires<Arc<Shared>> for Mutex<Race> {
    fn expire(&self, system: &Arc<Shared>, after: Duration) {
        let resolver = lock(self).expires();
        if let Some(resolver) = resolver {
            resolver.failed_by(AskError::TimedOut { after }).follow();
            // After the error is sent: in this phase, or one before.
            if let Race::Expired(expired) = &mut *lock(self) {
                expired.sent_in = Some(system.passes.now().phase());
            }
        }
    }
}

impl InTime {
    /// The value is here. Returns the resolver that gets it, if it is in time.
    fn value_arrives(self) -> Option<Box<dyn AnyResolver>> {
        self.timer.forget();
        let resolver = lock(&self.race).value_arrives();
        if resolver.is_none() {
            // L8: the alarm may have been behind the line.
            Worker::all_may_know_news();
        }
        resolver
    }
}

impl<T: Send + 'static> Continue<T> for InTime {
    fn fill(self, outcome: Result<T, AskError>) -> Next {
        match self.value_arrives() {
            Some(resolver) => resolver.settled_by(Box::new(outcome)),
            None => {
                drop_foreign("the drop of an answer", outcome);
                Next::Nothing
            }
        }
    }
}

impl InTime {
    /// What gets a value in time.
    fn receiver_in_time(&self, relays_max: usize) -> Receiver {
        match &*lock(&self.race) {
            Race::Open(resolver) => resolver.receiver(relays_max),
            _ => Receiver::Nothing,
        }
    }
}

impl SinkLink for InTime {
    fn shown(&self) -> Shown<'_> {
        Shown {
            awaits: Awaits::Raced(self),
            ..Shown::default()
        }
    }

    fn data(&self) -> SinkData {
        let until_ns = self.until_ns;
        SinkKind::Limit { until_ns }.to(self.receiver_in_time(RELAYS_MAX))
    }

    fn save(&self, saver: &mut SinkSaver<'_>) -> Result<Option<ShapedBytes>, PromiseUnsaved> {
        match self.name_in_time(RELAYS_MAX) {
            PromiseName::Nothing => Ok(None),
            name => saver.content(&name).map(Some),
        }
    }
}

impl RaceLink for InTime {
    fn with_next(&self, body: &mut dyn FnMut(&dyn PromiseLink)) -> Raced {
        let Some(race) = try_lock(&self.race) else {
            return Raced::Busy;
        };
        let Race::Open(resolver) = &*race else {
            return Raced::Decided;
        };
        body(&**resolver);
        Raced::Open
    }

    fn until_ns(&self) -> u64 {
        self.until_ns
    }
}

impl<T: Send + 'static> Relay<T> for InTime {
    fn relay(self: Box<Self>, value: Result<T, AskError>) -> Next {
        Continue::<T>::fill(*self, value)
    }

    fn awaits(&self) -> Awaits<'_> {
        Awaits::Raced(self)
    }

    /// The alarm has it too.
    fn link(&self) -> Option<&dyn PromiseLink> {
        None
    }

    fn receiver(&self, relays_max: usize) -> Receiver {
        Receiver::InTime(self.until_ns, Box::new(self.receiver_in_time(relays_max)))
    }

    fn promise_name(&self, relays_max: usize) -> PromiseName {
        self.name_in_time(relays_max)
    }

    /// A request that is being settled needs no record any more.
    fn with_next(&self, body: &mut dyn FnMut(&dyn PromiseLink)) {
        RaceLink::with_next(self, body);
    }
}

/// As a relay that a restored resolver has.
impl AnyResolver for InTime {
    fn settled_by(self: Box<Self>, outcome: Box<dyn Any + Send>) -> Next {
        match self.value_arrives() {
            Some(resolver) => resolver.settled_by(outcome),
            None => {
                drop_foreign("the drop of an answer", outcome);
                Next::Nothing
            }
        }
    }

    fn failed_by(self: Box<Self>, error: AskError) -> Next {
        match self.value_arrives() {
            Some(resolver) => resolver.failed_by(error),
            None => Next::Nothing,
        }
    }

    fn has_listener(&self) -> bool {
        match &*lock(&self.race) {
            Race::Open(resolver) => resolver.has_listener(),
            _ => false,
        }
    }

    fn receiver(&self, relays_max: usize) -> Receiver {
        match relays_max.checked_sub(1) {
            Some(fewer) => Relay::<()>::receiver(self, fewer),
            None => Receiver::Further,
        }
    }

    fn promise_name(&self, relays_max: usize) -> PromiseName {
        match relays_max.checked_sub(1) {
            Some(fewer) => self.name_in_time(fewer),
            None => PromiseName::too_far(),
        }
    }
}

/// The alarm has the resolver too, so it is not shown.
impl PromiseLink for InTime {
    fn owner(&self) -> Option<&AddressRef> {
        None
    }

    fn shown_by_sink(&self) -> Option<Shown<'_>> {
        Some(Shown::default())
    }

    /// The resolver that has it has counted it.
    fn request_changes(&self, change: RequestChange, relays_max: usize) {
        RaceLink::with_next(self, &mut |next| next.request_changes(change, relays_max));
    }

    fn awaits(&self) -> Awaits<'_> {
        Awaits::Raced(self)
    }
}
