//! [`Program`]: three heaps, the parcels between them, and the detached heaps.

use super::model::Model;
use super::modelled_heap::{ModelledHeap, Sent, Size, State, States};
use super::{Dice, Helper};
use std::sync::Arc;
use vivant_heap::{DetachedHeap, DetachedStep, Heap, Pacing, PageSource};

/// The number of pages that the sources of most programs have.
const PAGES_MAX: usize = 2000;

/// The number of pages left when they are short: less than a heap wants.
const PAGES_SPARE: usize = 45;

/// The number of words in a page.
const PAGE_WORDS: usize = 512;

/// The largest number of rounds in which detached heaps are drained until none is left: one may
/// wait for another.
const ROUNDS_MAX: usize = 20;

/// The state of a program.
pub(crate) struct Program {
    source: Arc<PageSource>,
    pages: Pages,
    dice: Dice,
    model: Model,
    places: Vec<ModelledHeap>,
    detached_heaps: Vec<DetachedHeap>,
    parcels: Vec<Sent>,
    helper: Option<Helper>,
}

/// Whether a source has a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pages {
    Bounded,
    Enough,
}

/// Runs a detached heap for this amount of work.
fn stepped(detached: DetachedHeap, mut work: usize) -> Option<DetachedHeap> {
    match detached.step(&mut work) {
        DetachedStep::Idle(detached) | DetachedStep::HasWork(detached) => Some(detached),
        DetachedStep::Freed => None,
    }
}

impl Program {
    /// Two large heaps and a small one, all empty.
    pub(crate) fn new(seed: u64, helper: Option<Helper>) -> Program {
        let (source, pages) = match seed % 4 {
            0..3 => (PageSource::bounded(PAGES_MAX), Pages::Bounded),
            _ => (PageSource::new(), Pages::Enough),
        };
        let source = Arc::new(source);
        let sizes = [Size::Large, Size::Large, Size::Small];
        let places = sizes.map(|size| ModelledHeap::new(&source, size)).into();
        Program {
            source,
            pages,
            dice: Dice::new(seed),
            model: Model::default(),
            places,
            detached_heaps: Vec::new(),
            parcels: Vec::new(),
            helper,
        }
    }

    /// A random step at one of the heaps. If it is not possible there, a detached heap runs
    /// instead.
    pub(crate) fn step(&mut self) {
        let at = self.dice.below(self.places.len());
        let (dice, model, place) = (&mut self.dice, &mut self.model, &mut self.places[at]);
        match dice.below(30) {
            0..4 => place.makes_thing(dice, model),
            4..7 => place.makes_node(dice, model),
            7 if !place.nodes.is_empty() => place.cuts_node(dice, model),
            8 => place.upgrades(dice),
            9 | 10 => place.forgets(dice),
            11..14 if !place.things.is_empty() => self.parcels.push(place.packs(dice)),
            14..17 if !self.parcels.is_empty() => self.unpacks(at),
            17 if !self.parcels.is_empty() => self.loses_parcel(),
            18 if !place.things.is_empty() => place.takes_part(dice),
            19 => self.begins_mark(at),
            20 => _ = place.heap.help_mark(dice.below(6)),
            21..24 => place.heap.pace(),
            24 => place.collects(dice),
            25 => place.heap.sweep_some(dice.below(4)),
            26 => _ = place.heap.drain_some(1 + dice.below(4)),
            27 => self.may_end_heap(at),
            28 if self.pages == Pages::Bounded && dice.below(2) == 0 => self.tends_while_short(),
            _ => self.runs_detached_heap(),
        }
    }

    /// A heap unpacks a parcel, its own or another heap's.
    fn unpacks(&mut self, at: usize) {
        if let Some(sent) = self.dice.takes(&mut self.parcels) {
            self.places[at].unpacks(sent);
        }
    }

    /// Drops a parcel, if there is one.
    fn loses_parcel(&mut self) {
        drop(self.dice.takes(&mut self.parcels));
    }

    /// Begins a mark, unless one runs, and notifies the helper.
    fn begins_mark(&mut self, at: usize) {
        let heap = &mut self.places[at].heap;
        let _begun = heap.begin_mark();
        if let Some(helper) = &self.helper
            && let Some(mark) = heap.marker()
        {
            helper.helps(mark);
        }
    }

    /// Ends the heap one time in three.
    fn may_end_heap(&mut self, at: usize) {
        if self.dice.below(3) == 0 {
            self.ends_heap(at);
        }
    }

    /// Ends a heap in the middle of a mark, while other heaps refer to some of its objects, and
    /// replaces it by a new one.
    fn ends_heap(&mut self, at: usize) {
        let place = &mut self.places[at];
        for _ in 0..self.dice.below(4) {
            if !place.things.is_empty() {
                self.parcels.push(place.packs(&mut self.dice));
            }
        }
        let _begun = place.heap.begin_mark();
        let _more = place.heap.help_mark(self.dice.below(12));
        let size = match self.dice.below(3) {
            0 => Size::Small,
            _ => Size::Large,
        };
        let new = ModelledHeap::new(&self.source, size);
        let ended = std::mem::replace(&mut self.places[at], new);
        let left = ended
            .heap
            .end()
            .and_then(|left| self.begins_detached_heap(left));
        self.detached_heaps.extend(left);
    }

    /// Runs some steps at once, while parcels are dropped. Perhaps pages are short then, and it
    /// runs to the end.
    fn begins_detached_heap(&mut self, detached: DetachedHeap) -> Option<DetachedHeap> {
        let mut left = Some(detached);
        for _ in 0..self.dice.below(4) {
            let work = 1 + self.dice.below(6);
            left = left.and_then(|detached| stepped(detached, work));
            if self.dice.below(2) == 0 {
                self.loses_parcel();
            }
        }
        if self.pages == Pages::Bounded && self.dice.below(2) == 0 {
            let _ballast = self.ballast();
            self.loses_parcel();
            left = left.and_then(DetachedHeap::drain_all);
        }
        left
    }

    /// A heap that takes most of the remaining pages, unless they are few already.
    fn ballast(&self) -> Heap<States> {
        let pacing = Pacing::new().first(1 << 30);
        let mut heap = Heap::<States>::new(&self.source, pacing, |_| State::default());
        let left = PAGES_MAX - self.source.stats().pages;
        if left > 4 * PAGES_SPARE {
            let words = (left - PAGES_SPARE) * PAGE_WORDS;
            heap.turn(|m, state| state.ballast = Some(m.val_slice(vec![0; words])));
        }
        heap
    }

    /// About two of the detached heaps run while pages are short.
    fn tends_while_short(&mut self) {
        let detached_heaps = std::mem::take(&mut self.detached_heaps);
        if detached_heaps.is_empty() {
            return;
        }
        let _ballast = self.ballast();
        let many = detached_heaps.len();
        for detached in detached_heaps {
            let left = match self.dice.below(many) {
                0 | 1 => match self.dice.below(2) {
                    0 => detached.drain_all(),
                    _ => stepped(detached, 3),
                },
                _ => Some(detached),
            };
            self.detached_heaps.extend(left);
        }
    }

    /// Runs some steps of one of them, seldom all.
    fn runs_detached_heap(&mut self) {
        let dice = &mut self.dice;
        if let Some(detached) = dice.takes(&mut self.detached_heaps) {
            let left = match dice.below(10) {
                0 => detached.drain_all(),
                _ => stepped(detached, 1 + dice.below(20)),
            };
            self.detached_heaps.extend(left);
        }
    }

    /// Asserts that referenced objects are live.
    pub(crate) fn check(&self) {
        let mut had: Vec<usize> = self.parcels.iter().map(|(_, number)| *number).collect();
        for place in &self.places {
            had.extend(place.things.iter().chain(&place.nodes));
        }
        self.model.check(had);
    }

    /// Drops everything, and asserts that nothing is left.
    pub(crate) fn ends(mut self) {
        self.parcels.clear();
        let ended = self.places.drain(..).filter_map(|place| place.heap.end());
        self.detached_heaps.extend(ended);
        for _ in 0..ROUNDS_MAX {
            let detached_heaps = std::mem::take(&mut self.detached_heaps).into_iter();
            self.detached_heaps = detached_heaps.filter_map(DetachedHeap::drain_all).collect();
        }
        assert_eq!(self.detached_heaps.len(), 0, "detached heaps stay");
        if let Some(helper) = self.helper {
            helper.ends();
        }
        self.model.check_end();
        assert_eq!(self.source.stats().pages, 0);
    }
}
