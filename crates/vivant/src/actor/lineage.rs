//! [`Lineage`]: the path above an actor, in one word.
//!
//! Most actors have no children, and refer to the path of their parent. An actor that has children
//! refers to its own path instead, which refers to that of the parent. The lowest bit of the word
//! tells the two apart.

use super::actor_path::ActorPath;
use crate::sync::{Arc, AtomicPtr, Ordering};
use std::ptr::{self, NonNull};

/// The bit of a word that refers to the actor's own path.
const OWN: usize = 1;

const _: () = assert!(align_of::<ActorPath>() > OWN);

/// An owned reference to a path: that of the parent, or the actor's own.
pub(super) struct Lineage(AtomicPtr<ActorPath>);

impl Lineage {
    pub(super) fn new(parent: Option<Arc<ActorPath>>) -> Lineage {
        let parent = parent.map_or(ptr::null(), Arc::into_raw);
        Lineage(AtomicPtr::new(parent.cast_mut()))
    }

    /// Returns the path of the parent, or `None` for an actor that the program made outside of
    /// turns.
    pub(super) fn parent(&self) -> Option<&ActorPath> {
        // Acquire: pairs with the Release in `own_path`.
        let word = self.0.load(Ordering::Acquire);
        let path = NonNull::new(untagged(word))?;
        // SAFETY: the word owns a reference to this path. If `own_path` changes it meanwhile, the
        // new path owns that reference, and the word the new path, as long as `self` exists (X7).
        let path = unsafe { path.as_ref() };
        match is_own(word) {
            true => path.parent.as_deref(),
            false => Some(path),
        }
    }

    /// Returns the number of children that the actor has had. Only for its holder.
    pub(super) fn children(&self) -> u32 {
        // Acquire: as in `parent`.
        let word = self.0.load(Ordering::Acquire);
        match NonNull::new(untagged(word)) {
            // SAFETY: the word owns a reference to this path, and only the holder, the caller,
            // changes it (X7).
            Some(own) if is_own(word) => unsafe { own.as_ref() }.children(),
            _ => 0,
        }
    }

    /// Returns the path of the actor, which has this number among the children of its parent. Only
    /// during a turn of the actor.
    pub(super) fn own_path(&self, number: u32) -> Arc<ActorPath> {
        // Relaxed: only the holder changes it; T1 orders one holder after the other.
        let word = self.0.load(Ordering::Relaxed);
        if !is_own(word) {
            // SAFETY: the word owns a reference, unless it is null (X1). The new path gets it, and
            // the word gets the new path below.
            let parent = (!word.is_null()).then(|| unsafe { Arc::from_raw(word) });
            let own = Arc::into_raw(Arc::new(ActorPath::new(parent, number))).cast_mut();
            // Release: pairs with the Acquire in `parent`.
            self.0
                .store(own.map_addr(|address| address | OWN), Ordering::Release);
        }
        let own = untagged(self.0.load(Ordering::Relaxed));
        // SAFETY: the word owns a reference to this path, made by `Arc::into_raw`, so its count may
        // be raised for another one (X1).
        unsafe {
            Arc::increment_strong_count(own);
            Arc::from_raw(own)
        }
    }
}

fn is_own(word: *mut ActorPath) -> bool {
    word.addr() & OWN != 0
}

fn untagged(word: *mut ActorPath) -> *mut ActorPath {
    word.map_addr(|address| address & !OWN)
}

impl Drop for Lineage {
    fn drop(&mut self) {
        // Relaxed: no other thread has the actor any more.
        let path = untagged(self.0.load(Ordering::Relaxed));
        if !path.is_null() {
            // SAFETY: the word owns this reference, made by `Arc::into_raw`, and gives it up once
            // (X10).
            drop(unsafe { Arc::from_raw(path) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_stays_when_the_actor_gets_a_path_of_its_own() {
        let parent = Arc::new(ActorPath::new(None, 7));
        let lineage = Lineage::new(Some(parent.clone()));
        let seen = lineage.parent().expect("it has one");
        let own = lineage.own_path(3);
        assert!(Arc::ptr_eq(&own, &lineage.own_path(3)));
        assert_eq!((seen.number, own.number), (7, 3));
        assert!(ptr::eq(lineage.parent().expect("it has one"), seen));
        drop(lineage);
        assert_eq!(Arc::strong_count(&own), 1);
        drop(own);
        assert_eq!(Arc::strong_count(&parent), 1);
    }

    #[test]
    fn an_actor_of_the_program_has_no_parent() {
        let lineage = Lineage::new(None);
        assert!(lineage.parent().is_none());
        assert!(lineage.own_path(1).parent.is_none());
        assert!(lineage.parent().is_none());
    }
}
