//! Dead letters: messages that were not processed. Counted by behaviour and place; actors can
//! subscribe to them (T3).

use crate::failures::{Caught, Cause, DeadLetter, DeadLetterCount, catch};
use crate::interned::{Name, Place};
use crate::sync::{Arc, AtomicU64, Mutex, Ordering, lock};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;

type Tally = BTreeMap<(Name, (&'static str, u32, u32), Cause), u64>;

/// The receiver of a dead letter: the numbers of its system and of the actor.
pub(crate) type Receiver = (u64, u64);

/// A subscriber of dead letters, whatever its continuation.
pub(crate) trait DeadLetterSubscriber: Send + Sync {
    /// Passes a dead letter to it; false when it has ended.
    fn notify(&self, receiver: Receiver, letter: &DeadLetter) -> bool;
}

/// The subscribers of dead letters. A system that shuts down takes no more.
enum Subscribers {
    Open(Vec<Arc<dyn DeadLetterSubscriber>>),
    Closed,
}

impl Default for Subscribers {
    fn default() -> Self {
        Subscribers::Open(Vec::new())
    }
}

thread_local! {
    /// Whether this thread is notifying subscribers of a letter.
    static NOTIFYING: Cell<bool> = const { Cell::new(false) };
}

/// The dead letters of one system.
#[derive(Default)]
pub struct DeadLetters {
    tally: Mutex<Tally>,
    /// Number of those of them that are continuations of their actors' own requests.
    continuations: AtomicU64,
    subscribers: Mutex<Subscribers>,
}

impl DeadLetters {
    /// The counts.
    pub(crate) fn lines(&self) -> Vec<DeadLetterCount> {
        let line = |(&(behaviour, (file, line, column), cause), &count): (
            &(_, (&str, u32, u32), _),
            &u64,
        )| {
            DeadLetterCount {
                behaviour,
                place: format!("{file}:{line}:{column}"),
                cause,
                count,
            }
        };
        lock(&self.tally).iter().map(line).collect()
    }

    /// Their sum.
    pub(crate) fn sum_of_letters(&self) -> u64 {
        lock(&self.tally).values().sum()
    }

    /// Number of dead letters that the program has sent: all but the continuations of their actors'
    /// own requests, which have an end of their own.
    pub(crate) fn sent(&self) -> u64 {
        // Relaxed: a number, which publishes nothing. A continuation that is being counted may be
        // in one of both numbers only.
        let continuations = self.continuations.load(Ordering::Relaxed);
        self.sum_of_letters().saturating_sub(continuations)
    }

    /// The letter that was counted last is a continuation of a request of its own actor.
    pub(crate) fn count_continuation(&self) {
        // Relaxed: as in `sent`.
        self.continuations.fetch_add(1, Ordering::Relaxed);
    }

    /// Passes every dead letter from now on to `subscriber`, until it returns false. Returns it if
    /// the system shuts down.
    pub(crate) fn pass_to(
        &self,
        subscriber: Arc<dyn DeadLetterSubscriber>,
    ) -> Result<(), Arc<dyn DeadLetterSubscriber>> {
        match &mut *lock(&self.subscribers) {
            Subscribers::Open(subscribers) => subscribers.push(subscriber),
            Subscribers::Closed => return Err(subscriber),
        }
        Ok(())
    }

    /// Counts a message that was not processed.
    pub(crate) fn count(&self, behaviour: Name, place: Place, cause: Cause) {
        let key = (behaviour, place.parts(), cause);
        *lock(&self.tally).entry(key).or_default() += 1;
    }

    /// Passes a letter to the subscribers, outside the lock: that makes actors runnable. A panic of
    /// a subscriber is passed to `panicked`.
    ///
    /// A letter that arises while subscribers are notified of another one is not passed on:
    /// otherwise that could continue for ever.
    pub(crate) fn pass_on(
        &self,
        receiver: Receiver,
        letter: impl FnOnce() -> DeadLetter,
        panicked: impl Fn(Caught),
    ) {
        let subscribers = match &*lock(&self.subscribers) {
            Subscribers::Open(subscribers) if !subscribers.is_empty() => subscribers.clone(),
            _ => return,
        };
        let Some(_notifying) = Notifying::begin() else {
            return;
        };
        let letter = letter();
        for subscriber in subscribers {
            // Notifying clones the subscriber's continuation, fills its message, and may drop the
            // last reference to it: user code.
            let notified = catch(|| {
                if !subscriber.notify(receiver, &letter) {
                    self.forget(&subscriber);
                }
                drop(subscriber);
            });
            if let Err(caught) = notified {
                panicked(caught);
            }
        }
    }

    /// A subscriber has ended.
    fn forget(&self, ended: &Arc<dyn DeadLetterSubscriber>) {
        if let Subscribers::Open(subscribers) = &mut *lock(&self.subscribers) {
            subscribers.retain(|other| !Arc::ptr_eq(other, ended));
        }
    }

    pub(crate) fn close_subscriptions(&self) {
        let before = std::mem::replace(&mut *lock(&self.subscribers), Subscribers::Closed);
        let Subscribers::Open(subscribers) = before else {
            return;
        };
        for subscriber in subscribers {
            // User code may panic when the continuation is dropped.
            let _dropped = catch(move || drop(subscriber));
        }
    }
}

/// Guard: this thread is notifying subscribers, until it is dropped.
struct Notifying;

impl Notifying {
    /// `None` if the thread is doing so already, or its thread-locals are being destroyed.
    fn begin() -> Option<Notifying> {
        let before = NOTIFYING
            .try_with(|notifying| notifying.replace(true))
            .ok()?;
        match before {
            false => Some(Notifying),
            true => None,
        }
    }
}

impl Drop for Notifying {
    fn drop(&mut self) {
        let _ = NOTIFYING.try_with(|notifying| notifying.set(false));
    }
}

impl fmt::Debug for DeadLetters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.counts()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Weak;

    fn pass_on(letters: &DeadLetters) {
        let letter = || DeadLetter {
            behaviour: Name::new("Quiet::ping"),
            actor: String::new(),
            place: Place::caller(),
            cause: Cause::Ended,
        };
        letters.pass_on((0, 0), letter, |_| panic!("no subscriber panics"));
    }

    /// A subscriber that loses messages when it is notified.
    struct Loser {
        letters: Weak<DeadLetters>,
        notified: Arc<AtomicU64>,
    }

    impl DeadLetterSubscriber for Loser {
        fn notify(&self, _: Receiver, _: &DeadLetter) -> bool {
            // Without the rule each of these would begin further notifications.
            if self.notified.fetch_add(1, Ordering::Relaxed) < 10 {
                let letters = self.letters.upgrade().expect("the test has it");
                (0..3).for_each(|_| pass_on(&letters));
            }
            true
        }
    }

    #[test]
    fn no_letter_that_arises_during_a_notification_is_passed_on() {
        let letters = Arc::new(DeadLetters::default());
        let notified = Arc::new(AtomicU64::new(0));
        let subscriber = Loser {
            letters: Arc::downgrade(&letters),
            notified: notified.clone(),
        };
        assert!(letters.pass_to(Arc::new(subscriber)).is_ok());
        (1..3).for_each(|passed| {
            pass_on(&letters);
            assert_eq!(notified.load(Ordering::Relaxed), passed);
        });
    }
}
