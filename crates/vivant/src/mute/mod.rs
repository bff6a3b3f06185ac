//! Back-pressure by muting: an actor that sends to an overloaded actor is not scheduled until that
//! actor recovers (T5; see `README.md`).
//!
//! - P1 A muted actor mutes no sender: before it stops processing messages, it releases all senders
//!   that it muted.
//! - P2 Every muted actor is in exactly one list, that of the actor that muted it, or has been sent
//!   the release.
//! - P3 An actor's list is emptied when its depth falls to the recovery watermark, when it is muted
//!   itself, and when it ends.
//!
//! From P1 follows that the graph "is muted by" has only paths of length one: no cycle, so no
//! deadlock.

use crate::sync::{AtomicI32, AtomicU8, Mutex, Ordering, fault, lock};
use std::collections::BTreeMap;

/// May mute, and mutes no sender.
const CALM: u8 = 0;
/// Mutes senders (its list in [`Mutes`] is not empty).
const OVERLOADED: u8 = 1;
/// May not mute: it is muted itself, or has ended.
const IMMUNE: u8 = 2;

/// The load of one actor. Part of its cell.
///
/// A message that finds the inbox empty is not counted: if messages arrive one by one, counting
/// would cost two atomic additions for each, and no actor is overloaded. So the depth is the number
/// of messages that came behind another one. Each of these is subtracted once, after it has been
/// begun, deferred or destroyed.
pub(crate) struct Pressure {
    /// Below zero for a moment when a message is subtracted before its sender has counted it.
    depth: AtomicI32,
    /// Changed under the lock of [`Mutes`], except at the end of an actor that is calm; the holder
    /// reads it without the lock.
    state: AtomicU8,
}

impl Pressure {
    pub(crate) fn new() -> Self {
        Pressure {
            depth: AtomicI32::new(0),
            state: AtomicU8::new(CALM),
        }
    }

    /// A message was pushed that found the inbox empty. Returns the number of messages that wait
    /// now. One load.
    pub(crate) fn first(&self) -> usize {
        self.depth() + 1
    }

    /// Counts one more message. Returns the number of messages that wait now, including the one not
    /// counted.
    pub(crate) fn add(&self) -> usize {
        // Relaxed: the sender that may have to be muted reads the depth again under the lock. This
        // is a read-modify-write, so it continues the release sequence of an earlier `mute`.
        let before = self.depth.fetch_add(1, Ordering::Relaxed);
        before.max(0) as usize + 2
    }

    /// `count` counted messages were begun, deferred or destroyed. Returns true if the holder must
    /// call [`Mutes::recovered`] (P3).
    #[must_use]
    pub(crate) fn subtract(&self, count: u32, marks: Watermarks) -> bool {
        fault!(StateEarly => if self.state.load(Ordering::Relaxed) != OVERLOADED {
            self.depth.fetch_sub(count as i32, Ordering::AcqRel);
            return false;
        });
        // This and the read in `Mutes::mute` are read-modify-writes of one word, so one of them is
        // first. If the sender's is first: Acquire, pairs with its Release, and this holder sees
        // OVERLOADED below. If this one is first, the sender sees the lowered depth and is not
        // muted (the first race in the README). Release: pairs with that Acquire.
        let before = self.depth.fetch_sub(count as i32, Ordering::AcqRel);
        let now = before - count as i32;
        // Relaxed: ordered by the line above. Any other value is written by this holder or decided
        // again under the lock.
        now <= marks.recovered as i32 && self.state.load(Ordering::Relaxed) == OVERLOADED
    }

    /// The mailbox is closed: no message waits in it any more.
    pub(crate) fn closed(&self) {
        // Relaxed: only inspection reads it from now on, because an ended actor is immune.
        self.depth.store(0, Ordering::Relaxed);
    }

    /// Under the lock of [`Mutes`]: the actor is about to mute a sender. Returns its previous
    /// state, or `None` if it may not mute.
    fn set_overloaded(&self) -> Option<u8> {
        fault!(MuteByStore => if self.state.load(Ordering::Relaxed) == CALM {
            self.state.store(OVERLOADED, Ordering::Relaxed);
            return Some(CALM);
        });
        // Relaxed, in every change of the state: only its own value counts, and a reader without
        // the lock is ordered by the depth. An exchange, because the holder of an actor that ends
        // calm takes no lock.
        match self
            .state
            .compare_exchange(CALM, OVERLOADED, Ordering::Relaxed, Ordering::Relaxed)
        {
            Ok(before) => Some(before),
            Err(OVERLOADED) => Some(OVERLOADED),
            Err(_) => fault!(None, NeverImmune => {
                self.state.store(OVERLOADED, Ordering::Relaxed);
                Some(IMMUNE)
            }),
        }
    }

    /// Under the lock of [`Mutes`], for a sender or offer that found the actor overloaded: checks
    /// whether it still is. If so, its state is `OVERLOADED` afterwards, and the caller enters its
    /// list.
    fn recheck_overloaded(&self, marks: Watermarks) -> Wait {
        fault!(RereadEarly => {
            let depth = self.depth.fetch_add(0, Ordering::AcqRel);
            if depth > marks.recovered as i32 {
                return self.set_overloaded().map_or(Wait::Continues, |_| Wait::Waits);
            }
        });
        let Some(before) = self.set_overloaded() else {
            return Wait::Continues;
        };
        // AcqRel, and an addition of zero instead of a load: see `Pressure::subtract`.
        let depth = fault!(
            self.depth.fetch_add(0, Ordering::AcqRel),
            NoReread => i32::MAX,
            RereadByLoad => self.depth.load(Ordering::Acquire),
        );
        if depth <= marks.recovered as i32 {
            self.restore(before);
            return Wait::Continues;
        }
        Wait::Waits
    }

    /// Under the lock of [`Mutes`]: sets the state back to `before`, unless the actor has ended
    /// since.
    fn restore(&self, before: u8) {
        let _ended_meanwhile =
            self.state
                .compare_exchange(OVERLOADED, before, Ordering::Relaxed, Ordering::Relaxed);
    }

    pub(crate) fn depth(&self) -> usize {
        self.depth.load(Ordering::Relaxed).max(0) as usize
    }
}

/// The depths at which an actor is overloaded, and recovered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watermarks {
    pub(crate) overloaded: usize,
    pub(crate) recovered: usize,
}

impl Watermarks {
    pub(crate) fn at(overloaded: usize) -> Watermarks {
        Watermarks {
            overloaded: overloaded.max(1),
            recovered: overloaded / 2,
        }
    }
}

/// The result for a sender that found its receiver overloaded.
#[must_use]
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Muting<S> {
    /// It is muted. The caller must release the senders that it had muted itself (P1).
    Muted { release: Vec<S> },
    /// The receiver has recovered, is muted itself or has ended: the sender continues.
    NotMuted,
}

/// Whether a sender or offer that found an actor overloaded waits for its recovery.
#[must_use]
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Wait {
    Waits,
    /// It has recovered, is muted itself or has ended.
    Continues,
}

/// The lists of muted senders of one system. `S` stands for a sender: the value needed to release
/// it.
pub(crate) struct Mutes<S> {
    lists: Mutex<BTreeMap<u64, Vec<S>>>,
}

impl<S> Mutes<S> {
    pub(crate) fn new() -> Self {
        Mutes {
            lists: Mutex::new(BTreeMap::new()),
        }
    }

    /// Mutes `sender` on behalf of `receiver`. The sender's turn has ended. Only the holder of the
    /// sender calls this.
    pub(crate) fn mute(
        &self,
        sender: (u64, &Pressure),
        token: S,
        receiver: (u64, &Pressure),
        marks: Watermarks,
    ) -> Muting<S> {
        let mut lists = lock(&self.lists);
        if receiver.1.recheck_overloaded(marks) == Wait::Continues {
            return Muting::NotMuted;
        }
        lists.entry(receiver.0).or_default().push(token);
        sender.1.state.store(IMMUNE, Ordering::Relaxed);
        Muting::Muted {
            release: fault!(
                lists.remove(&sender.0).unwrap_or_default(),
                KeepList => Vec::new(),
            ),
        }
    }

    /// As `mute`, for an offer: a sender that is no actor waits until `receiver` has recovered.
    pub(crate) fn wait(&self, token: S, receiver: (u64, &Pressure), marks: Watermarks) -> Wait {
        let mut lists = lock(&self.lists);
        let wait = receiver.1.recheck_overloaded(marks);
        match wait {
            Wait::Waits => lists.entry(receiver.0).or_default().push(token),
            Wait::Continues => drop(lists),
        }
        wait
    }

    /// Removes an offer that does not wait any more.
    pub(crate) fn remove_offer(&self, receiver: u64, is_it: impl Fn(&S) -> bool) {
        let gone = lock(&self.lists).get_mut(&receiver).and_then(|list| {
            let at = list.iter().position(is_it)?;
            Some(list.remove(at))
        });
        // Outside the lock.
        drop(gone);
    }

    /// The holder of a muted actor has handled its `UNMUTE` signal.
    pub(crate) fn unmuted(&self, actor: &Pressure) {
        let _lists = lock(&self.lists);
        actor.state.store(CALM, Ordering::Relaxed);
    }

    /// The actor's depth has fallen to the recovery watermark. Returns the senders that the caller
    /// must release.
    #[must_use]
    pub(crate) fn recovered(&self, actor: (u64, &Pressure)) -> Vec<S> {
        let mut lists = lock(&self.lists);
        actor.1.restore(CALM);
        lists.remove(&actor.0).unwrap_or_default()
    }

    /// The actor ends and mutes no sender any more. Returns the senders that the caller must
    /// release.
    #[must_use]
    #[inline]
    pub(crate) fn ended(&self, actor: (u64, &Pressure)) -> Vec<S> {
        fault!(
            EndedCalm => return self.recovered(actor),
            EndWithoutLock => {
                actor.1.state.store(IMMUNE, Ordering::Relaxed);
                return Vec::new();
            },
            EndByStore => if actor.1.state.load(Ordering::Relaxed) == CALM {
                actor.1.state.store(IMMUNE, Ordering::Relaxed);
                return Vec::new();
            },
        );
        // A calm actor has muted no sender, and an immune actor has released all: no need to take
        // the lock.
        match actor
            .1
            .state
            .compare_exchange(CALM, IMMUNE, Ordering::Relaxed, Ordering::Relaxed)
        {
            Ok(_) | Err(IMMUNE) => Vec::new(),
            Err(_) => self.ended_overloaded(actor),
        }
    }

    #[cold]
    fn ended_overloaded(&self, actor: (u64, &Pressure)) -> Vec<S> {
        let mut lists = lock(&self.lists);
        actor.1.state.store(IMMUNE, Ordering::Relaxed);
        lists.remove(&actor.0).unwrap_or_default()
    }

    /// Returns every pair of muting actor and muted sender, for inspection.
    pub(crate) fn pairs<T>(&self, name: impl Fn(&S) -> T) -> Vec<(u64, T)> {
        let lists = lock(&self.lists);
        let pairs = lists.iter().flat_map(|(by, senders)| {
            let pair = |sender| (*by, name(sender));
            senders.iter().map(pair)
        });
        pairs.collect()
    }
}
