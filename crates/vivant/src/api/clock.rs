//! Time for futures.

use crate::actor::{Shared, Timer};
use crate::services::{Action, Alarm, ns};
use crate::sync::{Arc, Mutex, lock};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Time for futures: virtual in a simulation. Made by [`Turn::clock`](crate::Turn::clock) and
/// [`System::clock`](crate::System::clock).
#[derive(Clone)]
pub struct Clock {
    system: Arc<Shared>,
}

impl Clock {
    pub(crate) fn new(system: Arc<Shared>) -> Clock {
        Clock { system }
    }

    /// Time since the system began.
    pub fn now(&self) -> Duration {
        Duration::from_nanos(self.system.oracle.now_ns())
    }

    /// Ready after `duration`.
    pub fn sleep(&self, duration: Duration) -> Sleep {
        let until_ns = self.system.oracle.now_ns().saturating_add(ns(duration));
        Sleep {
            system: self.system.clone(),
            until_ns,
            alarm: None,
        }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({:?})", self.now())
    }
}

/// The future of [`Clock::sleep`].
#[must_use = "futures do nothing unless polled"]
pub struct Sleep {
    system: Arc<Shared>,
    until_ns: u64,
    alarm: Option<(Timer, Arc<Mutex<Waker>>)>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.is_over() {
            return Poll::Ready(());
        }
        match &self.alarm {
            Some((_, waker)) => {
                // Cloned and dropped outside the lock: both are user code.
                let now = context.waker().clone();
                let before = std::mem::replace(&mut *lock(waker), now);
                drop(before);
            }
            None => {
                let waker = Arc::new(Mutex::new(context.waker().clone()));
                let action = Action::Wake(waker.clone());
                let in_ns = self.until_ns.saturating_sub(self.system.oracle.now_ns());
                let timer = self.system.set_timer(in_ns, Alarm::Limit(action));
                self.alarm = Some((timer, waker));
            }
        }
        // Tested again: an alarm that fired before the waker was stored has woken the earlier
        // waker.
        if self.is_over() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

impl Sleep {
    /// A system that has shut down has no clock: there every sleep is over.
    fn is_over(&self) -> bool {
        self.system.oracle.now_ns() >= self.until_ns || self.system.timers.are_closed()
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some((timer, _)) = self.alarm.take() {
            timer.forget();
        }
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sleep(until {:?})", Duration::from_nanos(self.until_ns))
    }
}
