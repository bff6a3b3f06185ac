//! The actor cell: one allocation that holds an actor's header, its state, and the bounded queue of
//! a bounded mailbox. The holder is the worker that runs the actor now.
//!
//! | field | accessed by, and when |
//! |---|---|
//! | `class`, `system`, `id`, `number` | any thread; never changes |
//! | `lineage` | any thread; the holder during a turn makes the actor's own path |
//! | `refs`, `addresses` | any thread, through [`CellRef`] and [`AddressRef`] |
//! | `inbox`, `signals`, `pressure`, a bounded queue | any thread, through their own protocols |
//! | `facts` | written by the holder, read by any thread (inspection, watchdog) |
//! | `random` | the holder during a turn (an atomic only to stay in safe code) |
//! | `place` | the registry, under its lock |
//! | `owner`, `slots`, the state | the holder alone, through its [`RunGuard`] |
//!
//! - C1 At most one [`Runnable`] or [`RunGuard`] exists for a cell. Waking a parked inbox creates
//!   it; parking or closing the inbox destroys it.
//! - C2 The state is `None` before the start message has run, while a supervised actor is down, and
//!   after the actor has ended.
//! - C3 All `AddressRef`s of a cell together own one reference; the drop of the last one notifies
//!   before it drops that reference.
//! - C4 Only the holder can raise the number of addresses from zero. So when a holder reads zero,
//!   the number stays zero.
//! - C5 An actor that has not ended owns one reference to its cell, its **life**, kept in the
//!   registry. Its holder takes it out at the end and drops it last. So a `Runnable` needs no count
//!   of its own.
//! - C6 Two kinds of address are **cached**: addresses of the actor that its own run
//!   drops, and an address that a waking sender gives to the actor. A cached address is still
//!   counted, and the same run reuses it at no cost. The holder subtracts the cached addresses from
//!   the count before it reads whether any address is left, and before it parks. A worker also
//!   keeps up to four addresses that its turns have dropped, of actors that were active at the
//!   drop. Such an address becomes cached if its actor is the next to run there. Otherwise it is
//!   subtracted at the end of the round, before the worker sleeps, or by the clock during a long
//!   turn.
//! - C7 All pointers to a cell are copies of a pointer that was made from the whole cell. `class`
//!   is the table of the cell's type. Until it is freed a cell is only ever shared.

use super::actor_path::ActorPath;
use super::class::Class;
use super::envelope::{Head, KindTable};
use super::lineage::Lineage;
use super::published::Published;
use super::reference_word;
use super::run_state::{ColdFields, Lifecycle, RunState};
use super::shared::Shared;
use crate::failures::Caught;
use crate::failures::StopReason;
use crate::failures::{Inside, Panic};
use crate::interned::Name;
use crate::message::Inbox;
use crate::mute::Pressure;
use crate::observe::ObservedActor;
use crate::phase::{Pass, Phase};
use crate::sync::{Arc, AtomicU32, AtomicU64, Ordering};

use super::once::SetOnce;
use super::options::Pool;
use super::signals::SignalWord;
use super::slot_list::SlotList;
use std::cell::UnsafeCell;
use std::iter;
use std::mem::offset_of;

/// The head of every cell, with the same layout for all actor types: first what a sender accesses,
/// then what is seldom accessed, then what the holder writes in each turn.
#[repr(C)]
pub(crate) struct Header {
    pub(crate) inbox: Inbox<Head>,
    pub(crate) system: Arc<Shared>,
    pub(crate) class: &'static Class,
    pub(crate) addresses: AtomicU32,
    pub(crate) signals: SignalWord,
    pub(crate) pressure: Pressure,
    /// Creation number within the system: identity, order and hash of addresses.
    pub(crate) id: u64,
    pub(crate) refs: AtomicU32,
    pub(crate) number: u32,
    lineage: Lineage,
    /// Index of the cell in the registry.
    pub(crate) place: AtomicU32,
    /// Send time of the oldest deferred message. Published by the holder, like the facts.
    pub(crate) deferred_sent: AtomicU32,
    /// Set by the holder before the mailbox is closed.
    pub(crate) ended: SetOnce<Ended>,
    pub(crate) random: AtomicU64,
    pub(crate) owner: UnsafeCell<RunState>,
    /// The promises of the actor that are open.
    pub(crate) slots: SlotList,
    pub(crate) facts: Published<KindTable>,
}

/// Fields that senders access and fields that the holder writes in each turn share no cache line,
/// wherever an allocator puts the cell: its blocks begin at multiples of 16 bytes. Else each turn
/// takes the line from the senders: a message from another worker then takes 1.4 times as long
/// (`vivant-bench count`).
#[cfg(target_pointer_width = "64")]
const _: () = {
    let line = 64;
    let of_senders = offset_of!(Header, pressure) + size_of::<Pressure>();
    let of_holder = offset_of!(Header, owner) + offset_of!(RunState, backlog);
    assert!(of_senders.next_multiple_of(16) + line - 16 <= of_holder);
    assert!(of_holder < offset_of!(Header, facts));
};

/// A path deeper than twice this number is printed without its middle.
const PATH_ENDS_MAX: usize = 32;

impl Header {
    /// The header of a new cell, with one address.
    pub(crate) fn new(
        birth: Birth,
        class: &'static Class,
        pool: Pool,
        life: Lifecycle,
        pressure: Pressure,
    ) -> Header {
        Header {
            inbox: Inbox::new(),
            system: birth.system,
            class,
            addresses: AtomicU32::new(reference_word::first(class.is_traced)),
            signals: SignalWord::new(),
            pressure,
            id: birth.id,
            owner: UnsafeCell::new(RunState::new(birth.cold, life, pool, birth.pass.mark())),
            slots: SlotList::new(),
            facts: Published::default(),
            refs: AtomicU32::new(1),
            number: birth.number,
            lineage: Lineage::new(birth.parent),
            random: AtomicU64::new(birth.seed),
            place: AtomicU32::new(0),
            deferred_sent: AtomicU32::new(0),
            ended: SetOnce::new(),
        }
    }

    /// What a panic in `behaviour` of this actor is to others.
    pub(crate) fn panic(&self, behaviour: impl Into<Name>, caught: Caught) -> Panic {
        let behaviour = behaviour.into();
        let actor = self.path();
        Panic::of(Inside { actor, behaviour }, caught)
    }

    /// Returns the reason of the actor's end, or `None` if it has not ended.
    pub(crate) fn ended(&self) -> Option<&StopReason> {
        self.ended.get().map(|ended| &ended.reason)
    }

    /// Returns the phase of the actor's end.
    pub(crate) fn ended_in(&self) -> Option<Phase> {
        self.ended.get().map(|ended| ended.phase)
    }

    /// Returns how long the oldest deferred message has waited, in milliseconds.
    pub(crate) fn deferred_for(&self, now_ms: u64) -> u32 {
        super::published::since(&self.deferred_sent, now_ms)
    }

    /// Returns the index of the cell in the registry.
    pub(crate) fn place(&self) -> u32 {
        // Relaxed: written at birth, before any other thread knew the actor.
        self.place.load(Ordering::Relaxed)
    }

    /// Returns the number of messages that wait and could be processed.
    pub(crate) fn depth(&self) -> usize {
        // The message that woke the actor is not counted, and it is not in the inbox either: it
        // waits until the actor runs.
        let woken_by = self.inbox.is_active() && self.facts.current().is_none();
        self.pressure.depth() + usize::from(!self.inbox.is_empty() || woken_by)
    }

    /// Returns this actor as a parent, and the number of its next child. Only during a turn of this
    /// actor.
    pub(crate) fn next_child(&self) -> (Arc<ActorPath>, u32) {
        let actor_path = self.lineage.own_path(self.number);
        let number = actor_path.next_child();
        (actor_path, number)
    }

    /// Returns the numbers of the actor and of all actors above it, the oldest first.
    pub(crate) fn numbers(&self) -> Vec<u32> {
        let above = || {
            let parent = self.lineage.parent();
            iter::successors(parent, |path| path.parent.as_deref())
        };
        let mut numbers = Vec::with_capacity(above().count() + 1);
        numbers.push(self.number);
        numbers.extend(above().map(|path| path.number));
        numbers.reverse();
        numbers
    }

    /// Returns the number of children that the actor has had. Only for its holder.
    pub(crate) fn children(&self) -> u32 {
        self.lineage.children()
    }

    /// Gives a new actor what it had in another life: the number of its children, and its random
    /// stream. Returns its path, if it has had children.
    pub(crate) fn restore(&self, children: u32, random: u64) -> Option<Arc<ActorPath>> {
        // Relaxed: no other thread has the actor yet.
        self.random.store(random, Ordering::Relaxed);
        (children > 0).then(|| {
            let own = self.lineage.own_path(self.number);
            own.set_children(children);
            own
        })
    }

    /// Returns the next number of this actor's own random stream. Only during a turn of this actor.
    pub(crate) fn next_random(&self) -> u64 {
        // Relaxed: only the holder changes it; T1 orders one holder after the other.
        let state = self.random.load(Ordering::Relaxed);
        let (state, number) = crate::oracle::split_mix(state);
        self.random.store(state, Ordering::Relaxed);
        number
    }

    /// Returns the actor as subscribers and recorders see it.
    pub(crate) fn seen(&self) -> ObservedActor<impl Fn() -> String> {
        ObservedActor {
            type_name: self.class.name,
            path: || self.path(),
        }
    }

    /// Returns address and type in one printable, stable name: `bank::Account/3/1`.
    pub(crate) fn path(&self) -> String {
        let numbers = self.numbers();
        let mut path = String::from(self.class.name);
        for (generation, number) in numbers.iter().enumerate() {
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

/// The end of an actor.
pub(crate) struct Ended {
    pub(crate) reason: StopReason,
    /// The phase in which it ended (L3).
    pub(crate) phase: Phase,
}

/// The parts of a new cell.
pub(crate) struct Birth {
    /// L7.
    pub(crate) pass: Pass,
    pub(crate) system: Arc<Shared>,
    pub(crate) id: u64,
    pub(crate) parent: Option<Arc<ActorPath>>,
    pub(crate) number: u32,
    pub(crate) seed: u64,
    pub(crate) cold: Option<Box<ColdFields>>,
}
