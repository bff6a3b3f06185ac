//! The actor cell: one allocation that holds an actor's header and its state.
//!
//! | field | who may touch it, and when |
//! |---|---|
//! | `class`, `system`, `id`, `parent`, `number` | anybody; never changes |
//! | `refs`, `addresses` | anybody, through [`CellRef`] and [`AddressRef`] |
//! | `inbox`, `signals`, `pressure`, a ring | anybody, through their own protocols |
//! | `facts` | written by the holder, read by anybody (inspection, watchdog) |
//! | `random`, `lineage` | the holder during a turn (atomics only to stay in safe code) |
//! | `place` | the registry, under its lock |
//! | `owner`, the state | the holder alone: whoever has a [`Held`] |
//!
//! C1 At most one [`Runnable`] or [`Held`] exists for a cell: it comes of waking a parked inbox,
//! and ends by parking or closing it. C2 The state is `None` before the start message has run,
//! while a supervised actor is down, and after the actor has ended. C3 All `AddressRef`s of a cell
//! together own one reference; the last one nudges before giving it up. C4 Only the holder can
//! raise the count of addresses from zero; so a holder that reads zero knows that it stays zero. C5
//! An actor that has not ended owns one reference to its cell, its **life**, kept in the registry.
//! Its holder takes it out at the end and gives it up last. So a `Runnable` needs no count of its
//! own. C6 Addresses of an actor that are dropped in its own run, or given to it by whoever wakes
//! it, are **spare**: still counted, and taken again in the same run for nothing. They are counted
//! back before the holder asks whether any are left, and before it parks. A worker keeps up to four
//! that its turns have dropped, of actors that were active then: they become spare if such an actor
//! runs there next, and are counted back at the end of the round, before the worker sleeps, and by
//! the clock when a turn lasts.

mod bond;
mod bounded;
mod child;
mod class;
mod counts;
mod end;
mod facts;
mod guards;
mod held;
mod idle;
mod lineage;
mod once;
mod panic;
mod present;
mod rare;
mod reference;
mod run;
mod runnable;
mod signals;
mod steps;
#[cfg(all(test, feature = "macros"))]
mod steps_model;
mod tally;
mod waiting;
#[cfg(all(test, feature = "macros"))]
mod waiting_tests;

pub(crate) use bond::Bond;
pub(crate) use child::{Begin, Child, Terms};
pub(crate) use class::{Class, StateRef, start_envelope};
pub(crate) use facts::Facts;
pub(crate) use idle::{Idle, Occupied, Pin};
pub(crate) use lineage::Lineage;
pub(crate) use panic::{Caught, Injected, catch, note_places, take_last};
pub(crate) use present::Present;
pub(crate) use rare::Rare;
pub(crate) use reference::{AddressRef, Birth, CellRef, Dropped, Kept};
pub(crate) use run::{Budget, Ran, rescue, run, run_to_panic};
pub(crate) use runnable::Runnable;
pub(crate) use signals::Signals;
pub(crate) use tally::Verdict;

use crate::actor::{Actor, Pool};
use crate::mailbox::{Chain, Head, Inbox, Ring};
use crate::mute::Pressure;
use crate::space::{FactsOf, Kept as KeptOf};
use crate::stop::StopReason;
use crate::sync::{Arc, AtomicU32, AtomicU64, Ordering};
use crate::system::Shared;
use guards::Guards;
use once::SetOnce;
use signals::SignalWord;
use std::cell::UnsafeCell;

/// What every cell starts with, whatever its actor's type. In the order in which a message touches
/// it: what a send needs first, then what a turn needs, then the rest.
#[repr(C)]
pub(crate) struct Header {
    pub(crate) inbox: Inbox<Head>,
    pub(crate) system: Arc<Shared>,
    pub(crate) class: &'static Class,
    addresses: AtomicU32,
    signals: SignalWord,
    pub(crate) pressure: Pressure,
    /// Creation number within the system: identity, order and hash of addresses.
    pub(crate) id: u64,
    owner: UnsafeCell<Owner>,
    pub(crate) facts: Facts,
    refs: AtomicU32,
    number: u32,
    parent: Option<Arc<Lineage>>,
    random: AtomicU64,
    /// Where in the registry it is.
    pub(crate) place: AtomicU32,
    /// When the oldest message that waits for its guard had been sent; as the facts, published by
    /// the holder.
    deferred_sent: AtomicU32,
    lineage: SetOnce<Arc<Lineage>>,
    /// Set by the holder before the mailbox is closed.
    ended: SetOnce<StopReason>,
}

/// What only the holder touches.
struct Owner {
    /// Taken out of the inbox, not yet begun.
    backlog: Chain<Head>,
    /// A word for the many actors that have nothing of the kind.
    rare: Option<Box<Rare>>,
    /// Messages begun or deferred that the pressure still counts.
    uncounted: u32,
    /// Counted addresses that were given to the actor itself (C6).
    spare: u32,
    life: Life,
    mute: Mute,
    /// Whether those in `waiting` have to be looked at.
    guards: Guards,
    /// Whether the next message of the backlog found the inbox empty.
    batch: Batch,
    steps: Steps,
    lane: Lane,
}

/// Which threads run the actor (T6).
#[derive(PartialEq, Eq, Clone, Copy, Debug)]
pub(crate) enum Lane {
    Workers,
    /// Declared to block.
    Blocking,
    /// As `Workers`, but its last run had a turn over the limit: the next one is measured.
    Suspect,
    /// It computed for longer than the limit in its last run.
    Slow,
}

impl Lane {
    #[inline]
    pub(crate) fn is_for_workers(self) -> bool {
        matches!(self, Lane::Workers | Lane::Suspect)
    }

    fn of(pool: Pool) -> Lane {
        match pool {
            Pool::Workers => Lane::Workers,
            Pool::Blocking => Lane::Blocking,
        }
    }
}

impl Owner {
    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    fn child(&self) -> Option<&Child> {
        self.rare.as_ref()?.child.as_ref()
    }

    /// Whether messages wait for their guards.
    fn has_deferred(&self) -> bool {
        let rare = self.rare.as_ref();
        rare.is_some_and(|rare| rare.waiting.count() > 0)
    }

    /// Messages of which the first found the inbox empty, and so was not counted, come behind the
    /// backlog.
    fn expect_batch(&mut self, pressure: &Pressure) {
        if self.backlog.is_empty() {
            self.batch = Batch::Fresh;
        } else {
            // Here it waits behind others.
            pressure.add();
        }
    }
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Life {
    Running,
    /// Supervised, and without a state until it is started: takes no messages.
    Down,
    Ended,
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Mute {
    Free,
    /// Sent to an overloaded actor: takes no messages until told.
    Muted,
}

/// Whether a behaviour waits for its next step.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Steps {
    None,
    Pending,
}

/// See `mute::Pressure`: the first message of a batch was not counted when it was sent.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Batch {
    Fresh,
    Begun,
}

/// A cell for an actor of type `A`.
#[repr(C)]
struct ActorCell<A: Actor> {
    header: Header,
    facts: FactsOf<A>,
    state: UnsafeCell<Option<KeptOf<A>>>,
}

/// An actor with a word of state fills a block of the pool's third class to the byte.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Header>() + size_of::<Option<u64>>() <= 3 * 64 - 8);

/// A cell for an actor whose mailbox has a bound; all others are spared the ring.
#[repr(C)]
struct BoundedCell<A: Actor> {
    cell: ActorCell<A>,
    ring: Ring,
}

/// Of a lineage deeper than twice this only the two ends are printed.
const PATH_ENDS_MAX: usize = 32;

impl Header {
    /// Why the actor has ended, if it has.
    pub(crate) fn ended(&self) -> Option<&StopReason> {
        self.ended.get()
    }

    /// How long the oldest of those that wait for their guards has waited, in milliseconds.
    pub(crate) fn deferred_for(&self, now_ms: u64) -> u32 {
        facts::since(&self.deferred_sent, now_ms)
    }

    /// Where in the registry it is.
    pub(crate) fn place(&self) -> u32 {
        // Relaxed: written at birth, before anybody else knew the actor.
        self.place.load(Ordering::Relaxed)
    }

    /// Messages that wait and could be processed.
    pub(crate) fn depth(&self) -> usize {
        // The one that woke the actor is not counted, and not in the inbox either: it waits until
        // the actor runs.
        let woken_by = self.inbox.is_active() && self.facts.current().is_none();
        self.pressure.depth() + usize::from(!self.inbox.is_empty() || woken_by)
    }

    /// Address and type in one printable, stable name: `bank::Account/3/1`.
    pub(crate) fn path(&self) -> String {
        let mut numbers = vec![self.number];
        let mut above = self.parent.as_ref();
        while let Some(lineage) = above {
            numbers.push(lineage.number);
            above = lineage.parent.as_ref();
        }
        let mut path = String::from(self.class.name);
        for (generation, number) in numbers.iter().rev().enumerate() {
            let (above, below) = (generation, numbers.len() - generation);
            if above < PATH_ENDS_MAX || below <= PATH_ENDS_MAX {
                path.push('/');
                path.push_str(&number.to_string());
            } else if above == PATH_ENDS_MAX {
                path.push_str("/…");
            }
        }
        path
    }
}
