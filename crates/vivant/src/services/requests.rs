//! Requests from outside of turns that are open: a table with a shard for each few threads.
//!
//! A future that waits for an answer is in the table until it is dropped. How far its request has
//! come stands beside the answer, in memory that the future keeps alive, and the answering side
//! writes it there: it does not touch the table.

use crate::interned::{Name, Place};
use crate::sync::{AtomicU8, Mutex, Ordering, lock, thread_local};
use std::fmt;
use std::ptr::NonNull;

/// How far the actor that was asked has come with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RequestProgress {
    /// The message is on its way, or waits in a mailbox, or behind a deferred message of the same
    /// behaviour with the same closed guard.
    Queued,
    /// It was taken out of the mailbox, and waits for its guard, its join or an exclusive wait.
    Deferred,
    /// Its turn has begun. When that turn has ended, the answer is to come from a promise or from a
    /// resolver that was kept.
    Begun,
}

impl RequestProgress {
    /// One lower-case word.
    pub fn as_str(self) -> &'static str {
        match self {
            RequestProgress::Queued => "queued",
            RequestProgress::Deferred => "deferred",
            RequestProgress::Begun => "begun",
        }
    }

    /// The inverse of `as u8`; `None` for other numbers.
    pub(crate) fn of(number: u8) -> Option<RequestProgress> {
        match number {
            0 => Some(RequestProgress::Queued),
            1 => Some(RequestProgress::Deferred),
            2 => Some(RequestProgress::Begun),
            _ => None,
        }
    }
}

impl fmt::Display for RequestProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What was asked of which actor.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    /// The number of the system of the actor that has to answer.
    pub(crate) system: u64,
    /// Its id in that system.
    pub(crate) answerer: u64,
    pub(crate) behaviour: &'static Name,
    /// Where in the source the message was made.
    pub(crate) place: Place,
}

/// The state of a request from outside, beside its answer.
pub(crate) struct RequestState {
    progress: AtomicU8,
    /// What the request was replaced by, by the actor that was asked.
    passed_on: Mutex<Option<Box<Asked>>>,
}

/// The request is not open any more.
const ANSWERED: u8 = u8::MAX;

impl RequestState {
    pub(crate) fn new() -> RequestState {
        RequestState {
            progress: AtomicU8::new(RequestProgress::Queued as u8),
            passed_on: Mutex::new(None),
        }
    }

    /// The message is deferred, or has begun. What has begun stays so.
    pub(crate) fn set(&self, progress: RequestProgress) {
        // Relaxed, here and below: a number on its own.
        self.progress.fetch_max(progress as u8, Ordering::Relaxed);
    }

    pub(crate) fn set_answered(&self) {
        self.progress.store(ANSWERED, Ordering::Relaxed);
    }

    /// Another actor has to answer.
    pub(crate) fn pass_on(&self, asked: Asked) {
        *lock(&self.passed_on) = Some(Box::new(asked));
        let queued = RequestProgress::Queued as u8;
        self.progress.store(queued, Ordering::Relaxed);
    }
}

/// An open request from outside.
#[derive(Clone, Copy)]
pub(crate) struct OutsideRequest {
    /// The id of the actor that polls the future, if it was made in its turn.
    pub(crate) asker: Option<u64>,
    pub(crate) asked: Asked,
    /// Coarse time at which it was asked, in milliseconds.
    pub(crate) since_ms: u64,
    pub(crate) progress: RequestProgress,
}

struct Entry {
    asker: Option<u64>,
    asked: Asked,
    since_ms: u64,
    state: NonNull<RequestState>,
}

// SAFETY: the state is `Sync`, and the rest is plain data (X9).
unsafe impl Send for Entry {}

const SHARDS: usize = 32;

/// On cache lines of its own: as a rule one thread uses it.
#[derive(Default)]
#[repr(align(128))]
struct Shard(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    places: Vec<Option<Entry>>,
    free: Vec<u32>,
}

/// The open requests of a system from outside of turns.
#[derive(Default)]
pub(crate) struct OutsideRequests {
    shards: Box<[Shard; SHARDS]>,
}

/// The place of a request in the table.
#[derive(Clone, Copy)]
pub(crate) struct OutsidePlace {
    shard: u32,
    index: u32,
}

thread_local! {
    /// Its address tells threads apart.
    static HERE: u8 = const { 0 };
}

impl OutsideRequests {
    /// Adds a request.
    ///
    /// # Safety
    ///
    /// `state` is there until the place is removed.
    pub(crate) unsafe fn add(
        &self,
        asker: Option<u64>,
        asked: Asked,
        since_ms: u64,
        state: NonNull<RequestState>,
    ) -> OutsidePlace {
        let entry = Some(Entry {
            asker,
            asked,
            since_ms,
            state,
        });
        let here = HERE.with(|here| std::ptr::from_ref(here).addr());
        let shard = (here >> 6).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (usize::BITS - 5);
        let mut entries = lock(&self.shards[shard].0);
        let index = match entries.free.pop() {
            Some(index) => {
                entries.places[index as usize] = entry;
                index
            }
            None => {
                entries.places.push(entry);
                (entries.places.len() - 1) as u32
            }
        };
        OutsidePlace {
            shard: shard as u32,
            index,
        }
    }

    /// Removes a request, once.
    pub(crate) fn remove(&self, place: OutsidePlace) {
        let mut entries = lock(&self.shards[place.shard as usize].0);
        entries.places[place.index as usize] = None;
        entries.free.push(place.index);
        if entries.free.len() == entries.places.len() {
            // The memory of a burst is given back.
            entries.places.clear();
            entries.free.clear();
            if entries.places.capacity() > 1024 {
                *entries = Entries::default();
            }
        }
    }

    /// Calls `each` with every request that is open, one shard after the other. A shard is locked
    /// while its requests are copied.
    pub(crate) fn each(&self, mut each: impl FnMut(OutsideRequest)) {
        let mut copies = Vec::new();
        for shard in self.shards.iter() {
            // SAFETY: the place is not removed, because that takes the lock, so the state is there
            // by the contract of `add` (X1).
            let copy = |entry: &Entry| entry.copied(unsafe { entry.state.as_ref() });
            let entries = lock(&shard.0);
            copies.extend(entries.places.iter().flatten().filter_map(copy));
            drop(entries);
            copies.drain(..).for_each(&mut each);
        }
    }
}

impl Entry {
    /// Returns the request, if it is open.
    fn copied(&self, state: &RequestState) -> Option<OutsideRequest> {
        let progress = RequestProgress::of(state.progress.load(Ordering::Relaxed))?;
        let passed_on = lock(&state.passed_on).as_deref().copied();
        Some(OutsideRequest {
            asker: self.asker,
            asked: passed_on.unwrap_or(self.asked),
            since_ms: self.since_ms,
            progress,
        })
    }
}
