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
use std::fmt;
use std::sync::{Arc, Weak};

/// Number of locks: actors that end at the same time seldom share one.
const SHARDS: usize = 16;

/// The hooks of a system `S`.
pub(crate) struct ExitHooks<S: 'static> {
    count: AtomicUsize,
    next_number: AtomicU64,
    /// By actor, then in the order of registration (R5).
    shards: [Mutex<BTreeMap<ExitHookId, ExitAction<S>>>; SHARDS],
}

/// The action at the end of an actor, as data.
pub(crate) enum ExitAction<S: 'static> {
    /// A table of the system forgets the actor, under the name that it had there. The name is empty
    /// in a table of numbers.
    Forget(&'static ActorTable<S>, Box<str>),
    /// The actor leaves what it was a member of, under this number.
    Leave(Weak<dyn Membership>, u64),
}

/// A table of the system with actors in it.
pub(crate) struct ActorTable<S> {
    /// Its stable name.
    pub(crate) name: &'static str,
    /// The actor with this number has ended.
    pub(crate) forget: fn(&S, u64, &str),
}

/// What actors are members of: a group, a topic, a stream.
pub(crate) trait Membership: Send + Sync {
    fn leave(&self, number: u64);

    /// The subscription of this number lasts without its handle.
    fn lasts_forever(&self, number: u64) {
        let _ = number;
    }

    /// Whether an image contains its members.
    fn is_in_images(&self) -> bool {
        false
    }
}

impl<S> ExitAction<S> {
    fn act(self, system: &S, actor: u64) {
        match self {
            ExitAction::Forget(table, name) => (table.forget)(system, actor, &name),
            ExitAction::Leave(membership, number) => {
                if let Some(membership) = membership.upgrade() {
                    membership.leave(number);
                }
            }
        }
    }
}

impl<S> fmt::Debug for ExitAction<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExitAction::Forget(table, name) => write!(f, "Forget({}, {name:?})", table.name),
            ExitAction::Leave(_, number) => write!(f, "Leave({number})"),
        }
    }
}

/// Identity of a hook: enough to remove it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ExitHookId {
    actor: u64,
    number: u64,
}

impl<S> Default for ExitHooks<S> {
    fn default() -> Self {
        ExitHooks {
            count: AtomicUsize::new(0),
            next_number: AtomicU64::new(0),
            shards: std::array::from_fn(|_| Mutex::default()),
        }
    }
}

impl<S> ExitHooks<S> {
    fn shard(&self, actor: u64) -> &Mutex<BTreeMap<ExitHookId, ExitAction<S>>> {
        &self.shards[actor as usize % SHARDS]
    }

    /// Registers a hook. The caller then checks that the actor is still in the registry, and else
    /// removes the hook.
    pub(crate) fn insert(&self, actor: u64, action: ExitAction<S>) -> ExitHookId {
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

    fn take(&self, id: ExitHookId) -> Option<ExitAction<S>> {
        let taken = lock(self.shard(id.actor)).remove(&id)?;
        self.count.fetch_sub(1, Ordering::Relaxed);
        Some(taken)
    }

    /// Whether the actor is a member of something that no image contains, and that there still is:
    /// a stream of another system.
    pub(crate) fn is_member(&self, actor: u64) -> bool {
        // Relaxed: as in `run`.
        if self.count.load(Ordering::Relaxed) == 0 {
            return false;
        }
        // Dropped outside the lock: the last one removes hooks, and runs user code.
        let memberships = self.memberships(actor);
        memberships.iter().any(|it| !it.is_in_images())
    }

    fn memberships(&self, actor: u64) -> Vec<Arc<dyn Membership>> {
        let of_actor = |number| ExitHookId { actor, number };
        let hooks = lock(self.shard(actor));
        let own = hooks.range(of_actor(0)..=of_actor(u64::MAX));
        let memberships = own.filter_map(|(_, action)| match action {
            ExitAction::Leave(membership, _) => membership.upgrade(),
            ExitAction::Forget(..) => None,
        });
        memberships.collect()
    }

    /// `actor` has left the registry: runs its hooks. A panic of one is passed to `panicked`.
    pub(crate) fn run(&self, actor: u64, system: &S, panicked: impl Fn(Caught)) {
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
            if let Err(caught) = catch(|| action.act(system, actor)) {
                panicked(caught);
            }
        }
    }
}
