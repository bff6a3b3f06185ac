//! Values with numbers that count their drops.

use std::sync::{Arc, Mutex};
use vivant_heap::Leaf;

/// The number of drops of each value, by its number.
pub(crate) type Drops = Arc<Mutex<Vec<u32>>>;

/// Counts its drop.
pub(crate) struct Numbered {
    pub(crate) number: usize,
    drops: Drops,
}

impl Numbered {
    /// The next numbered value.
    pub(crate) fn next(drops: &Drops) -> Leaf<Numbered> {
        let mut all = drops.lock().unwrap();
        all.push(0);
        let (number, drops) = (all.len() - 1, drops.clone());
        Leaf(Numbered { number, drops })
    }
}

impl Drop for Numbered {
    fn drop(&mut self) {
        self.drops.lock().unwrap()[self.number] += 1;
    }
}
