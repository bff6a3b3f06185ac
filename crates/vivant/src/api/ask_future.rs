//! Ask futures: requests from outside of turns, as a future that any executor can await, and as a
//! blocking call.

use super::promise::{Resolver, Withdrawal};
use crate::actor::{AskError, Observation, Shared, Source, Table, Timer, Worker, observed};
use crate::services::{
    Action, Alarm, Asked, Expires, OutsidePlace, RequestProgress, RequestState, ns,
};
use crate::sync::{Arc, AtomicU64, Mutex, Ordering, lock};
use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::ptr::NonNull;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;
use vivant_brc::{Brc, Weak};

/// The place where a reply meets the future that waits for it.
pub(crate) struct Oneshot<T> {
    state: Mutex<AnswerState<T>>,
    /// Changed only under the lock of the state.
    request: RequestState,
    /// The earliest time limit of the future; see
    /// [`Oracle::limit_ns`](crate::oracle::Oracle::limit_ns). Relaxed: it guards nothing.
    until_ns: AtomicU64,
}

enum AnswerState<T> {
    /// The message waits in a mailbox.
    Waiting(Option<Waker>),
    /// As `Waiting`, and a synchronizer is about to dispatch it.
    Held(Option<Waker>),
    /// Its turn has begun, or its reply was delegated.
    Begun(Option<Waker>),
    Answered(Result<T, AskError>),
    /// The future was cancelled or dropped, or has its reply.
    Closed(Closed),
}

impl<T> AnswerState<T> {
    /// Returns true if the request has no reply yet.
    fn is_open(&self) -> bool {
        matches!(
            self,
            AnswerState::Waiting(_) | AnswerState::Held(_) | AnswerState::Begun(_)
        )
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Closed {
    /// Before the turn began: the message must not be processed.
    Withdrawn,
    /// The message is processed all the same.
    Unwanted,
}

impl<T> Oneshot<T> {
    fn new(state: AnswerState<T>) -> Oneshot<T> {
        Oneshot {
            state: Mutex::new(state),
            request: RequestState::new(),
            until_ns: AtomicU64::new(u64::MAX),
        }
    }

    /// Returns the time until which the future waits, `u64::MAX` without a limit. `None` if it
    /// takes no value any more.
    pub(crate) fn awaited_until_ns(&self) -> Option<u64> {
        let waits = lock(&self.state).is_open();
        waits.then(|| self.until_ns.load(Ordering::Relaxed))
    }

    pub(crate) fn complete(&self, value: Result<T, AskError>) {
        let mut state = lock(&self.state);
        let waker = match &mut *state {
            AnswerState::Waiting(waker) | AnswerState::Held(waker) | AnswerState::Begun(waker) => {
                waker.take()
            }
            // A value after a time limit, or for a future that is gone.
            AnswerState::Answered(_) | AnswerState::Closed(_) => return,
        };
        *state = AnswerState::Answered(value);
        self.request.set_answered();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    pub(crate) fn begin(&self) -> Withdrawal {
        let mut state = lock(&self.state);
        match &mut *state {
            AnswerState::Waiting(waker) | AnswerState::Held(waker) => {
                let waker = waker.take();
                *state = AnswerState::Begun(waker);
                self.request.set(RequestProgress::Begun);
                Withdrawal::No
            }
            AnswerState::Closed(Closed::Withdrawn) => Withdrawal::Yes,
            AnswerState::Begun(_) => {
                self.request.set(RequestProgress::Begun);
                Withdrawal::No
            }
            AnswerState::Answered(_) | AnswerState::Closed(Closed::Unwanted) => Withdrawal::No,
        }
    }

    /// The asker cannot withdraw the message until it is released.
    pub(crate) fn hold(&self) -> Withdrawal {
        let mut state = lock(&self.state);
        match &mut *state {
            AnswerState::Waiting(waker) => {
                let waker = waker.take();
                *state = AnswerState::Held(waker);
                Withdrawal::No
            }
            AnswerState::Closed(Closed::Withdrawn) => Withdrawal::Yes,
            _ => Withdrawal::No,
        }
    }

    /// The asker can withdraw the message again, unless its turn has begun.
    pub(crate) fn release(&self) {
        let mut state = lock(&self.state);
        if let AnswerState::Held(waker) = &mut *state {
            let waker = waker.take();
            *state = AnswerState::Waiting(waker);
        }
    }

    /// The message that has the resolver is deferred.
    pub(crate) fn set_progress(&self, progress: RequestProgress) {
        if lock(&self.state).is_open() {
            self.request.set(progress);
        }
    }

    /// Another actor has to answer.
    pub(crate) fn pass_on(&self, asked: Asked) {
        if lock(&self.state).is_open() {
            self.request.pass_on(asked);
        }
    }

    pub(crate) fn is_withdrawn(&self) -> bool {
        matches!(*lock(&self.state), AnswerState::Closed(Closed::Withdrawn))
    }

    pub(crate) fn is_wanted(&self) -> bool {
        !matches!(*lock(&self.state), AnswerState::Closed(_))
    }
}

/// The reply to a request from outside: a future for any executor.
///
/// Dropping it gives up the reply; the message is processed all the same, unless its behaviour is
/// `#[if_awaited]`. [`AskFuture::cancel`] also takes the message back, if its turn has not begun. A
/// behaviour sees that its reply is not awaited any more by its [`Asker`](crate::Asker).
#[must_use = "a question's answer comes when the future is awaited; use `.send()` when no answer is wanted"]
pub struct AskFuture<T> {
    oneshot: Brc<Oneshot<T>>,
    system: Option<Arc<Shared>>,
    /// Of a request: its place in the table of the system. Removed when the future goes.
    place: Option<OutsidePlace>,
    /// Time limits, cancelled when the future goes; the shortest counts.
    alarms: Vec<Timer>,
}

/// Whether a cancelled message was taken back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cancelled {
    /// Its turn had not begun and will not; the message counts as a dead letter.
    Withdrawn,
    /// Its turn had begun or was over, or a [`Synchronizer`](crate::Synchronizer) was about to
    /// begin it: only the reply is given up.
    TooLate,
}

impl<T: Send + 'static> AskFuture<T> {
    /// Returns the future of a request that is about to be sent.
    pub(crate) fn asking(system: &Arc<Shared>, asked: Asked) -> (AskFuture<T>, Resolver<T>) {
        let (mut future, resolver) = AskFuture::new(system);
        let asker = Worker::of(system, |worker| worker.current.with(|actor| actor.id));
        let since_ms = system.oracle.coarse_ms();
        let state = NonNull::from(&future.oneshot.request);
        // SAFETY: the future keeps the oneshot, and so the state in it, until its drop has removed
        // the place (X7).
        let place = unsafe { system.outside.add(asker.flatten(), asked, since_ms, state) };
        future.place = Some(place);
        (future, resolver)
    }

    pub(crate) fn new(system: &Arc<Shared>) -> (AskFuture<T>, Resolver<T>) {
        // B3: made here, resolved elsewhere; the resolver's reference is counted where it will be
        // dropped.
        let oneshot = Brc::new(Oneshot::new(AnswerState::Waiting(None)));
        let resolver = Resolver::outside(Brc::clone_out(&oneshot));
        (
            AskFuture {
                oneshot,
                system: Some(system.clone()),
                place: None,
                alarms: Vec::new(),
            },
            resolver,
        )
    }

    pub(crate) fn ready(value: Result<T, AskError>) -> AskFuture<T> {
        AskFuture {
            oneshot: Brc::new(Oneshot::new(AnswerState::Answered(value))),
            system: None,
            place: None,
            alarms: Vec::new(),
        }
    }

    /// Gives up waiting after `limit` with [`AskError::TimedOut`]. The message may have been
    /// processed, or may still be.
    pub fn within(mut self, limit: Duration) -> AskFuture<T> {
        if let Some(system) = &self.system {
            let oneshot = Arc::new(Brc::downgrade(&self.oneshot));
            let until_ns = system.oracle.limit_ns(ns(limit));
            self.oneshot.until_ns.fetch_min(until_ns, Ordering::Relaxed);
            let alarm = system.set_timer(ns(limit), Alarm::Limit(Action::Expire(oneshot, limit)));
            self.alarms.push(alarm);
        }
        self
    }

    /// Gives up the reply, and takes the message back if its turn has not begun.
    pub fn cancel(self) -> Cancelled {
        let mut state = lock(&self.oneshot.state);
        let waits = matches!(*state, AnswerState::Waiting(_));
        if !observed(
            Observation::Withdrawal,
            Source::Table(Table::Promises),
            waits,
        ) {
            return Cancelled::TooLate;
        }
        let before = std::mem::replace(&mut *state, AnswerState::Closed(Closed::Withdrawn));
        drop(state);
        drop(before);
        Cancelled::Withdrawn
    }

    /// Waits for the reply on this thread; in a simulation, runs it until the reply is there.
    pub(crate) fn wait(self) -> Result<T, AskError> {
        match self.system.clone() {
            Some(system) => block_on(&system, self).unwrap_or(Err(AskError::Stalled)),
            None => block_on_thread(self),
        }
    }
}

impl<T: Send + 'static> Expires<Arc<Shared>> for Weak<Oneshot<T>> {
    fn expire(&self, _: &Arc<Shared>, after: Duration) {
        if let Some(oneshot) = self.upgrade() {
            oneshot.complete(Err(AskError::TimedOut { after }));
        }
    }
}

impl<T> Future for AskFuture<T> {
    type Output = Result<T, AskError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // Cloned before and dropped after the lock is held: both are user code.
        let waker = context.waker().clone();
        let mut state = lock(&self.oneshot.state);
        let _waits = observed(
            Observation::Reply,
            Source::Table(Table::Promises),
            state.is_open(),
        );
        let before = match &mut *state {
            AnswerState::Waiting(place) | AnswerState::Held(place) | AnswerState::Begun(place) => {
                place.replace(waker)
            }
            AnswerState::Answered(_) => {
                return match std::mem::replace(&mut *state, AnswerState::Closed(Closed::Unwanted)) {
                    AnswerState::Answered(value) => Poll::Ready(value),
                    _ => Poll::Pending,
                };
            }
            // Polled after completion: as for any future, the result is unspecified.
            AnswerState::Closed(_) => return Poll::Ready(Err(AskError::Cancelled)),
        };
        drop(state);
        drop(before);
        Poll::Pending
    }
}

impl<T> Drop for AskFuture<T> {
    fn drop(&mut self) {
        if let (Some(system), Some(place)) = (&self.system, self.place.take()) {
            system.outside.remove(place);
        }
        for alarm in self.alarms.drain(..) {
            alarm.forget();
        }
        let mut state = lock(&self.oneshot.state);
        if !matches!(*state, AnswerState::Closed(_)) {
            let before = std::mem::replace(&mut *state, AnswerState::Closed(Closed::Unwanted));
            drop(state);
            // Outside the lock: the drop of an unread reply may run user code.
            drop(before);
        }
    }
}

impl<T> fmt::Debug for AskFuture<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match *lock(&self.oneshot.state) {
            AnswerState::Waiting(_) | AnswerState::Held(_) => "Asked(waiting)",
            AnswerState::Begun(_) => "Asked(begun)",
            AnswerState::Answered(_) => "Asked(answered)",
            AnswerState::Closed(_) => "Asked(closed)",
        })
    }
}

/// Runs a future on this thread, which sleeps meanwhile.
pub(crate) fn block_on_thread<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            // Meanwhile other threads may merge the counts that they hand over to this thread (B6).
            Poll::Pending => vivant_brc::detached(thread::park),
        }
    }
}

/// Runs a future on this thread; `None` when a simulation has nothing left to run and the
/// future is still pending.
pub(crate) fn block_on<F: Future>(system: &Arc<Shared>, future: F) -> Option<F::Output> {
    if system.stage().is_none() {
        return Some(block_on_thread(future));
    }
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return Some(value);
        }
        if !system.scheduler.step(system, u64::MAX) {
            return None;
        }
    }
}
