//! The path of an actor: the chain of child numbers above it. Made only for actors that have
//! children.

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

impl ActorPath {
    pub(crate) fn new(parent: Option<Arc<ActorPath>>, number: u32) -> ActorPath {
        ActorPath {
            parent,
            number,
            children: AtomicU32::new(0),
        }
    }

    /// Returns the number of children that there have been.
    pub(crate) fn children(&self) -> u32 {
        // Relaxed: as in `next_child`.
        self.children.load(Ordering::Relaxed)
    }

    /// There have been `children` children in another life of the actor.
    pub(crate) fn set_children(&self, children: u32) {
        // Relaxed: as in `next_child`.
        self.children.store(children, Ordering::Relaxed);
    }

    /// Returns the number of the next child. Only the holder of the actor calls this.
    pub(crate) fn next_child(&self) -> u32 {
        // Relaxed: only the holder counts; T1 orders one holder after the other.
        self.children.fetch_add(1, Ordering::Relaxed)
    }
}
