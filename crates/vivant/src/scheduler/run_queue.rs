//! A run queue: first in, first out; a lock around a ring. Simple on purpose; its speed is measured elsewhere.

use crate::cell::CellRef;
use crate::sync::{Mutex, lock};
use std::collections::VecDeque;

/// A thief takes at most this many at once.
const STEAL_MAX: usize = 64;

#[derive(Default)]
pub(crate) struct RunQueue(Mutex<VecDeque<CellRef>>);

impl RunQueue {
    /// Puts `cell` at the end; returns how many wait now.
    pub(crate) fn push(&self, cell: CellRef) -> usize {
        let mut cells = lock(&self.0);
        cells.push_back(cell);
        cells.len()
    }

    pub(crate) fn pop(&self) -> Option<CellRef> {
        lock(&self.0).pop_front()
    }

    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }

    /// Takes the older half, oldest first.
    pub(crate) fn steal(&self) -> VecDeque<CellRef> {
        let mut cells = lock(&self.0);
        let half = cells.len().div_ceil(2).min(STEAL_MAX);
        cells.drain(..half).collect()
    }

    /// Takes everything.
    pub(crate) fn take_all(&self) -> VecDeque<CellRef> {
        std::mem::take(&mut *lock(&self.0))
    }

    pub(crate) fn extend(&self, more: VecDeque<CellRef>) {
        lock(&self.0).extend(more);
    }
}
