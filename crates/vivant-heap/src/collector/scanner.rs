//! [`Scanner`]: scans objects during a concurrent mark, for a marker or for the owner's write
//! barrier.

use super::EdgeSnapshot;
use super::claim::{self, Claim, claim};
use super::mark::{Mark, defers_shared};
use super::mark_queue::{MarkingPass, Packet};
use super::prefetch::PrefetchQueue;
use super::tracer::Tracer;
use crate::header::{Header, Layout, Length, Table};
use crate::linear_hash_map::LinearHashMap;
use crate::orca::HeapHandle;
use crate::pages::chunk::state_of;
use crate::segmented_stack::SegmentedStack;
use std::ptr::NonNull;

/// Elements of a slice that are scanned at once.
const PART: usize = 512;

/// After so many objects a scanner checks whether other markers have no work.
const CHECK_INTERVAL: usize = 256;

/// A packet with fewer entries than this accepts more. A worker with twice as many returns half of
/// them to the queue: the system may preempt the worker, and then its packet is stuck.
const PACKET: usize = 8192;

/// A work packet: marked or referenced objects that are still to be scanned.
#[derive(Default)]
pub(crate) struct WorkPacket {
    pub(super) objects: Vec<NonNull<Header>>,
    /// Slices, each with the number of its elements that are left, counted from the first.
    parts: Vec<(NonNull<Header>, usize)>,
}

impl Packet for WorkPacket {
    fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.parts.is_empty()
    }

    fn has_room(&self) -> bool {
        self.objects.len() + self.parts.len() < PACKET
    }

    fn append(&mut self, other: &mut WorkPacket) {
        self.objects.append(&mut other.objects);
        self.parts.append(&mut other.parts);
    }
}

impl WorkPacket {
    /// Splits off the older half: the objects queued first lead to most of the graph.
    fn half(&mut self) -> WorkPacket {
        let rest = self.objects.split_off(self.objects.len() / 2);
        let parts = self.parts.split_off(self.parts.len().div_ceil(2));
        WorkPacket {
            objects: std::mem::replace(&mut self.objects, rest),
            parts: std::mem::replace(&mut self.parts, parts),
        }
    }
}

/// What scanners find while they mark.
#[derive(Default)]
pub(crate) struct MarkResults {
    pub(super) objects: u64,
    pub(super) bytes: usize,
    pub(super) weak: SegmentedStack<NonNull<Header>>,
    /// Objects of other heaps; each scanner lists an object once.
    pub(super) foreign: SegmentedStack<NonNull<Header>>,
    /// Objects that may show an external edge and that no other heap can reach.
    pub(super) edge_holders: SegmentedStack<NonNull<Header>>,
}

impl MarkResults {
    /// Takes all that another one has.
    pub(super) fn add(&mut self, other: &mut MarkResults) {
        self.objects += std::mem::take(&mut other.objects);
        self.bytes += std::mem::take(&mut other.bytes);
        self.weak.add(&mut other.weak);
        self.foreign.add(&mut other.foreign);
        self.edge_holders.add(&mut other.edge_holders);
    }
}

/// Scans objects and lists what they refer to.
pub(crate) struct Scanner {
    epoch: u8,
    own: NonNull<HeapHandle>,
    edge_snapshot: EdgeSnapshot,
    /// Lists the references of one object.
    tracer: Tracer<'static>,
    pub(super) packet: WorkPacket,
    /// The deferred queue: work for the second marking pass.
    pub(super) deferred: WorkPacket,
    prefetch: PrefetchQueue,
    /// Objects of other heaps that this scanner has found, by their addresses.
    foreign: LinearHashMap<()>,
    pub(super) results: MarkResults,
    /// Bytes in `results` that are not in the mark's count yet.
    pub(super) bytes: usize,
}

impl Scanner {
    pub(super) fn new(mark: &Mark) -> Scanner {
        Scanner {
            epoch: mark.epoch,
            own: mark.own,
            edge_snapshot: mark.edge_snapshot,
            tracer: Tracer::scanning(),
            packet: WorkPacket::default(),
            deferred: WorkPacket::default(),
            prefetch: PrefetchQueue::default(),
            foreign: LinearHashMap::default(),
            results: MarkResults::default(),
            bytes: 0,
        }
    }

    /// Scans at most `most` objects of its packet. Returns half of the packet to the queue whenever
    /// other markers have no work.
    pub(super) fn run(&mut self, most: usize, mark: &Mark, pass: MarkingPass) {
        for looked in 1..=most {
            if mark.queue.is_closed() {
                break;
            }
            if let Some(object) = self.pop() {
                // SAFETY: a queued object was alive when the mark began, and stays in its place
                // until the mark has ended.
                let _others = unsafe { self.visit(object, pass) };
            } else if let Some((slice, left)) = self.packet.parts.pop() {
                // SAFETY: a queued slice, alive when the mark began; it stays in its place until
                // the mark has ended.
                unsafe { self.visit_part(slice, left, pass) };
            } else {
                break;
            }
            if looked.is_multiple_of(CHECK_INTERVAL) {
                self.share(mark);
            }
        }
        while let Some(object) = self.prefetch.pop() {
            self.packet.objects.push(object);
        }
    }

    fn share(&mut self, mark: &Mark) {
        mark.counts(&mut self.bytes);
        let objects = self.packet.objects.len();
        let much = objects >= CHECK_INTERVAL || self.packet.parts.len() > 1;
        if objects >= 2 * PACKET || (much && mark.queue.is_empty()) {
            mark.queue.put(&mut self.packet.half());
        }
    }

    /// The next object to scan; it was prefetched a while ago.
    #[inline]
    fn pop(&mut self) -> Option<NonNull<Header>> {
        loop {
            let Some(object) = self.packet.objects.pop() else {
                return self.prefetch.pop();
            };
            // SAFETY: a queued object stays in its place until the mark has ended.
            let first = unsafe { self.prefetch.push(object) };
            if first.is_some() {
                return first;
            }
        }
    }

    /// Marks and scans one object, unless another scanner has done so or is doing it.
    ///
    /// # Safety
    ///
    /// The object was alive when the mark began, and is in its place.
    #[inline]
    pub(super) unsafe fn visit(&mut self, object: NonNull<Header>, pass: MarkingPass) -> Claim {
        // SAFETY: the caller's contract. The header of an old object does not change.
        let (table, state) = unsafe { (object.as_ref().table(), state_of(object.cast())) };
        if table.mutable && table.needs_trace {
            match claim(state, self.epoch) {
                Claim::Mine => {}
                other => return other,
            }
            // SAFETY: claimed: it is as it was when the mark began, and no turn changes it (H6).
            unsafe { self.tracer.scan(object, table) };
            claim::release(state, self.epoch);
        } else {
            // Immutable, or without references: no claim is needed to read it.
            if !claim::mark(state, self.epoch) {
                return Claim::Done;
            }
            if table.needs_trace {
                // SAFETY: the caller's contract; the length of a slice does not change.
                match unsafe { long_slice(object, table) } {
                    Some(elements) => self.packet.parts.push((object, elements)),
                    // SAFETY: the caller's contract; an immutable object does not change while it
                    // is scanned.
                    None => unsafe { self.tracer.scan(object, table) },
                }
            }
        }
        // SAFETY: the caller's contract; the size of an object does not change.
        let bytes = unsafe { table.room(object) };
        self.results.objects += 1;
        self.results.bytes += bytes;
        self.bytes += bytes;
        if table.show.is_some() && defers_shared(self.edge_snapshot, pass) {
            self.results.edge_holders.push(object);
        }
        self.sort(pass);
        Claim::Mine
    }

    /// Scans the last `PART` of the elements that are left, and queues the rest.
    ///
    /// # Safety
    ///
    /// As for `visit`; the object is a slice, and has at least `left` elements.
    unsafe fn visit_part(&mut self, slice: NonNull<Header>, left: usize, pass: MarkingPass) {
        let from = left.saturating_sub(PART);
        if from != 0 {
            self.packet.parts.push((slice, from));
        }
        // SAFETY: the caller's contract: slices are immutable.
        unsafe { self.tracer.scan_part(slice, from..left) };
        self.sort(pass);
    }

    /// Scans the roots.
    pub(super) fn roots(&mut self, report: impl FnOnce(&mut Tracer<'static>), pass: MarkingPass) {
        report(&mut self.tracer);
        self.sort(pass);
    }

    /// Queues another root, or an object that the mark may not have reached.
    pub(super) fn enqueue(&mut self, object: NonNull<Header>) {
        self.packet.objects.push(object);
    }

    /// Queues an export.
    pub(super) fn enqueue_export(&mut self, object: NonNull<Header>) {
        match self.edge_snapshot {
            EdgeSnapshot::Private => self.deferred.objects.push(object),
            EdgeSnapshot::Off => self.packet.objects.push(object),
        }
    }

    /// Sorts the references of a scanned object: own ones to the packet or the deferred queue, weak
    /// and foreign ones to the findings.
    #[inline]
    fn sort(&mut self, pass: MarkingPass) {
        let scanned = self.tracer.scanned();
        self.packet.objects.append(scanned.own);
        if !scanned.weak.is_empty() {
            self.results.weak.append(scanned.weak);
        }
        for object in scanned.shared.drain(..) {
            // SAFETY: a reported reference leads to a live object, which its owner keeps until this
            // mark has ended.
            if unsafe { HeapHandle::of(object) } != self.own {
                if self.foreign.insert(object.addr().get(), ()).is_none() {
                    self.results.foreign.push(object);
                }
            } else if defers_shared(self.edge_snapshot, pass) {
                self.deferred.objects.push(object);
            } else {
                self.packet.objects.push(object);
            }
        }
    }
}

/// The number of elements of a slice, if it has too many to be scanned at once.
///
/// # Safety
///
/// The object is in its place.
#[inline]
unsafe fn long_slice(object: NonNull<Header>, table: &Table) -> Option<usize> {
    let Layout::Slice(_) = table.layout else {
        return None;
    };
    // SAFETY: the caller's contract: the length follows the header.
    let elements = unsafe { object.add(1).cast::<Length>().read() }.elements();
    (elements > PART).then_some(elements)
}
