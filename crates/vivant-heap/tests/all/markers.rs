//! Concurrent marks, with markers on threads of their own: what turns do meanwhile, against models.
//! These are attempts to break it; the outcome of each is in `README.md`.

#![forbid(unsafe_code)]

mod ends;
mod graph;
mod sharing;
mod threads;

use std::sync::{Arc, Mutex};
use threads::{Markers, Mode, source, with_seeds};
use vivant_heap::Leaf;

/// The number of drops of each value, by its number.
type Ended = Arc<Mutex<Vec<u32>>>;

/// Counts its drop.
struct Noted(usize, Ended);

impl Noted {
    /// The next numbered value.
    fn next(ended: &Ended) -> Leaf<Noted> {
        let mut all = ended.lock().unwrap();
        all.push(0);
        Leaf(Noted(all.len() - 1, ended.clone()))
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        self.1.lock().unwrap()[self.0] += 1;
    }
}
