//! [`Tracer`]: marks and traces objects. After a stop-the-world mark each object that the roots
//! reach has the present epoch.

use super::prefetch::PrefetchQueue;
use crate::header::{Header, Table};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::old::Epoch;
use crate::orca::{Counts, HeapHandle};
use crate::pages::chunk::state_of;
use crate::segmented_stack::SegmentedStack;
use crate::sync::Ordering;
use crate::types::Object;
use std::ops::Range;
use std::ptr::NonNull;

/// Visits the references of objects. [`Object::trace`](crate::Object::trace) reports them to it.
pub struct Tracer<'a> {
    epoch: Epoch,
    purpose: TracePurpose<'a>,
    /// The mark queue: marked, and not yet scanned. An explicit list, so deep structures need no
    /// deep stack (H12).
    mark_stack: Vec<NonNull<Header>>,
    /// Number of objects that the mark has marked.
    objects_marked: u64,
    /// Bytes of the marked blocks and large objects.
    pub(super) bytes_marked: usize,
    /// The object that is being scanned, if it is one.
    object: Option<NonNull<Header>>,
    /// Weak references that were scanned.
    weak: Vec<NonNull<Header>>,
    private: Option<Private>,
}

/// State of the first pass, which does not pass shared objects: it finds what no other heap can
/// reach.
#[derive(Default)]
struct Private {
    /// Marked objects that may show an external edge.
    edge_holders: SegmentedStack<NonNull<Header>>,
    /// The deferred queue: shared objects of this heap that were reached. They are scanned later.
    defer: Vec<NonNull<Header>>,
}

/// What the tracer does with a reported reference.
enum TracePurpose<'a> {
    /// Marks unmarked objects and queues them for scanning. Of shared objects it marks only those
    /// of this owner; foreign ones go to `imports`.
    Mark {
        own: NonNull<HeapHandle>,
        imports: &'a mut Counts,
        /// The prefetch queue: seen, and not yet marked.
        prefetch: PrefetchQueue,
    },
    /// Lists all references, and follows none.
    List { shared: Vec<NonNull<Header>> },
    /// Passes references to shared objects to a closure; the value has no others.
    Visit(&'a mut dyn FnMut(NonNull<Header>)),
}

/// The references that a value reports, in its order.
pub(crate) struct Listed {
    /// To objects of its own heap.
    pub(crate) own: Vec<NonNull<Header>>,
    /// To shared objects of any owner.
    pub(crate) shared: Vec<NonNull<Header>>,
}

/// The references of one scanned object: to objects of its own heap, to shared ones, and the object
/// itself if it is a weak reference.
pub(super) struct Scanned<'a> {
    pub(super) own: &'a mut Vec<NonNull<Header>>,
    pub(super) shared: &'a mut Vec<NonNull<Header>>,
    pub(super) weak: &'a mut Vec<NonNull<Header>>,
}

/// Whether shared objects are deferred.
#[cfg(not(test))]
fn defers_shared(_: &&mut Private) -> bool {
    true
}

#[cfg(test)]
fn defers_shared(_: &&mut Private) -> bool {
    !is_injected(InjectedFault::SharedInSnapshot)
}

impl<'a> Tracer<'a> {
    /// A tracer that marks for this owner.
    pub(super) fn new(epoch: Epoch, own: NonNull<HeapHandle>, imports: &'a mut Counts) -> Self {
        let prefetch = PrefetchQueue::default();
        Tracer::with(
            epoch,
            TracePurpose::Mark {
                own,
                imports,
                prefetch,
            },
        )
    }

    fn with(epoch: Epoch, purpose: TracePurpose<'a>) -> Self {
        Tracer {
            epoch,
            purpose,
            mark_stack: Vec::new(),
            objects_marked: 0,
            bytes_marked: 0,
            object: None,
            weak: Vec::new(),
            private: None,
        }
    }

    /// A tracer that lists the references of one object after the other, for a scanner of a
    /// concurrent mark.
    pub(super) fn scanning() -> Tracer<'static> {
        let shared = Vec::new();
        Tracer::with(Epoch::FIRST, TracePurpose::List { shared })
    }

    /// Lists the references of an object.
    ///
    /// # Safety
    ///
    /// The object is in its place, has this type, and no thread changes it.
    #[inline]
    pub(super) unsafe fn scan(&mut self, object: NonNull<Header>, table: &Table) {
        self.object = Some(object);
        // SAFETY: the caller's contract; the value follows the header.
        unsafe { (table.trace)(object.add(1).cast(), self) };
    }

    /// Lists the references of some elements of a slice.
    ///
    /// # Safety
    ///
    /// The slice is in its place, has these elements, and no thread changes it.
    pub(super) unsafe fn scan_part(&mut self, slice: NonNull<Header>, elements: Range<usize>) {
        // SAFETY: the caller's contract; the length follows the header.
        unsafe {
            if let Some(trace_part) = slice.as_ref().table().trace_part {
                trace_part(slice.add(1).cast(), elements, self);
            }
        }
    }

    /// The lists, for the caller to empty.
    #[inline]
    pub(super) fn scanned(&mut self) -> Scanned<'_> {
        let TracePurpose::List { shared } = &mut self.purpose else {
            unreachable!("it scans")
        };
        Scanned {
            own: &mut self.mark_stack,
            shared,
            weak: &mut self.weak,
        }
    }

    /// Returns the references that `report` reports, in its order.
    pub(crate) fn list(report: impl FnOnce(&mut Tracer<'_>)) -> Listed {
        let shared = Vec::new();
        let mut tracer = Tracer::with(Epoch::FIRST, TracePurpose::List { shared });
        report(&mut tracer);
        let Tracer {
            mark_stack: own,
            purpose,
            ..
        } = tracer;
        match purpose {
            TracePurpose::List { shared } => Listed { own, shared },
            TracePurpose::Mark { .. } | TracePurpose::Visit(_) => unreachable!("nobody changes it"),
        }
    }

    /// Calls `each` for the references to shared objects in a value that has no others.
    #[inline]
    pub(crate) fn tell<'gc>(value: &impl Object<'gc>, mut each: impl FnMut(NonNull<Header>)) {
        value.trace(&mut Tracer::with(
            Epoch::FIRST,
            TracePurpose::Visit(&mut each),
        ));
    }

    /// Visits a reference to a shared object, perhaps of another heap.
    #[inline]
    pub(crate) fn shared(&mut self, object: NonNull<Header>) {
        match &mut self.purpose {
            TracePurpose::List { shared } => shared.push(object),
            TracePurpose::Visit(each) => each(object),
            TracePurpose::Mark { own, imports, .. } => {
                // SAFETY: a reported reference leads to a live object, which its owner keeps until
                // this mark has ended.
                if unsafe { HeapHandle::of(object) } != *own {
                    imports.meet(object);
                } else if let Some(private) = self.private.as_mut().filter(defers_shared) {
                    private.defer.push(object);
                } else {
                    self.edge(object);
                }
            }
        }
    }

    /// Visits a reference to an object of this heap.
    #[inline]
    pub(crate) fn edge(&mut self, object: NonNull<Header>) {
        let ready = match &mut self.purpose {
            // SAFETY: a reported reference leads to a live object.
            TracePurpose::Mark { prefetch, .. } => unsafe { prefetch.push(object) },
            TracePurpose::List { .. } => {
                self.mark_stack.push(object);
                None
            }
            TracePurpose::Visit(_) => None,
        };
        if let Some(ready) = ready {
            self.mark(ready);
        }
    }

    /// Marks an object, some references after its prefetch, and queues it for scanning.
    #[inline]
    fn mark(&mut self, object: NonNull<Header>) {
        // SAFETY: a reported reference leads to a live object, and to an old one: the nursery is
        // empty when a mark runs. Relaxed: one thread marks.
        let state = unsafe { state_of(object.cast()) };
        if state.load(Ordering::Relaxed) == self.epoch.0 {
            return;
        }
        state.store(self.epoch.0, Ordering::Relaxed);
        self.objects_marked += 1;
        // SAFETY: a reported reference leads to a live object, so its header is valid.
        let table = unsafe { object.as_ref() }.table();
        // SAFETY: a reported reference leads to a live object of this type.
        self.bytes_marked += unsafe { table.room(object) };
        #[cfg(test)]
        if is_injected(InjectedFault::ForgottenChildren) {
            return;
        }
        if table.show.is_some()
            && let Some(private) = &mut self.private
        {
            private.edge_holders.push(object);
        }
        if table.needs_trace {
            self.mark_stack.push(object);
        }
    }

    /// The first pass of a mark that lists objects for [`Heap::show`](crate::Heap::show): marks
    /// what the roots reach without passing a shared object. Then queues those shared objects.
    /// Returns the objects of the first pass that may show an external edge.
    pub(super) fn private<'gc>(
        &mut self,
        roots: &impl Object<'gc>,
    ) -> SegmentedStack<NonNull<Header>> {
        self.private = Some(Private::default());
        roots.trace(self);
        self.drain();
        let Private {
            edge_holders,
            defer,
        } = self.private.take().unwrap_or_default();
        defer.into_iter().for_each(|object| self.edge(object));
        edge_holders
    }

    /// Notes that the object that is being scanned is a weak reference.
    pub(crate) fn weak(&mut self) {
        self.weak.extend(self.object);
    }

    /// The number of objects marked until now.
    pub(super) fn objects_marked(&self) -> u64 {
        self.objects_marked
    }

    /// Takes the weak references that were scanned.
    pub(super) fn weak_references(&mut self) -> Vec<NonNull<Header>> {
        std::mem::take(&mut self.weak)
    }

    /// Scans all that is queued, until nothing is left.
    pub(super) fn drain(&mut self) {
        while let Some(object) = self.next() {
            self.object = Some(object);
            // SAFETY: a live object; the value follows the header. No turn runs, so no thread
            // writes it.
            unsafe { (object.as_ref().table().trace)(object.add(1).cast(), self) };
        }
    }

    /// The next object to scan. `None` if the queues are empty.
    #[inline]
    fn next(&mut self) -> Option<NonNull<Header>> {
        loop {
            if let Some(object) = self.mark_stack.pop() {
                return Some(object);
            }
            let TracePurpose::Mark { prefetch, .. } = &mut self.purpose else {
                return None;
            };
            let ready = prefetch.pop()?;
            self.mark(ready);
        }
    }
}

impl std::fmt::Debug for Tracer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tracer").finish_non_exhaustive()
    }
}
