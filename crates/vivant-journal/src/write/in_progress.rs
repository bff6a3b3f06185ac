//! Numbers of images that are being written: the sweep spares their files.
//!
//! A sweep reads this state before it lists the files. Files of images that begin later have
//! numbers from [`Numbers::next`] on, which it spares too. So it holds no lock while it removes.

use std::collections::BTreeSet;
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
    in_progress: Arc<InProgress>,
}

impl Drop for ImageNumber {
    fn drop(&mut self) {
        self.in_progress.lock().writing.remove(&self.number);
    }
}
