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

use super::header::Header;
use super::shared::Shared;
use crate::failures::catch;
use crate::sync::{AtomicU64, AtomicUsize, Mutex, Ordering, lock};
use std::collections::BTreeMap;

/// Number of locks: actors that end at the same time seldom share one.
const SHARDS: usize = 16;

/// The action at the end of an actor.
type Follow = Box<dyn FnOnce(&Shared) + Send>;

#[derive(Default)]
pub(crate) struct ExitHooks {
    count: AtomicUsize,
    next_number: AtomicU64,
    /// By actor, then in the order of registration (R5).
    shards: [Mutex<BTreeMap<ExitHookId, Follow>>; SHARDS],
}

/// Identity of a hook: enough to remove it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ExitHookId {
    actor: u64,
    number: u64,
}

impl ExitHooks {
    fn shard(&self, actor: u64) -> &Mutex<BTreeMap<ExitHookId, Follow>> {
        &self.shards[actor as usize % SHARDS]
    }

    fn take(&self, id: ExitHookId) -> Option<Follow> {
        let taken = lock(self.shard(id.actor)).remove(&id)?;
        self.count.fetch_sub(1, Ordering::Relaxed);
        Some(taken)
    }
}

impl Shared {
    /// Registers `follow`, to be called when `actor` has ended, after its mailbox is closed.
    /// `None`: it has ended already, and `follow` is dropped.
    pub(crate) fn when_ended(
        &self,
        actor: &Header,
        follow: impl FnOnce(&Shared) + Send + 'static,
    ) -> Option<ExitHookId> {
        let id = ExitHookId {
            actor: actor.id,
            // Relaxed: an identity, and an order among hooks that are registered one after the
            // other.
            number: self.exit_hooks.next_number.fetch_add(1, Ordering::Relaxed),
        };
        // Relaxed: the lock of the registry orders it, as it orders the hook itself.
        self.exit_hooks.count.fetch_add(1, Ordering::Relaxed);
        lock(self.exit_hooks.shard(actor.id)).insert(id, Box::new(follow));
        if self.registry.get(actor.id, actor.place()).is_some() {
            return Some(id);
        }
        // If it is gone, the end of the actor has run it.
        self.exit_hooks.take(id);
        None
    }

    /// Removes a hook.
    pub(crate) fn forget_ending(&self, id: ExitHookId) {
        // Dropped outside the lock: the drop may run user code.
        drop(self.exit_hooks.take(id));
    }

    /// `actor` has left the registry: runs its hooks.
    pub(crate) fn follow_end(&self, actor: &Header) {
        // Relaxed: the lock of the registry orders it, as `when_ended` says.
        if self.exit_hooks.count.load(Ordering::Relaxed) == 0 {
            return;
        }
        let of_actor = |number| ExitHookId {
            actor: actor.id,
            number,
        };
        loop {
            let first = {
                let shard = lock(self.exit_hooks.shard(actor.id));
                let mut all = shard.range(of_actor(0)..=of_actor(u64::MAX));
                all.next().map(|(id, _)| *id)
            };
            let Some(first) = first else { return };
            let Some(follow) = self.exit_hooks.take(first) else {
                continue;
            };
            if let Err(caught) = catch(|| follow(self)) {
                let panic = actor.panic("what follows from its end", caught);
                self.reports.panicked(&panic);
            }
        }
    }
}
