//! [`Scanner`]: who goes through objects while a mark runs beside its actor: a marker, or the owner that is about to change one.

use super::Shows;
use super::claim::{self, Claim, claim};
use super::mark::{Mark, puts_off};
use super::prefetch::Ahead;
use super::tracer::Tracer;
use super::work_list::{Round, Work};
use crate::header::{Header, Layout, Length, Table};
use crate::orca::Owner;
use crate::pages::chunk::state_of;
use crate::pieces::Pieces;
use crate::shards::Shards;
use std::ptr::NonNull;

/// Elements of a slice that are gone through at once.
const PART: usize = 512;

/// After so many objects a scanner looks whether others have nothing to do.
const LOOK: usize = 256;

/// Objects of a block to which more may come. A worker that has twice as many puts half of them
/// back: who holds a block may lose its processor.
const BLOCK: usize = 8192;

/// Work of a mark: what was met by a reference, and is to be gone through.
#[derive(Default)]
pub(crate) struct Block {
    pub(super) objects: Vec<NonNull<Header>>,
    /// Slices, and how many of their elements are left, counted from the first.
    parts: Vec<(NonNull<Header>, usize)>,
}

impl Work for Block {
    fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.parts.is_empty()
    }

    fn has_room(&self) -> bool {
        self.objects.len() + self.parts.len() < BLOCK
    }

    fn append(&mut self, other: &mut Block) {
        self.objects.append(&mut other.objects);
        self.parts.append(&mut other.parts);
    }
}

impl Block {
    /// The older half: what was met first leads to most.
    fn half(&mut self) -> Block {
        let rest = self.objects.split_off(self.objects.len() / 2);
        let parts = self.parts.split_off(self.parts.len().div_ceil(2));
        Block {
            objects: std::mem::replace(&mut self.objects, rest),
            parts: std::mem::replace(&mut self.parts, parts),
        }
    }
}

/// What markers find on their way.
#[derive(Default)]
pub(crate) struct Found {
    pub(super) objects: u64,
    pub(super) bytes: usize,
    pub(super) weak: Pieces<NonNull<Header>>,
    /// Objects of other heaps: of each scanner once.
    pub(super) foreign: Pieces<NonNull<Header>>,
    /// Those that may show something, and that nobody else can reach.
    pub(super) showing: Pieces<NonNull<Header>>,
}

impl Found {
    /// Takes all that another one has.
    pub(super) fn add(&mut self, other: &mut Found) {
        self.objects += std::mem::take(&mut other.objects);
        self.bytes += std::mem::take(&mut other.bytes);
        self.weak.add(&mut other.weak);
        self.foreign.add(&mut other.foreign);
        self.showing.add(&mut other.showing);
    }
}

/// One who goes through objects.
pub(crate) struct Scanner {
    epoch: u8,
    own: NonNull<Owner>,
    shows: Shows,
    /// Writes down the references of one object.
    tracer: Tracer<'static>,
    pub(super) block: Block,
    /// Work for the second round.
    pub(super) later: Block,
    ahead: Ahead,
    /// Objects of other heaps that it has met, by their addresses.
    foreign: Shards<()>,
    pub(super) found: Found,
    /// Of what was found, and is not in the mark's count yet.
    pub(super) bytes: usize,
}

impl Scanner {
    pub(super) fn new(mark: &Mark) -> Scanner {
        Scanner {
            epoch: mark.epoch,
            own: mark.own,
            shows: mark.shows,
            tracer: Tracer::scanning(),
            block: Block::default(),
            later: Block::default(),
            ahead: Ahead::default(),
            foreign: Shards::default(),
            found: Found::default(),
            bytes: 0,
        }
    }

    /// Goes through what it has, so many objects at most; gives the half of it away whenever others
    /// have nothing.
    pub(super) fn run(&mut self, most: usize, mark: &Mark, round: Round) {
        for looked in 1..=most {
            if mark.list.is_closed() {
                break;
            }
            if let Some(object) = self.pop() {
                // SAFETY: what was met is an object that lived when the mark began, and is there
                // until the mark has ended.
                let _others = unsafe { self.visit(object, round) };
            } else if let Some((slice, left)) = self.block.parts.pop() {
                // SAFETY: as above, a slice.
                unsafe { self.visit_part(slice, left, round) };
            } else {
                break;
            }
            if looked.is_multiple_of(LOOK) {
                self.shares(mark);
            }
        }
        while let Some(object) = self.ahead.pop() {
            self.block.objects.push(object);
        }
    }

    fn shares(&mut self, mark: &Mark) {
        mark.counts(&mut self.bytes);
        let objects = self.block.objects.len();
        let much = objects >= LOOK || self.block.parts.len() > 1;
        if objects >= 2 * BLOCK || (much && mark.list.has_nothing()) {
            mark.list.put(&mut self.block.half());
        }
    }

    /// The next object, of which the memory was asked for a while ago.
    #[inline]
    fn pop(&mut self) -> Option<NonNull<Header>> {
        loop {
            let Some(object) = self.block.objects.pop() else {
                return self.ahead.pop();
            };
            // SAFETY: what was met is there until the mark has ended.
            let first = unsafe { self.ahead.push(object) };
            if first.is_some() {
                return first;
            }
        }
    }

    /// Goes through one object, unless somebody else has been or is there.
    ///
    /// # Safety
    ///
    /// It lived when the mark began, and is there.
    #[inline]
    pub(super) unsafe fn visit(&mut self, object: NonNull<Header>, round: Round) -> Claim {
        // SAFETY: the caller's. The header of an old object does not change.
        let (table, state) = unsafe { (object.as_ref().table(), state_of(object.cast())) };
        if table.mutable && table.needs_trace {
            match claim(state, self.epoch) {
                Claim::Mine => {}
                other => return other,
            }
            // SAFETY: claimed: it is as it was when the mark began, and nobody changes it (H6).
            unsafe { self.tracer.scan(object, table) };
            claim::release(state, self.epoch);
        } else {
            // Nobody changes what it refers to.
            if !claim::meet(state, self.epoch) {
                return Claim::Done;
            }
            if table.needs_trace {
                // SAFETY: as above.
                match unsafe { long(object, table) } {
                    Some(elements) => self.block.parts.push((object, elements)),
                    // SAFETY: as above.
                    None => unsafe { self.tracer.scan(object, table) },
                }
            }
        }
        // SAFETY: the caller's; how much room an object has does not change.
        let bytes = unsafe { table.room(object) };
        self.found.objects += 1;
        self.found.bytes += bytes;
        self.bytes += bytes;
        if table.show.is_some() && puts_off(self.shows, round) {
            self.found.showing.push(object);
        }
        self.sort(round);
        Claim::Mine
    }

    /// Goes through the last elements of those that are left.
    ///
    /// # Safety
    ///
    /// As for `visit`; it is a slice, and has as many.
    unsafe fn visit_part(&mut self, slice: NonNull<Header>, left: usize, round: Round) {
        let from = left.saturating_sub(PART);
        if from != 0 {
            self.block.parts.push((slice, from));
        }
        // SAFETY: the caller's: nobody changes a slice.
        unsafe { self.tracer.scan_part(slice, from..left) };
        self.sort(round);
    }

    /// Goes through what roots refer to.
    pub(super) fn roots(&mut self, report: impl FnOnce(&mut Tracer<'static>), round: Round) {
        report(&mut self.tracer);
        self.sort(round);
    }

    /// Another root, or an object that the mark may not have met.
    pub(super) fn met(&mut self, object: NonNull<Header>) {
        self.block.objects.push(object);
    }

    /// A root that others know.
    pub(super) fn known(&mut self, object: NonNull<Header>) {
        match self.shows {
            Shows::Private => self.later.objects.push(object),
            Shows::Nothing => self.block.objects.push(object),
        }
    }

    /// What was written down of an object goes where it belongs.
    #[inline]
    fn sort(&mut self, round: Round) {
        let scanned = self.tracer.scanned();
        self.block.objects.append(scanned.own);
        if !scanned.weak.is_empty() {
            self.found.weak.append(scanned.weak);
        }
        for object in scanned.shared.drain(..) {
            // SAFETY: a reference that was reported is to a living object, which its owner keeps
            // until this mark has ended.
            if unsafe { Owner::of(object) } != self.own {
                if self.foreign.insert(object.addr().get(), ()).is_none() {
                    self.found.foreign.push(object);
                }
            } else if puts_off(self.shows, round) {
                self.later.objects.push(object);
            } else {
                self.block.objects.push(object);
            }
        }
    }
}

/// How many elements a slice has, if they are too many to be gone through at once.
///
/// # Safety
///
/// The object is there.
#[inline]
unsafe fn long(object: NonNull<Header>, table: &Table) -> Option<usize> {
    let Layout::Slice(_) = table.layout else {
        return None;
    };
    // SAFETY: the caller's: the length follows the header.
    let elements = unsafe { object.add(1).cast::<Length>().read() }.elements();
    (elements > PART).then_some(elements)
}
