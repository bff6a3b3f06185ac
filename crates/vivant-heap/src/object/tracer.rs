//! [`Tracer`]: lists the references of a value. [`Object::trace`](crate::Object::trace) reports
//! them to it.

use super::object_trait::Object;
use super::table::Table;
use crate::alloc::header::Header;
use std::ops::Range;
use std::ptr::NonNull;

/// Visits the references of objects. [`Object::trace`](crate::Object::trace) reports them to it.
pub struct Tracer<'a> {
    /// References to objects of the value's own heap. For a marker's scanner it is the mark stack:
    /// an explicit list, so deep structures need no deep stack (H12).
    pub(crate) own: Vec<NonNull<Header>>,
    purpose: TracePurpose<'a>,
    /// The object that is being scanned, if it is one.
    object: Option<NonNull<Header>>,
    /// Weak references that were scanned.
    pub(crate) weak: Vec<NonNull<Header>>,
}

/// What the tracer does with a reported reference to a shared object.
enum TracePurpose<'a> {
    List {
        shared: Vec<NonNull<Header>>,
    },
    /// Passes it to a closure; the value has no other references.
    Visit(&'a mut dyn FnMut(NonNull<Header>)),
}

/// The references that a value reports, in its order.
pub(crate) struct Listed {
    /// To objects of its own heap.
    pub(crate) own: Vec<NonNull<Header>>,
    /// To shared objects of any owner.
    pub(crate) shared: Vec<NonNull<Header>>,
}

impl<'a> Tracer<'a> {
    fn with(purpose: TracePurpose<'a>) -> Self {
        Tracer {
            own: Vec::new(),
            purpose,
            object: None,
            weak: Vec::new(),
        }
    }

    /// A tracer that lists the references of one object after the other, for a scanner.
    pub(crate) fn scanning() -> Tracer<'static> {
        let shared = Vec::new();
        Tracer::with(TracePurpose::List { shared })
    }

    /// Lists the references of an object.
    ///
    /// # Safety
    ///
    /// The object is in its place, has this type, and no thread changes it.
    #[inline]
    pub(crate) unsafe fn scan(&mut self, object: NonNull<Header>, table: &Table) {
        self.object = Some(object);
        // SAFETY: the caller's contract; the value follows the header.
        unsafe { (table.trace)(object.add(1).cast(), self) };
    }

    /// Lists the references of some elements of a slice.
    ///
    /// # Safety
    ///
    /// The slice is in its place, has these elements, and no thread changes it.
    pub(crate) unsafe fn scan_part(&mut self, slice: NonNull<Header>, elements: Range<usize>) {
        // SAFETY: the caller's contract; the length follows the header.
        unsafe {
            if let Some(trace_part) = slice.as_ref().table().trace_part {
                trace_part(slice.add(1).cast(), elements, self);
            }
        }
    }

    /// The listed references to shared objects, for the caller to empty.
    #[inline]
    pub(crate) fn shared_list(&mut self) -> &mut Vec<NonNull<Header>> {
        match &mut self.purpose {
            TracePurpose::List { shared } => shared,
            TracePurpose::Visit(_) => unreachable!("a tracer that scans lists"),
        }
    }

    /// Returns the references that `report` reports, in its order.
    pub(crate) fn list(report: impl FnOnce(&mut Tracer<'_>)) -> Listed {
        let mut tracer = Tracer::scanning();
        report(&mut tracer);
        let shared = std::mem::take(tracer.shared_list());
        Listed {
            own: tracer.own,
            shared,
        }
    }

    /// Calls `each` for the references to shared objects in a value that has no others.
    #[inline]
    pub(crate) fn each_reference<'gc>(
        value: &impl Object<'gc>,
        mut each: impl FnMut(NonNull<Header>),
    ) {
        value.trace(&mut Tracer::with(TracePurpose::Visit(&mut each)));
    }

    /// Visits a reference to a shared object, perhaps of another heap.
    #[inline]
    pub(crate) fn shared(&mut self, object: NonNull<Header>) {
        match &mut self.purpose {
            TracePurpose::List { shared } => shared.push(object),
            TracePurpose::Visit(each) => each(object),
        }
    }

    /// Visits a reference to an object of this heap.
    #[inline]
    pub(crate) fn edge(&mut self, object: NonNull<Header>) {
        self.own.push(object);
    }

    /// Notes that the object that is being scanned is a weak reference.
    pub(crate) fn weak(&mut self) {
        self.weak.extend(self.object);
    }
}

impl std::fmt::Debug for Tracer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tracer").finish_non_exhaustive()
    }
}
