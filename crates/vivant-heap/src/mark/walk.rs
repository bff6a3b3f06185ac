//! A walk over all live objects of one heap, between two turns.
//!
//! The verifier, the count verifier ([`CountVerifier`](crate::CountVerifier)), retaining paths
//! ([`Sharer::graph`](crate::Sharer::graph)) and the check of marks under stress are loops
//! over [`Walk::next`] and [`Walk::scan`]. A walk writes nothing to the heap, and allocates some
//! words for each object and reference.

use crate::alloc::header::Header;
use crate::object::object_trait::Object;
use crate::object::tracer::Tracer;
use crate::orca::heap_handle::HeapHandle;
use crate::pages::chunk::owner_of;
use std::collections::HashSet;
use std::hash::Hash;
use std::ptr::NonNull;

/// A graph search: visits each node once, with the first edge that led to it.
pub(crate) struct Search<N, E> {
    visited: HashSet<N>,
    open: Vec<(N, E)>,
}

impl<N: Copy + Eq + Hash, E: Copy> Search<N, E> {
    pub(crate) fn new() -> Self {
        Search {
            visited: HashSet::new(),
            open: Vec::new(),
        }
    }

    /// Adds an edge to each of these nodes.
    pub(crate) fn extend(&mut self, nodes: impl IntoIterator<Item = N>, edge: E) {
        self.open.extend(nodes.into_iter().map(|node| (node, edge)));
    }

    /// The next node that was not visited before.
    pub(crate) fn next(&mut self) -> Option<(N, E)> {
        while let Some((node, edge)) = self.open.pop() {
            if self.visited.insert(node) {
                return Some((node, edge));
            }
        }
        None
    }

    /// All visited nodes.
    pub(crate) fn visited(self) -> HashSet<N> {
        self.visited
    }
}

/// The references of one value, by where they lead.
pub(crate) struct Edges {
    /// To objects of the heap, by [`Gc`](crate::Gc).
    pub(crate) private: Vec<NonNull<Header>>,
    /// To shared objects of the heap, by [`Val`](crate::Val).
    pub(crate) shared: Vec<NonNull<Header>>,
    /// To shared objects of other heaps.
    pub(crate) foreign: Vec<NonNull<Header>>,
}

impl Edges {
    pub(crate) fn of(own: NonNull<HeapHandle>, report: impl FnOnce(&mut Tracer<'_>)) -> Edges {
        let listed = Tracer::list(report);
        // SAFETY: a reference leads into a chunk, even after its object was freed.
        let is_own =
            |object: &NonNull<Header>| unsafe { owner_of(object.cast()) } == Some(own.cast());
        let (shared, foreign) = listed.shared.into_iter().partition(is_own);
        Edges {
            private: listed.own,
            shared,
            foreign,
        }
    }

    /// The references of an object.
    ///
    /// # Safety
    ///
    /// An object of the heap begins there, and no turn runs.
    pub(crate) unsafe fn of_object(own: NonNull<HeapHandle>, object: NonNull<Header>) -> Edges {
        // SAFETY: the caller's contract (X1).
        let table = unsafe { object.as_ref() }.table();
        // SAFETY: the caller's contract (X1): an object of this type; the value follows the header.
        let report =
            |tracer: &mut Tracer<'_>| unsafe { (table.trace)(object.add(1).cast(), tracer) };
        Edges::of(own, report)
    }

    /// All references.
    pub(crate) fn all(&self) -> impl Iterator<Item = NonNull<Header>> {
        self.own().chain(self.foreign.iter().copied())
    }

    /// References to objects of the heap.
    pub(crate) fn own(&self) -> impl Iterator<Item = NonNull<Header>> {
        self.private.iter().chain(&self.shared).copied()
    }
}

/// The type of the object that holds a reference; `None` for a root.
pub(crate) type Referrer = Option<&'static str>;

/// A walk over the objects of a heap.
pub(crate) struct Walk {
    own: NonNull<HeapHandle>,
    search: Search<NonNull<Header>, Referrer>,
}

impl Walk {
    /// A walk of the heap with this owner, from these roots.
    pub(crate) fn new(
        own: NonNull<HeapHandle>,
        roots: impl IntoIterator<Item = NonNull<Header>>,
    ) -> Walk {
        let mut walk = Walk {
            own,
            search: Search::new(),
        };
        walk.roots(roots);
        walk
    }

    /// Adds roots.
    pub(crate) fn roots(&mut self, roots: impl IntoIterator<Item = NonNull<Header>>) {
        self.search.extend(roots, None);
    }

    /// The references of a heap's state. Their objects are visited later.
    pub(crate) fn state<'gc>(&mut self, state: &impl Object<'gc>) -> Edges {
        let edges = Edges::of(self.own, |tracer| state.trace(tracer));
        self.search.extend(edges.own(), None);
        edges
    }

    /// The next object, once, before its references are listed.
    pub(crate) fn next(&mut self) -> Option<(NonNull<Header>, Referrer)> {
        self.search.next()
    }

    /// The references of an object. Their objects are visited later.
    ///
    /// # Safety
    ///
    /// An object of the heap begins there, and no turn runs.
    pub(crate) unsafe fn scan(&mut self, object: NonNull<Header>) -> Edges {
        // SAFETY: the caller's contract (X1).
        let (name, edges) = unsafe {
            let name = (object.as_ref().table().name)();
            (name, Edges::of_object(self.own, object))
        };
        self.search.extend(edges.own(), Some(name));
        edges
    }

    /// Walks to the end, and passes each object with its references to `each`. Returns all objects.
    ///
    /// # Safety
    ///
    /// The objects that the roots and the state refer to are live, and no turn runs.
    pub(crate) unsafe fn finish(
        mut self,
        mut each: impl FnMut(NonNull<Header>, &Edges),
    ) -> HashSet<NonNull<Header>> {
        while let Some((object, _)) = self.next() {
            // SAFETY: the caller's contract: objects that live objects refer to are live.
            each(object, &unsafe { self.scan(object) });
        }
        self.search.visited()
    }
}
