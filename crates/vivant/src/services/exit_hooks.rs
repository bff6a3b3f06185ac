//! Exit hooks: actions at an actor's end. Its names become free, it leaves its groups, its named
//! timers are cancelled.
//!
//! A table with actors in it registers a hook for each, so that no table is searched at an end and
//! none grows with ended actors. A system without hooks pays one load for each end.
//!
//! The race that we fear is an actor that ends while a hook is being registered. The lock of the
//! actor's place in the registry decides it. The registration first writes the hook down and
//! then looks whether the actor is still in the registry. The end first takes the actor out and
//! then looks for hooks. One of them comes second, and sees what the other did.

use crate::failures::{Caught, catch};
use crate::sync::{AtomicU64, AtomicUsize, Mutex, Ordering, lock};
use std::collections::BTreeMap;

/// Number of locks: actors that end at the same time seldom share one.
const SHARDS: usize = 16;

/// The hooks of a system. `A` is the action at the end of an actor.
pub(crate) struct ExitHooks<A> {
    count: AtomicUsize,
    next_number: AtomicU64,
    /// By actor, then in the order of registration (R5).
    shards: [Mutex<BTreeMap<ExitHookId, A>>; SHARDS],
}

/// Identity of a hook: enough to remove it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ExitHookId {
    actor: u64,
    number: u64,
}

impl<A> Default for ExitHooks<A> {
    fn default() -> Self {
        ExitHooks {
            count: AtomicUsize::new(0),
            next_number: AtomicU64::new(0),
            shards: std::array::from_fn(|_| Mutex::default()),
        }
    }
}

impl<A> ExitHooks<A> {
    fn shard(&self, actor: u64) -> &Mutex<BTreeMap<ExitHookId, A>> {
        &self.shards[actor as usize % SHARDS]
    }

    /// Registers a hook. The caller then checks that the actor is still in the registry, and else
    /// removes the hook.
    pub(crate) fn insert(&self, actor: u64, action: A) -> ExitHookId {
        let id = ExitHookId {
            actor,
            // Relaxed: an identity, and an order among hooks that are registered one after the
            // other.
            number: self.next_number.fetch_add(1, Ordering::Relaxed),
        };
        // Relaxed: the lock of the registry orders it, as it orders the hook itself.
        self.count.fetch_add(1, Ordering::Relaxed);
        lock(self.shard(actor)).insert(id, action);
        id
    }

    /// Removes a hook, if it has not run.
    pub(crate) fn remove(&self, id: ExitHookId) {
        // Dropped outside the lock: the drop may run user code.
        drop(self.take(id));
    }

    fn take(&self, id: ExitHookId) -> Option<A> {
        let taken = lock(self.shard(id.actor)).remove(&id)?;
        self.count.fetch_sub(1, Ordering::Relaxed);
        Some(taken)
    }

    /// `actor` has left the registry: `act` runs its hooks. A panic of one is passed to `panicked`.
    pub(crate) fn run(&self, actor: u64, act: impl Fn(A), panicked: impl Fn(Caught)) {
        // Relaxed: the lock of the registry orders it, as the head of this file says.
        if self.count.load(Ordering::Relaxed) == 0 {
            return;
        }
        let of_actor = |number| ExitHookId { actor, number };
        loop {
            let first = {
                let shard = lock(self.shard(actor));
                let mut all = shard.range(of_actor(0)..=of_actor(u64::MAX));
                all.next().map(|(id, _)| *id)
            };
            let Some(first) = first else { return };
            let Some(action) = self.take(first) else {
                continue;
            };
            if let Err(caught) = catch(|| act(action)) {
                panicked(caught);
            }
        }
    }
}
