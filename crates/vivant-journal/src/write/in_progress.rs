//! Numbers of images that are being written: the sweep spares their files.
//!
//! A sweep reads this state before it lists the files. Files of images that begin later have
//! numbers from [`Numbers::next`] on, which it spares too. So it holds no lock while it removes.

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
    /// Whether a writer holds this image.
    pub(crate) fn holds(&self, image: u64) -> bool {
        self.held.contains_key(&image)
    }

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
