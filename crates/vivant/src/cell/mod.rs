//! The actor cell: one allocation that holds an actor's header and its state.
//!
//! | field | who may touch it, and when |
//! |---|---|
//! | `class`, `system`, `id`, `parent`, `number` | anybody; never changes |
//! | `refs`, `addresses` | anybody, through [`CellRef`] and [`AddressRef`] |
//! | `run`, `inbox`, `pressure` | anybody, through their own protocols |
//! | `facts` | written by the holder, read by anybody (inspection, watchdog) |
//! | `children`, `random`, `lineage` | the holder during a turn (atomics only to stay in safe code) |
//! | `owner`, the state | the holder alone: whoever has a [`Held`] |
//!
//! C1 At most one [`Held`] exists for a cell: it is made from [`RunWord::hold`] and ended by `park` or `requeue`.
//! C2 The state is `None` before the start message has run and after the actor has ended.
//! C3 All `AddressRef`s of a cell together own one reference; the last one signals `UNREFERENCED` before giving it up.
//! C4 Only the holder can raise the count of addresses from zero; so a holder that reads zero knows that it stays zero.

mod class;
mod end;
mod facts;
mod held;
mod lineage;
mod panic;
mod reference;
mod run;
mod state;
#[cfg(test)]
mod state_tests;

pub(crate) use class::{Class, StateRef, start_envelope};
pub(crate) use facts::Facts;
pub(crate) use lineage::Lineage;
pub(crate) use panic::{Caught, Injected, catch, note_places, take_last};
pub(crate) use reference::{AddressRef, Birth, CellRef};
pub(crate) use run::{Budget, Ran, run};
pub(crate) use state::{Signals, Told};

use crate::mailbox::{Chain, Envelope, Head, Inbox};
use crate::mute::Pressure;
use crate::stop::StopReason;
use crate::sync::{Arc, AtomicU32, AtomicU64, AtomicUsize, OnceLock};
use crate::system::Shared;
use state::RunWord;
use std::cell::UnsafeCell;
use std::collections::VecDeque;

/// What every cell starts with, whatever its actor's type.
#[repr(C)]
pub(crate) struct Header {
    pub(crate) class: &'static Class,
    pub(crate) system: Arc<Shared>,
    /// Creation number within the system: identity, order and hash of addresses.
    pub(crate) id: u64,
    parent: Option<Arc<Lineage>>,
    number: u32,
    refs: AtomicUsize,
    addresses: AtomicUsize,
    run: RunWord,
    pub(crate) inbox: Inbox<Head>,
    pub(crate) pressure: Pressure,
    pub(crate) facts: Facts,
    children: AtomicU32,
    random: AtomicU64,
    lineage: OnceLock<Arc<Lineage>>,
    /// Set by the holder before the mailbox is closed.
    ended: OnceLock<Box<StopReason>>,
    owner: UnsafeCell<Owner>,
}

/// What only the holder touches.
struct Owner {
    life: Life,
    /// Taken out of the inbox, not yet begun.
    backlog: Chain<Head>,
    /// Looked at and deferred by their guards, oldest first.
    waiting: VecDeque<Envelope>,
    /// Whether a turn has run since the guards of `waiting` were last looked at.
    guards: Guards,
    mute: Mute,
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Life {
    Running,
    Ended,
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Guards {
    Looked,
    Stale,
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Mute {
    Free,
    /// Sent to an overloaded actor: takes no messages until told.
    Muted,
}

/// A cell for an actor of type `A`.
#[repr(C)]
struct ActorCell<A> {
    header: Header,
    state: UnsafeCell<Option<A>>,
}

/// Of a lineage deeper than twice this only the two ends are printed.
const PATH_ENDS_MAX: usize = 32;

impl Header {
    /// Why the actor has ended, if it has.
    pub(crate) fn ended(&self) -> Option<&StopReason> {
        self.ended.get().map(|reason| &**reason)
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
