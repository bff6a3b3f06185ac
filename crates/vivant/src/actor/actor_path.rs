//! The path of an actor: the chain of child numbers above it. Made only for actors that have
//! children.

use super::header::Header;
use crate::sync::{Arc, AtomicU32, Ordering};

/// One step of a path. It outlives the actor, so that the paths of its children stay printable.
pub(crate) struct ActorPath {
    pub(crate) parent: Option<Arc<ActorPath>>,
    pub(crate) number: u32,
    /// The number of the next child. Changed by the holder alone.
    children: AtomicU32,
}

impl Drop for ActorPath {
    fn drop(&mut self) {
        // A chain of a million parents must not be dropped recursively.
        let mut above = self.parent.take();
        while let Some(actor_path) = above {
            above = Arc::into_inner(actor_path).and_then(|mut actor_path| actor_path.parent.take());
        }
    }
}

impl Header {
    /// Returns this actor as a parent, and the number of its next child. Only during a turn of this
    /// actor.
    pub(crate) fn next_child(&self) -> (Arc<ActorPath>, u32) {
        let actor_path = || {
            Arc::new(ActorPath {
                parent: self.parent.clone(),
                number: self.number,
                children: AtomicU32::new(0),
            })
        };
        if self.actor_path.get().is_none() {
            self.actor_path.set(actor_path());
        }
        let actor_path = self.actor_path.get().cloned().unwrap_or_else(actor_path);
        // Relaxed: only the holder counts; T1 orders one holder after the other.
        let number = actor_path.children.fetch_add(1, Ordering::Relaxed);
        (actor_path, number)
    }

    /// Returns the next number of this actor's own random stream. Only during a turn of this actor.
    pub(crate) fn next_random(&self) -> u64 {
        // Relaxed: only the holder changes it; T1 orders one holder after the other.
        let state = self.random.load(Ordering::Relaxed);
        let (state, number) = crate::oracle::split_mix(state);
        self.random.store(state, Ordering::Relaxed);
        number
    }
}
