//! [`HeapImages`]: what heaps write of their images while turns run, until the cut takes it.

use super::super::heap_chain::WrittenHeap;
use super::super::heap_records::{HeapRecord, SpansRecord, UnchangedRecord};
use super::super::noted::Noted;
use super::super::unsaved::Unsaved;
use crate::actor::OpenHeap;
use crate::sync::{AtomicBool, AtomicUsize, Mutex, Ordering, lock};
use std::mem;

/// Bytes of objects that may wait for the thread that takes the snapshot. Then heaps wait too.
const WAITING_MAX: usize = if cfg!(test) { 4 << 10 } else { 64 << 20 };

/// What the heaps of a cut have written, and the cut has not taken.
#[derive(Default)]
pub(super) struct HeapImages {
    /// Number of heaps that are not written to their end.
    open: AtomicUsize,
    /// The cut wants no more.
    is_given_up: AtomicBool,
    /// Bytes that wait to be taken.
    waiting: AtomicUsize,
    written: Mutex<Written>,
    /// These heaps.
    open_heaps: Mutex<Vec<OpenHeap>>,
}

/// What heaps have written.
#[derive(Default)]
pub(super) struct Written {
    pub(super) records: Vec<SpansRecord>,
    pub(super) unchanged: Vec<UnchangedRecord>,
    pub(super) noted: Vec<Noted>,
    /// The heaps that are written to their ends.
    pub(super) heaps: Vec<(HeapRecord, WrittenHeap)>,
    pub(super) error: Option<Unsaved>,
}

impl HeapImages {
    pub(super) fn begins(&self, heap: OpenHeap) {
        lock(&self.open_heaps).push(heap);
        // Relaxed: the holder of the actor adds one before the actor is captured, and the
        // coordinator acquires that.
        self.open.fetch_add(1, Ordering::Relaxed);
    }

    /// The heaps that are not written to their end.
    pub(super) fn open_heaps(&self) -> Vec<OpenHeap> {
        lock(&self.open_heaps).clone()
    }

    /// All of this heap is written, or nothing more comes.
    pub(super) fn ends(&self, heap: OpenHeap) {
        lock(&self.open_heaps).retain(|it| *it != heap);
        // Release: pairs with the Acquire in `has_open`. What was written is found after it.
        self.open.fetch_sub(1, Ordering::Release);
    }

    /// Whether a heap is not written to its end.
    pub(super) fn has_open(&self) -> bool {
        // Acquire: pairs with the Release in `ends`.
        self.open.load(Ordering::Acquire) != 0
    }

    /// The cut wants no more, also of the heaps that are being written.
    pub(super) fn give_up(&self) {
        // Relaxed: what is written before a heap sees it is dropped with the recorder.
        self.is_given_up.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Relaxed)
    }

    /// Whether so much waits to be taken that heaps wait too.
    pub(super) fn is_full(&self) -> bool {
        // Relaxed: a slice more or less.
        self.waiting.load(Ordering::Relaxed) > WAITING_MAX
    }

    pub(super) fn add(&self, record: SpansRecord, noted: Noted) {
        let bytes = record.bytes();
        self.waiting.fetch_add(bytes, Ordering::Relaxed);
        let mut written = lock(&self.written);
        written.records.push(record);
        written.noted.push(noted);
    }

    pub(super) fn add_unchanged(&self, record: UnchangedRecord) {
        lock(&self.written).unchanged.push(record);
    }

    /// A heap is written to its end.
    pub(super) fn completes(&self, record: HeapRecord, heap: WrittenHeap) {
        lock(&self.written).heaps.push((record, heap));
    }

    pub(super) fn fails(&self, error: Unsaved) {
        lock(&self.written).error.get_or_insert(error);
    }

    /// Takes what was written since the last call.
    pub(super) fn take(&self) -> Written {
        let written = mem::take(&mut *lock(&self.written));
        let bytes = written.records.iter().map(SpansRecord::bytes).sum();
        self.waiting.fetch_sub(bytes, Ordering::Relaxed);
        written
    }
}
