//! The checks of a [`Program`](super::model_program::Program): no object that is reachable is
//! destroyed, and in the end all others are.

use super::group_mark::{GroupMark, GroupProgress};
use super::model_objects::{Number, Roots};
use super::model_program::{HEAPS, Known, Program, Visits};
use crate::check::count_verifier::CountVerifier;
use crate::gc::detached_heap::DetachedHeap;
use std::mem;

impl Program {
    /// Which objects are reachable.
    pub(super) fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.objects.len()];
        let messages = self.parcels.iter().map(|(_, known)| known);
        let roots = self.states.iter().chain(messages);
        let is_cut = |number: Number| self.owners[number] >= self.heaps.len();
        let mut open: Vec<Number> = roots.flat_map(|known| known.strong(is_cut)).collect();
        while let Some(number) = open.pop() {
            if !mem::replace(&mut reached[number], true) {
                open.extend(self.objects[number].strong(is_cut));
            }
        }
        reached
    }

    pub(super) fn compare(&mut self) {
        let mut verifier = CountVerifier::default();
        for heap in &mut self.heaps {
            verifier
                .heap(heap)
                .unwrap_or_else(|fault| panic!("{fault}"));
        }
        if let Some(detached) = &mut self.detached {
            let verified = verifier.heap(&mut detached.heap);
            verified.unwrap_or_else(|fault| panic!("{fault}"));
        }
        self.parcels
            .iter()
            .for_each(|(parcel, _)| verifier.parcel(parcel));
        verifier.check().unwrap_or_else(|fault| panic!("{fault}"));
        let (reached, ended) = (self.reached(), self.ended.lock().unwrap());
        for (number, (reached, ended)) in reached.iter().zip(&*ended).enumerate() {
            assert!(!reached || *ended == 0, "{number} is reachable, and ended");
        }
    }

    /// Collects until nothing changes: every unreachable object is destroyed, cycles too.
    pub(super) fn settle(&mut self) {
        self.group = None;
        for _ in 0..6 {
            self.collect();
            let mut group = GroupMark::new(self.members());
            loop {
                let progress = group.step(&mut Visits {
                    heaps: &mut self.heaps,
                    detached: self.detached.as_mut(),
                    chance: &self.chance,
                    active_one_in: 0,
                });
                match progress {
                    GroupProgress::More | GroupProgress::Wait | GroupProgress::WaitLonger => {}
                    GroupProgress::Committed => break,
                    GroupProgress::Dissolved => panic!("no turn ran"),
                }
            }
            self.compare();
        }
        self.collect_all();
        self.compare();
        let (reached, ended) = (self.reached(), self.ended.lock().unwrap());
        for (number, (reached, ended)) in reached.iter().zip(&*ended).enumerate() {
            let expected = u32::from(!reached);
            assert_eq!(*ended, expected, "{number} is destroyed so often");
        }
    }

    fn collect(&mut self) {
        for heap in &mut self.heaps {
            heap.collect();
            heap.sweep();
        }
        self.detached = self.detached.take().and_then(DetachedHeap::drain_all);
    }

    /// Collects until what one heap frees has reached all others.
    fn collect_all(&mut self) {
        (0..HEAPS + 1).for_each(|_| self.collect());
    }

    /// Empties all roots: only cycles through several heaps are left.
    pub(super) fn forget_all(&mut self) {
        self.parcels.clear();
        for (heap, known) in self.heaps.iter_mut().zip(&mut self.states) {
            *known = Known::default();
            heap.turn(|_, roots| *roots = Roots::default());
        }
        self.collect_all();
    }

    /// Forgets everything: each object is destroyed once, and no memory is left.
    pub(super) fn end(mut self) {
        self.forget_all();
        self.settle();
        assert!(self.heaps.iter().all(|heap| heap.stats().live == 0));
        assert!(self.detached.is_none(), "nothing refers to its objects");
        self.heaps.clear();
        assert_eq!(self.source.stats().pages, 0);
    }
}
