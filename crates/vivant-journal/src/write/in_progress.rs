//! Numbers of images that are being written: the sweep spares their files.
//!
//! A sweep reads this state before it lists the files. Files of images that begin later have
//! numbers from [`Numbers::next`] on, which it spares too. So it holds no lock while it removes.
//! The removal of a manifest holds the lock, because a writer may begin to hold the image.

#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The numbers of one journal.
#[derive(Debug)]
pub(crate) struct InProgress(Mutex<Numbers>);

/// The state at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    /// The number of the next image.
    next: u64,
    writing: BTreeSet<u64>,
    /// The images that writers hold, each with the number of writers.
    held: BTreeMap<u64, usize>,
}

impl Numbers {
    /// Whether a writer may have files of this image.
    pub(crate) fn has(&self, image: u64) -> bool {
        image >= self.next || self.writing.contains(&image)
    }
}

impl InProgress {
    pub(crate) fn new(next: u64) -> Arc<InProgress> {
        Arc::new(InProgress(Mutex::new(Numbers {
            next,
            writing: BTreeSet::new(),
            held: BTreeMap::new(),
        })))
    }

    /// Calls `remove`, unless a writer holds this image. No writer begins to hold one meanwhile: it
    /// finds the image, which stays, or finds none.
    pub(crate) fn unless_held<T>(&self, image: u64, remove: impl FnOnce() -> T) -> Option<T> {
        let numbers = self.lock();
        let is_held = numbers.held.contains_key(&image);
        #[cfg(test)]
        let is_held = is_held && !is_injected(InjectedFault::NeededNotKept);
        #[cfg(test)]
        if is_injected(InjectedFault::RemovalUnlocked) {
            drop(numbers);
            return (!is_held).then(remove);
        }
        (!is_held).then(remove)
    }

    pub(crate) fn now(&self) -> Numbers {
        self.lock().clone()
    }

    /// Gives the next number, in progress until the value is dropped. `None` if there is none: a
    /// file with the greatest number was made by hand.
    pub(crate) fn begin(self: &Arc<Self>) -> Option<ImageNumber> {
        let mut numbers = self.lock();
        let number = numbers.next;
        numbers.next = number.checked_add(1)?;
        numbers.writing.insert(number);
        Some(ImageNumber {
            number,
            held: Mutex::default(),
            in_progress: self.clone(),
        })
    }

    /// Nothing panics while it holds the lock.
    fn lock(&self) -> MutexGuard<'_, Numbers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of an image that is being written.
#[derive(Debug)]
pub(crate) struct ImageNumber {
    pub(crate) number: u64,
    /// Earlier images that stay until the value is dropped.
    held: Mutex<BTreeSet<u64>>,
    in_progress: Arc<InProgress>,
}

impl ImageNumber {
    /// An earlier image stays until the value is dropped.
    pub(crate) fn hold(&self, image: u64) {
        if self.held().insert(image) {
            *self.in_progress.lock().held.entry(image).or_default() += 1;
        }
    }

    fn held(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ImageNumber {
    fn drop(&mut self) {
        let held = std::mem::take(&mut *self.held());
        let mut numbers = self.in_progress.lock();
        numbers.writing.remove(&self.number);
        for image in held {
            if let Some(count) = numbers.held.get_mut(&image) {
                *count -= 1;
                if *count == 0 {
                    numbers.held.remove(&image);
                }
            }
        }
    }
}
