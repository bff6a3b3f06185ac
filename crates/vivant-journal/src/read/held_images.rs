//! [`HeldImages`]: images that retention keeps because something needs them now.

#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The images of a store that are held, each with the number of holders.
///
/// The removal of an image holds the lock, because something may begin to hold the image.
#[derive(Debug, Default)]
pub(crate) struct HeldImages(Mutex<BTreeMap<u64, usize>>);

/// An image that stays until this is dropped: [`Catalog::hold`](crate::Catalog::hold).
#[derive(Debug)]
#[must_use = "the image is held as long as this value lives"]
pub struct HeldImage {
    image: u64,
    held: Arc<HeldImages>,
}

impl HeldImages {
    pub(crate) fn hold(self: &Arc<Self>, image: u64) -> HeldImage {
        *self.lock().entry(image).or_default() += 1;
        HeldImage {
            image,
            held: self.clone(),
        }
    }

    /// Calls `remove`, unless a held image keeps the other one: `keeps` says which do. Nothing
    /// begins to hold one meanwhile: it finds the image, which stays, or finds none.
    pub(crate) fn unless_held<T>(
        &self,
        keeps: impl FnMut(u64) -> bool,
        remove: impl FnOnce() -> T,
    ) -> Option<T> {
        let held = self.lock();
        let is_held = held.keys().copied().any(keeps);
        #[cfg(test)]
        let is_held = is_held && !is_injected(InjectedFault::NeededNotKept);
        #[cfg(test)]
        if is_injected(InjectedFault::RemovalUnlocked) {
            drop(held);
            return (!is_held).then(remove);
        }
        (!is_held).then(remove)
    }

    /// Nothing panics while it holds the lock.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HeldImage {
    fn drop(&mut self) {
        let mut held = self.held.lock();
        if let Some(count) = held.get_mut(&self.image) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.image);
            }
        }
    }
}
