//! Lazy sweep: dead blocks become free, span by span (H8).

#[cfg(test)]
use super::Epoch;
use super::{FreeBlocks, Old, destroy};
use crate::alloc::poison::poison;
use crate::foreign_code::ForeignCode;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::pages::chunk::state_of;
use crate::pages::page::{PageKind, Span};
use crate::pages::page_source::PageSource;
use crate::sync::Ordering;

/// Spans swept for one object that finds no block: this bounds the time of its allocation. If none
/// of them has a free block, the object gets a new span.
const SWEEPS_PER_ALLOCATION: usize = 8;

/// Spans swept for all objects of one minor collection, because each object may find hardly a block
/// in a span: this bounds the pause. After that, objects get new spans.
pub(crate) const SWEEPS_PER_MINOR: usize = 256;

/// Destructors that cost as much as the sweep of a span.
const DESTRUCTORS: usize = 16;

/// A sweep budget. The last span may exceed it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SweepBudget {
    pub(crate) spans: usize,
    /// Pages of spans that become empty: the system may take them back, which costs the same for
    /// each page.
    pub(crate) empty: usize,
    /// Destructors that are run.
    pub(crate) destructors: usize,
}

impl SweepBudget {
    pub(crate) const ALL: SweepBudget = SweepBudget::of(usize::MAX);

    /// The budget of so many spans of one page, with a few destructors each.
    pub(crate) const fn of(spans: usize) -> SweepBudget {
        SweepBudget {
            spans,
            empty: spans,
            destructors: spans.saturating_mul(DESTRUCTORS),
        }
    }

    fn is_some(self) -> bool {
        self.spans != 0 && self.empty != 0 && self.destructors != 0
    }
}

impl Old {
    /// Sweeps until one part of the budget is used up. Returns whether all spans are swept.
    pub(crate) fn sweep(&mut self, mut left: SweepBudget, source: &PageSource) -> bool {
        let mut empty = Vec::new();
        while self.unswept != 0 && left.is_some() {
            let Some(span) = self.next_unswept() else {
                break;
            };
            // SAFETY: the span is this heap's, and on no list.
            unsafe {
                let destructors = self.sweep_one(span);
                left.spans -= 1;
                left.destructors = left.destructors.saturating_sub(destructors);
                match span.page().used {
                    0 => {
                        left.empty = left.empty.saturating_sub(span.page().pages as usize);
                        empty.push(span);
                    }
                    _ => self.put(span),
                }
            }
        }
        // SAFETY: the spans are on no list any more.
        unsafe { self.give(empty, source) };
        self.unswept == 0
    }

    /// Sweeps a few spans of one class for an object that finds no block. Returns one of the empty
    /// spans, if there is one.
    pub(super) fn sweep_for(&mut self, class: usize, source: &PageSource) -> Option<Span> {
        let mut empty = Vec::new();
        for _ in 0..SWEEPS_PER_ALLOCATION.min(self.sweep_allowance) {
            let spans = self.sizes[class].as_mut();
            let Some(span) = spans.and_then(|spans| spans.next_unswept()) else {
                break;
            };
            let _foreign = ForeignCode::begin();
            // SAFETY: the span is this heap's, and on no list.
            unsafe {
                let destructors = self.sweep_one(span);
                self.sweep_allowance = self
                    .sweep_allowance
                    .saturating_sub(1 + destructors / DESTRUCTORS);
                match span.page().used {
                    0 => empty.push(span),
                    _ => self.put(span),
                }
            }
        }
        let kept = empty.pop();
        // SAFETY: the spans are on no list any more.
        unsafe { self.give(empty, source) };
        kept
    }

    /// Sweeps a span, and updates the byte counts. Returns the number of destructors run.
    ///
    /// # Safety
    ///
    /// The span is this heap's, unswept, and on no list.
    unsafe fn sweep_one(&mut self, span: Span) -> usize {
        // SAFETY: the caller's contract.
        let freed = unsafe { sweep_span(span, self.marked.0, self.free_blocks, &mut self.panics) };
        self.bytes_allocated -= freed.bytes;
        // Saturating: the verifier reports it if more was freed than was dead.
        self.bytes_dead = self.bytes_dead.saturating_sub(freed.bytes);
        self.destructors -= freed.destructors;
        self.unswept -= 1;
        freed.destructors
    }

    /// Removes and returns the next unswept span.
    fn next_unswept(&mut self) -> Option<Span> {
        while let Some(spans) = self.sizes.get_mut(self.sweep_class) {
            if let Some(span) = spans.as_mut().and_then(|spans| spans.next_unswept()) {
                return Some(span);
            }
            self.sweep_class += 1;
        }
        self.large_unswept.pop()
    }

    /// Lists a swept span that has objects.
    ///
    /// # Safety
    ///
    /// The span is this heap's, and on no list.
    pub(super) unsafe fn put(&mut self, span: Span) {
        // SAFETY: the caller's contract.
        unsafe {
            let page = span.page();
            match page.kind {
                PageKind::Large => self.large.push(span),
                _ => self.sizes[page.class as usize]
                    .get_or_insert_default()
                    .put(span),
            }
        }
    }

    /// Returns empty spans to the source.
    ///
    /// # Safety
    ///
    /// The spans are this heap's, and on no list.
    pub(super) unsafe fn give(
        &mut self,
        empty: impl IntoIterator<Item = Span>,
        source: &PageSource,
    ) {
        let counted = empty.into_iter().inspect(|span| {
            // SAFETY: the caller's contract.
            unsafe {
                self.pages -= span.page().pages as usize;
                self.numbers.give(*span);
            }
            self.spans -= 1;
        });
        // SAFETY: the caller's contract.
        unsafe { source.give(counted) };
    }
}

/// The result of the sweep of a span.
pub(super) struct Freed {
    bytes: usize,
    /// Destructors that were run.
    destructors: usize,
}

/// Sweeps one span: frees the blocks that the last mark did not mark, which have a state other than
/// `alive`. Before it frees a block, it runs the block's destructor.
///
/// # Safety
///
/// The span is the caller's, and no marker runs.
unsafe fn sweep_span(span: Span, alive: u8, free: FreeBlocks, panics: &mut u64) -> Freed {
    let marked = alive;
    #[cfg(test)]
    let alive = match is_injected(InjectedFault::FreedAlive) {
        true => Epoch(alive).next().0,
        false => alive,
    };
    // SAFETY: the caller's contract. Destructors that run meanwhile are of leaf types (H10): they
    // have no reference into this heap, so none to a page of this span.
    let page = unsafe { span.page() };
    let (size, start) = (page.block_size(), span.start());
    let (mut freed, mut destructors) = (0, 0);
    for word in 0..page.occupied.len() {
        let occupied = page.occupied[word];
        // SAFETY: the block lies in the span (H4).
        let block = |bit: usize| unsafe { start.add((word * 64 + bit) * size) };
        // SAFETY: the block lies in the span, so its chunk is mapped (H4).
        let state = |bit: usize| unsafe { state_of(block(bit)) };
        let mut live = 0;
        for bit in bits(occupied) {
            // Relaxed: no marker runs.
            live |= u64::from(state(bit).load(Ordering::Relaxed) == alive) << bit;
        }
        let dead = occupied & !live;
        if dead == 0 {
            continue;
        }
        let drops = page.drops[word] & dead;
        page.drops[word] &= !dead;
        for bit in bits(drops) {
            // SAFETY: the block is dead, and its page is the caller's (H8).
            *panics += unsafe { destroy(block(bit).cast()) };
        }
        page.occupied[word] &= !dead;
        page.used -= dead.count_ones() as u16;
        for bit in bits(dead) {
            if free == FreeBlocks::Poisoned {
                // SAFETY: the block is dead, and its object was destroyed (H8).
                unsafe { poison(block(bit), size) };
            }
            // Relaxed: no marker runs.
            state(bit).store(0, Ordering::Relaxed);
        }
        freed += dead.count_ones() as usize;
        destructors += drops.count_ones() as usize;
    }
    page.swept = marked;
    Freed {
        bytes: freed * size,
        destructors,
    }
}

/// The numbers of the set bits of a word, in ascending order.
#[inline]
pub(crate) fn bits(word: u64) -> impl Iterator<Item = usize> {
    let mut left = word;
    std::iter::from_fn(move || {
        let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(bit)
    })
}
