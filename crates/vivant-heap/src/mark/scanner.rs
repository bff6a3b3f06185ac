//! [`Scanner`]: marks and scans objects, for a marker, for the heap's holder, or for the write
//! barrier.

use super::abort_on_unwind::AbortOnUnwind;
use super::claim::{self, Claim, claim};
use super::mark_queue::{MarkingPass, Packet};
use super::marker::{Mark, MarkMode, defers_shared};
use super::prefetch::PrefetchQueue;
use crate::alloc::header::{Header, Layout, Length};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::object::table::Table;
use crate::object::tracer::Tracer;
use crate::orca::heap_handle::HeapHandle;
use crate::pages::chunk::state_of;
use crate::segmented::linear_hash_map::LinearHashMap;
use crate::segmented::segmented_stack::SegmentedStack;
use crate::sync::{AtomicU8, Ordering};
use std::ptr::NonNull;

/// Which objects a mark lists for [`Heap::show`](crate::Heap::show), the tracing of external
/// edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EdgeSnapshot {
    Off,
    /// Objects that may show an external edge and are reachable without passing a shared object: no
    /// other heap can reach these.
    Private,
}

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
    pub(crate) objects: Vec<NonNull<Header>>,
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
    fn split_half(&mut self) -> WorkPacket {
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
    pub(crate) objects: u64,
    pub(crate) bytes: usize,
    pub(crate) weak: SegmentedStack<NonNull<Header>>,
    /// Objects of other heaps; each scanner lists an object once.
    pub(crate) foreign: SegmentedStack<NonNull<Header>>,
    /// Objects that may show an external edge and that no other heap can reach.
    pub(crate) edge_holders: SegmentedStack<NonNull<Header>>,
}

impl MarkResults {
    /// Takes all that another one has.
    pub(crate) fn add(&mut self, other: &mut MarkResults) {
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
    mode: MarkMode,
    own: NonNull<HeapHandle>,
    edge_snapshot: EdgeSnapshot,
    /// Lists references. Those to objects of this heap are the mark stack: the objects of the work
    /// packet that this scanner has taken.
    tracer: Tracer<'static>,
    /// The slices of the packet.
    parts: Vec<(NonNull<Header>, usize)>,
    /// The deferred queue: work for the second marking pass.
    pub(crate) deferred: WorkPacket,
    prefetch: PrefetchQueue,
    /// Objects of other heaps that this scanner has found, by their addresses.
    foreign: LinearHashMap<()>,
    pub(crate) results: MarkResults,
    /// Bytes in `results` that are not in the mark's count yet.
    pub(crate) bytes: usize,
}

impl Scanner {
    pub(crate) fn new(mark: &Mark) -> Scanner {
        Scanner {
            epoch: mark.epoch,
            mode: mark.mode,
            own: mark.own,
            edge_snapshot: mark.edge_snapshot,
            tracer: Tracer::scanning(),
            parts: Vec::new(),
            deferred: WorkPacket::default(),
            prefetch: PrefetchQueue::default(),
            foreign: LinearHashMap::default(),
            results: MarkResults::default(),
            bytes: 0,
        }
    }

    /// Takes a packet. The scanner has none.
    pub(crate) fn load(&mut self, packet: WorkPacket) {
        self.tracer.own = packet.objects;
        self.parts = packet.parts;
    }

    /// Returns the packet: what is left to scan.
    pub(crate) fn unload(&mut self) -> WorkPacket {
        WorkPacket {
            objects: std::mem::take(&mut self.tracer.own),
            parts: std::mem::take(&mut self.parts),
        }
    }

    /// The number of objects that are left to scan.
    #[inline]
    pub(crate) fn left(&self) -> usize {
        self.tracer.own.len()
    }

    /// Scans at most `most` objects of its packet. Returns half of the packet to the queue whenever
    /// other markers have no work.
    pub(crate) fn run(&mut self, most: usize, mark: &Mark, pass: MarkingPass) {
        for scanned in 1..=most {
            if mark.queue.is_closed() {
                break;
            }
            if let Some(object) = self.pop() {
                // SAFETY: a queued object was alive when the mark began, and stays in its place
                // until the mark has ended.
                let _others = unsafe { self.mark_and_scan(object, pass) };
            } else if let Some((slice, left)) = self.parts.pop() {
                // SAFETY: a queued slice, alive when the mark began; it stays in its place until
                // the mark has ended.
                unsafe { self.scan_part(slice, left, pass) };
            } else {
                break;
            }
            if scanned.is_multiple_of(CHECK_INTERVAL) {
                self.share_packet(mark);
            }
        }
        while let Some(object) = self.prefetch.pop() {
            self.tracer.own.push(object);
        }
    }

    /// Scans everything that is queued, in both passes: a stop-the-world mark has no other marker.
    pub(crate) fn run_alone(&mut self, mark: &Mark) {
        let guard = AbortOnUnwind;
        self.run(usize::MAX, mark, MarkingPass::First);
        let deferred = std::mem::take(&mut self.deferred);
        self.load(deferred);
        self.run(usize::MAX, mark, MarkingPass::Second);
        std::mem::forget(guard);
    }

    fn share_packet(&mut self, mark: &Mark) {
        if self.mode == MarkMode::StopTheWorld {
            return;
        }
        mark.add_bytes(&mut self.bytes);
        let objects = self.left();
        let is_large = objects >= CHECK_INTERVAL || self.parts.len() > 1;
        if objects >= 2 * PACKET || (is_large && mark.queue.is_empty()) {
            let mut packet = self.unload();
            mark.queue.put(&mut packet.split_half());
            self.load(packet);
        }
    }

    /// The next object to scan; it was prefetched a while ago.
    #[inline]
    fn pop(&mut self) -> Option<NonNull<Header>> {
        loop {
            let Some(object) = self.tracer.own.pop() else {
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
    pub(crate) unsafe fn mark_and_scan(
        &mut self,
        object: NonNull<Header>,
        pass: MarkingPass,
    ) -> Claim {
        // SAFETY: the caller's contract. The header of an old object does not change.
        let (table, state) = unsafe { (object.as_ref().table(), state_of(object.cast())) };
        // Immutable, without references, or marked by one thread: read without a claim.
        let is_claimed = self.mode == MarkMode::Concurrent && table.mutable && table.needs_trace;
        let claim = match self.mode {
            MarkMode::StopTheWorld => mark_alone(state, self.epoch),
            MarkMode::Concurrent if is_claimed => claim(state, self.epoch),
            MarkMode::Concurrent => claim::mark(state, self.epoch),
        };
        if claim != Claim::Mine {
            return claim;
        }
        if table.needs_trace && !forgets_children() {
            // SAFETY: the caller's contract; the length of a slice does not change.
            match unsafe { long_slice(object, table) } {
                Some(elements) => self.parts.push((object, elements)),
                // SAFETY: the caller's contract. The object is immutable, or claimed, or no turn
                // runs: so it is as it was when the mark began, and does not change meanwhile (H6).
                None => unsafe { self.tracer.scan(object, table) },
            }
        }
        if is_claimed {
            claim::release(state, self.epoch);
        }
        // SAFETY: the caller's contract; the size of an object does not change.
        let bytes = unsafe { table.block_bytes(object) };
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
    unsafe fn scan_part(&mut self, slice: NonNull<Header>, left: usize, pass: MarkingPass) {
        let from = left.saturating_sub(PART);
        if from != 0 {
            self.parts.push((slice, from));
        }
        // SAFETY: the caller's contract: slices are immutable.
        unsafe { self.tracer.scan_part(slice, from..left) };
        self.sort(pass);
    }

    /// Scans the roots.
    pub(crate) fn roots(&mut self, report: impl FnOnce(&mut Tracer<'static>), pass: MarkingPass) {
        report(&mut self.tracer);
        self.sort(pass);
    }

    /// Queues another root, or an object that the mark may not have reached.
    pub(crate) fn enqueue(&mut self, object: NonNull<Header>) {
        self.tracer.own.push(object);
    }

    /// Queues an export.
    pub(crate) fn enqueue_export(&mut self, object: NonNull<Header>) {
        match self.edge_snapshot {
            EdgeSnapshot::Private => self.deferred.objects.push(object),
            EdgeSnapshot::Off => self.tracer.own.push(object),
        }
    }

    /// Sorts the other references of a scanned object: own shared ones to the mark stack or the
    /// deferred queue, weak and foreign ones to the findings.
    #[inline]
    fn sort(&mut self, pass: MarkingPass) {
        if !self.tracer.weak.is_empty() {
            self.results.weak.append(&mut self.tracer.weak);
        }
        if !self.tracer.shared_list().is_empty() {
            self.sort_shared(pass);
        }
    }

    fn defers(&self, pass: MarkingPass) -> bool {
        #[cfg(test)]
        if is_injected(InjectedFault::SharedInSnapshot) {
            return false;
        }
        defers_shared(self.edge_snapshot, pass)
    }

    fn sort_shared(&mut self, pass: MarkingPass) {
        let mut shared = std::mem::take(self.tracer.shared_list());
        for object in shared.drain(..) {
            // SAFETY: a reported reference leads to a live object, which its owner keeps until this
            // mark has ended.
            if unsafe { HeapHandle::of(object) } != self.own {
                if self.foreign.insert(object.addr().get(), ()).is_none() {
                    self.results.foreign.push(object);
                }
            } else if self.defers(pass) {
                self.deferred.objects.push(object);
            } else {
                self.tracer.own.push(object);
            }
        }
        // Keeps its memory.
        *self.tracer.shared_list() = shared;
    }
}

/// Marks an object in a stop-the-world mark. That needs no claim: the caller is the only marker,
/// and no turn runs.
#[inline]
fn mark_alone(state: &AtomicU8, epoch: u8) -> Claim {
    // Relaxed: one thread marks.
    if state.load(Ordering::Relaxed) == epoch {
        return Claim::Done;
    }
    state.store(epoch, Ordering::Relaxed);
    Claim::Mine
}

#[cfg(not(test))]
#[inline]
fn forgets_children() -> bool {
    false
}

#[cfg(test)]
fn forgets_children() -> bool {
    is_injected(InjectedFault::ForgottenChildren)
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
