//! Dead letters: messages that were not processed. Counted by behaviour and place; actors can
//! subscribe to them (T3).

use super::catch::catch;
use super::envelope::{Envelope, Kind};
use super::error::{Panic, Refusal};
use super::header::Header;
use super::next::{Next, bury};
use super::post::{To, post};
use super::reference::CellRef;
use crate::api::{Continuation, Message, Resolver, Then};
use crate::observe;
use crate::sync::{Arc, Mutex, lock};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;

/// A message that was not processed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    /// Stable name of the behaviour.
    pub behaviour: &'static str,
    /// Path of its receiver.
    pub actor: String,
    /// Where in the source it was made.
    pub place: &'static Location<'static>,
    /// Why it was not processed.
    pub cause: Cause,
}

/// Why a message was not processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Cause {
    /// Its receiver had ended, or ended before its turn came.
    Ended,
    /// The sender took it back in time.
    Withdrawn,
    /// Its receiver was restarted before its turn came, and does not keep its messages then.
    Restarted,
    /// Its receiver's mailbox was full ([`Mailbox::Reject`](crate::Mailbox::Reject)).
    Rejected,
    /// Like `Rejected`, by [`Mailbox::DropNewest`](crate::Mailbox::DropNewest).
    DroppedNewest,
    /// It had waited longest in a full mailbox
    /// ([`Mailbox::DropOldest`](crate::Mailbox::DropOldest)).
    DroppedOldest,
}

#[cfg(feature = "metrics")]
impl Cause {
    /// In one word, as a label.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Cause::Ended => "ended",
            Cause::Withdrawn => "withdrawn",
            Cause::Restarted => "restarted",
            Cause::Rejected => "rejected",
            Cause::DroppedNewest => "dropped newest",
            Cause::DroppedOldest => "dropped oldest",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::Ended => "its actor had ended",
            Cause::Withdrawn => "it was withdrawn",
            Cause::Restarted => "its actor was started afresh",
            Cause::Rejected => "the mailbox was full",
            Cause::DroppedNewest => "the mailbox was full, and it was the newest",
            Cause::DroppedOldest => "the mailbox was full, and it was the oldest",
        })
    }
}

/// One line of the count: the number of messages of one kind, made at one place, lost for one
/// cause.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeadLetterCount {
    /// Stable name of the behaviour.
    pub behaviour: &'static str,
    /// Where in the source they were made, `file:line:column`.
    pub place: String,
    /// Why they were not processed.
    pub cause: Cause,
    /// Number of messages.
    pub count: u64,
}

type Tally = BTreeMap<(&'static str, (&'static str, u32, u32), Cause), u64>;

/// Passes a dead letter to a subscriber; false when the subscriber has ended.
type Subscriber = Arc<dyn Fn(&Header, &DeadLetter) -> bool + Send + Sync>;

/// The subscribers of dead letters. A system that shuts down takes no more.
enum Subscribers {
    Open(Vec<Subscriber>),
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

    /// Continues with `then` for every dead letter from now on, until its actor ends. Letters to
    /// that actor itself are counted but not passed on.
    pub fn subscribe<K>(&self, then: Then<'_, K>)
    where
        K: Continuation<Hole = DeadLetter>,
        K::Rest: Clone,
    {
        let subscriber = Subscription(Mutex::new(then.into_owned()));
        let subscriber: Subscriber = Arc::new(move |to, letter| subscriber.tell(to, letter));
        match &mut *lock(&self.subscribers) {
            Subscribers::Open(subscribers) => {
                subscribers.push(subscriber);
                return;
            }
            Subscribers::Closed => {}
        }
        // Outside the lock: it holds an address.
        drop(subscriber);
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
            to.system
                .reports
                .panicked(&Panic::new(&to, kind.name, caught));
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
        observe::dead_letter(cell, kind, place, cause);
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
                let panic = Panic::new(cell, "a subscriber to dead letters", caught);
                cell.system.reports.panicked(&panic);
            }
        }
    }

    /// A subscriber has ended.
    fn forget(&self, ended: &Subscriber) {
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

struct Subscription<K: Continuation>(Mutex<Then<'static, K>>);

impl<K> Subscription<K>
where
    K: Continuation<Hole = DeadLetter>,
    K::Rest: Clone,
{
    fn tell(&self, to: &Header, letter: &DeadLetter) -> bool {
        let then = lock(&self.0).again();
        if then.target().ended().is_some() {
            return false;
        }
        if !std::ptr::eq(&raw const **then.target(), to) {
            let delivery = then.fill(letter.clone(), Resolver::<<K as Message>::Reply>::nobody());
            // Not `deliver`: a subscriber that ends just now must not make another dead letter of
            // this one.
            return match post(To::Owned(delivery.to), delivery.envelope) {
                Ok(()) => true,
                Err(ended) if ended.cause == Cause::Ended => false,
                // A loss like any other; it is counted, and not passed on.
                Err(full) => {
                    bury(full).follow();
                    true
                }
            };
        }
        true
    }
}
