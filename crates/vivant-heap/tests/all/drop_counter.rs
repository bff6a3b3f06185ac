//! A value that counts its drop.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) struct DropCounter(pub(crate) Arc<AtomicUsize>);

impl Drop for DropCounter {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
