//! Dead letters: messages that were not processed. Counted by behaviour and place; actors can
//! subscribe to them (T3).

use super::envelope::{Envelope, Kind};
use super::header::Header;
use super::next::Next;
use super::reference::CellRef;
use super::refusal::Refusal;
use crate::failures::catch;
use crate::failures::{Cause, DeadLetter, DeadLetterCount};
use crate::observe;
use crate::sync::{Arc, Mutex, lock};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;

type Tally = BTreeMap<(&'static str, (&'static str, u32, u32), Cause), u64>;

/// Passes a dead letter to a subscriber; false when the subscriber has ended.
pub(crate) type DeadLetterSubscriber = Arc<dyn Fn(&Header, &DeadLetter) -> bool + Send + Sync>;

/// The subscribers of dead letters. A system that shuts down takes no more.
enum Subscribers {
    Open(Vec<DeadLetterSubscriber>),
    Closed,
}

impl Default for Subscribers {
    fn default() -> Self {
        Subscribers::Open(Vec::new())
    }
}

thread_local! {
    /// Whether this thread is notifying subscribers of a letter.
    static TELLING: Cell<bool> = const { Cell::new(false) };
}

/// The dead letters of one system.
#[derive(Default)]
pub struct DeadLetters {
    tally: Mutex<Tally>,
    subscribers: Mutex<Subscribers>,
}

impl DeadLetters {
    /// The counts, in the order of behaviour and place.
    pub fn counts(&self) -> Vec<DeadLetterCount> {
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

    /// Total number of dead letters.
    pub fn total(&self) -> u64 {
        lock(&self.tally).values().sum()
    }

    /// Passes every dead letter from now on to `subscriber`, until it returns false. Returns it if
    /// the system shuts down.
    pub(crate) fn pass_to(
        &self,
        subscriber: DeadLetterSubscriber,
    ) -> Result<(), DeadLetterSubscriber> {
        match &mut *lock(&self.subscribers) {
            Subscribers::Open(subscribers) => subscribers.push(subscriber),
            Subscribers::Closed => return Err(subscriber),
        }
        Ok(())
    }

    /// Counts a message that could not be delivered. The returned step fails its ask, if there is
    /// one.
    pub(crate) fn bury(&self, to: CellRef, envelope: Envelope, cause: Cause) -> Next {
        let kind = envelope.kind();
        if kind.role.is_sent() {
            self.note(&to, kind, envelope.head().place, cause);
        }
        let refusal = match cause {
            Cause::Ended | Cause::Withdrawn | Cause::Restarted => Refusal::ended(to.clone()),
            Cause::Rejected | Cause::DroppedNewest | Cause::DroppedOldest => {
                to.counts_loss();
                Refusal::full(to.clone())
            }
        };
        // Dropping the message is user code, and a panic there is not the sender's fault.
        catch(|| envelope.refuse(&refusal)).unwrap_or_else(|caught| {
            to.system.reports.panicked(&to.panic(kind.name, caught));
            Next::Nothing
        })
    }

    /// Counts a message that is handled elsewhere.
    pub(crate) fn note(
        &self,
        cell: &Header,
        kind: &'static Kind,
        place: &'static Location<'static>,
        cause: Cause,
    ) {
        let key = (
            kind.name,
            (place.file(), place.line(), place.column()),
            cause,
        );
        *lock(&self.tally).entry(key).or_default() += 1;
        observe::dead_letter(&cell.seen(), kind.name, place, cause);
        // Subscribers are notified outside the lock: that makes actors runnable.
        let subscribers = match &*lock(&self.subscribers) {
            Subscribers::Open(subscribers) if !subscribers.is_empty() => subscribers.clone(),
            _ => return,
        };
        // A letter that arises while subscribers are notified of this one is counted and not passed
        // on: otherwise that could continue for ever.
        let Some(_telling) = Telling::begin() else {
            return;
        };
        let letter = DeadLetter {
            behaviour: kind.name,
            actor: cell.path(),
            place,
            cause,
        };
        for tell in subscribers {
            // Notifying clones the subscriber's continuation, fills its message, and may drop the
            // last reference to it: user code.
            let told = catch(|| {
                if !tell(cell, &letter) {
                    self.forget(&tell);
                }
                drop(tell);
            });
            if let Err(caught) = told {
                let panic = cell.panic("a subscriber to dead letters", caught);
                cell.system.reports.panicked(&panic);
            }
        }
    }

    /// A subscriber has ended.
    fn forget(&self, ended: &DeadLetterSubscriber) {
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
struct Telling;

impl Telling {
    /// `None` if the thread is doing so already, or its thread-locals are being destroyed.
    fn begin() -> Option<Telling> {
        let before = TELLING.try_with(|telling| telling.replace(true)).ok()?;
        (!before).then_some(Telling)
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        let _ = TELLING.try_with(|telling| telling.set(false));
    }
}

impl fmt::Debug for DeadLetters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.counts()).finish()
    }
}
