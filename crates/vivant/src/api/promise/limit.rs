//! Time limits on promises.

use super::receiver::Receiver;
use super::relay::Relay;
use super::resolver::RELAYS_MAX;
use super::saved::{PromiseName, PromiseUnsaved, ShapedBytes, SinkSaver};
use super::shown::{Awaits, PromiseLink, RaceLink, Raced, Shown};
use super::sink::{Continue, SinkLink};
use super::sink_data::{SinkData, SinkKind};
use super::{Promise, PromiseState, Resolver};
use crate::actor::{AskError, DelayedMessage, Next, Shared, Timer, Worker};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::phase::Phase;
use crate::services::{Action, Alarm, Expires, TimerId, ns};
use crate::sync::{Arc, Mutex, lock, try_lock};
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
                    send(Resolver::of_relay(InTime::new(&system, limit, resolver)));
                })))
            }
            kind => {
                let (promise, resolver) = Promise::open(owner.clone());
                let sink = InTime::new(&system, limit, resolver);
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
pub(super) struct InTime<T: Send + 'static> {
    race: Arc<Mutex<Race<T>>>,
    timer: Timer,
    until_ns: u64,
    limit: Duration,
}

/// Which of both was first.
enum Race<T: Send + 'static> {
    Open(Resolver<T>),
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

impl<T: Send + 'static> Race<T> {
    /// The value decides the race, unless it is decided.
    fn value_arrives(&mut self) -> Option<Resolver<T>> {
        self.decide(|_| Race::Value)
    }

    /// The alarm decides the race, unless it is decided.
    fn expires(&mut self) -> Option<Resolver<T>> {
        self.decide(|resolver| {
            Race::Expired(Box::new(Expired {
                sent_in: None,
                then: resolver.promise_name(RELAYS_MAX),
            }))
        })
    }

    fn decide(&mut self, by: impl FnOnce(&Resolver<T>) -> Race<T>) -> Option<Resolver<T>> {
        let Race::Open(resolver) = self else {
            return None;
        };
        let decided = by(resolver);
        match std::mem::replace(self, decided) {
            Race::Open(resolver) => Some(resolver),
            _ => None,
        }
    }
}

impl<T: Send + 'static> InTime<T> {
    fn new(system: &Arc<Shared>, limit: Duration, resolver: Resolver<T>) -> InTime<T> {
        InTime::begun((limit, limit), resolver, |alarm| {
            system.set_timer(ns(limit), alarm)
        })
    }

    /// As it was in another life of the system: its alarm had this number, and this time is left of
    /// the limit.
    pub(super) fn restored(
        system: &Arc<Shared>,
        timer: u64,
        (left, limit): (Duration, Duration),
        resolver: Resolver<T>,
    ) -> InTime<T> {
        InTime::begun((left, limit), resolver, |alarm| {
            system.restored_timer(TimerId(timer), ns(left), alarm)
        })
    }

    fn begun(
        (left, limit): (Duration, Duration),
        resolver: Resolver<T>,
        timer: impl FnOnce(Alarm<DelayedMessage>) -> Timer,
    ) -> InTime<T> {
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

    /// A resolver that passes a value on if this time has not passed.
    pub(super) fn relayed(
        timer: u64,
        (left, limit): (Duration, Duration),
        then: Resolver<T>,
    ) -> Resolver<T> {
        match PromiseLink::owner(&then).map(|owner| owner.system.clone()) {
            Some(system) => {
                Resolver::of_relay(InTime::restored(&system, timer, (left, limit), then))
            }
            // Nothing waits for the value.
            None => then,
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

impl<T: Send + 'static> Expires for Mutex<Race<T>> {
    fn expire(&self, after: Duration) {
        let resolver = lock(self).expires();
        if let Some(resolver) = resolver {
            let system = PromiseLink::owner(&resolver).map(|owner| owner.system.clone());
            resolver.fail(AskError::TimedOut { after });
            // After the error is sent: in this phase, or one before.
            if let (Some(system), Race::Expired(expired)) = (system, &mut *lock(self)) {
                expired.sent_in = Some(system.passes.now().phase());
            }
        }
    }
}

impl<T: Send + 'static> Continue<T> for InTime<T> {
    fn fill(self, value: Result<T, AskError>) -> Next {
        self.timer.forget();
        let resolver = lock(&self.race).value_arrives();
        match resolver {
            Some(resolver) => resolver.settled_by(value),
            None => {
                // L8: the alarm may have been behind the line.
                Worker::all_may_know_news();
                Next::Nothing
            }
        }
    }
}

impl<T: Send + 'static> InTime<T> {
    /// What gets a value in time.
    fn receiver_in_time(&self, relays_max: usize) -> Receiver {
        match &*lock(&self.race) {
            Race::Open(resolver) => resolver.receiver_through(relays_max),
            _ => Receiver::Nothing,
        }
    }
}

impl<T: Send + 'static> SinkLink for InTime<T> {
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

impl<T: Send + 'static> RaceLink for InTime<T> {
    fn with_next(&self, body: &mut dyn FnMut(&dyn PromiseLink)) -> Raced {
        let Some(race) = try_lock(&self.race) else {
            return Raced::Busy;
        };
        let Race::Open(resolver) = &*race else {
            return Raced::Decided;
        };
        body(resolver);
        Raced::Open
    }

    fn until_ns(&self) -> u64 {
        self.until_ns
    }
}

impl<T: Send + 'static> Relay<T> for InTime<T> {
    fn relay(self: Box<Self>, value: Result<T, AskError>) -> Next {
        self.fill(value)
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
