//! The retainers of a shared object: [`Heap::retainers`] at its owner, [`Sharer::weight_of`] at
//! every other heap.

use crate::alloc::header::Header;
use crate::gc::detached_heap::DetachedHeap;
use crate::gc::heap::{Heap, Root};
use crate::group::member::Member;
use crate::mark::walk::{Edges, Search, Walk};
use crate::object::external_edges::ExternalEdges;
use crate::object::object_trait::Object;
use crate::orca::heap_handle::HeapHandle;
use crate::orca::heap_id::HeapId;
use crate::share::holder_root::Held;
use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::ptr::NonNull;

/// Names a shared object in a query for its retainers. The name retains nothing, and may name
/// another object as soon as this one is freed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ObjectName(usize);

impl ObjectName {
    fn of(object: NonNull<Header>) -> ObjectName {
        ObjectName(object.addr().get())
    }
}

/// The retainers of a shared object, by its owner's counts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retainers {
    /// Whether the owner's own state refers to it, directly or through other objects.
    pub own: bool,
    /// The exports through which it is reached: itself, and its containers. In the order in which
    /// they were exported.
    pub containers: Vec<ObjectName>,
    /// The sum of their weights at other heaps, plus one for each reference in a parcel or a
    /// [`Held`].
    pub weight: i64,
}

impl<T: ?Sized> Held<T> {
    /// The name of the held object.
    #[must_use]
    pub fn object(&self) -> ObjectName {
        ObjectName::of(self.header())
    }

    /// The heap that owns the object, or did until the heap ended.
    #[must_use]
    pub fn owner(&self) -> HeapId {
        // SAFETY: this counts the object, so its owner is live.
        unsafe { HeapHandle::of(self.header()).as_ref() }.id()
    }
}

/// A heap with any type of state, for queries about what it shares.
pub trait Sharer {
    /// The heap's name.
    fn id(&self) -> HeapId;

    /// Drains the count inbox, so that a query is exact. Costs some nanoseconds a delta.
    fn drain(&mut self);

    /// The retainers of an object of this heap, by the deltas that this heap has drained.
    ///
    /// Walks all live objects of the heap: for occasional diagnosis. An object of another heap has
    /// no retainers here.
    fn retainers(&mut self, of: ObjectName) -> Retainers;

    /// Passes the external edges of shared objects of this heap to `each`: of live objects that
    /// the state does not reach by references of its own, as other heaps may read them.
    ///
    /// Walks all live objects of the heap twice: for occasional diagnosis.
    fn show_shared(&mut self, each: &mut dyn FnMut(&dyn Any));

    /// This heap, for a group mark.
    fn member(&mut self) -> Member<'_>;

    /// The sum of the weights that this heap has of some foreign objects, as of its last mark;
    /// `None` if it has none of them.
    fn weight_of(&self, objects: &[ObjectName]) -> Option<i64>;
}

impl<R: Root> Sharer for Heap<R> {
    fn id(&self) -> HeapId {
        self.core().owner.id()
    }

    fn drain(&mut self) {
        let _released = self.drain_all();
    }

    fn retainers(&mut self, of: ObjectName) -> Retainers {
        let (core, state) = self.parts();
        let mut walk = Walk::new(HeapHandle::name(&core.owner), core.live_exports());
        let roots = walk.state(state);
        // The objects that refer to each object.
        let mut referrers_of: HashMap<ObjectName, Vec<ObjectName>> = HashMap::new();
        let each = |from, edges: &Edges| {
            for object in edges.all().map(ObjectName::of) {
                let referrers = referrers_of.entry(object).or_default();
                referrers.push(ObjectName::of(from));
            }
        };
        // SAFETY: the heap is borrowed, so no turn runs; the objects that its state and its exports
        // refer to are live.
        unsafe { walk.finish(each) };
        let mut reaching = Search::new();
        reaching.extend([of], ());
        while let Some((object, ())) = reaching.next() {
            reaching.extend(referrers_of.get(&object).into_iter().flatten().copied(), ());
        }
        let reaching = reaching.visited();
        let exports = self.core().between_turns().exports.iter();
        let exports = exports.filter(|export| export.count > 0);
        let exports = exports.map(|export| (ObjectName::of(export.object), export.count));
        let (containers, weights): (Vec<_>, Vec<_>) = exports
            .filter(|(object, _)| reaching.contains(object))
            .unzip();
        Retainers {
            own: roots
                .all()
                .any(|object| reaching.contains(&ObjectName::of(object))),
            containers,
            weight: weights.into_iter().sum(),
        }
    }

    fn show_shared(&mut self, each: &mut dyn FnMut(&dyn Any)) {
        let (core, state) = self.parts();
        let own = HeapHandle::name(&core.owner);
        let mut private = Search::new();
        let roots = Edges::of(own, |tracer| state.trace(tracer));
        private.extend(roots.private, ());
        while let Some((object, ())) = private.next() {
            // SAFETY: the heap is borrowed, so no turn runs; what its state reaches is live (X7).
            let edges = unsafe { Edges::of_object(own, object) };
            private.extend(edges.private, ());
        }
        let private = private.visited();
        let mut walk = Walk::new(own, core.live_exports());
        walk.state(state);
        // SAFETY: the heap is borrowed, so no turn runs; the objects that its state and its exports
        // refer to are live (X7).
        let all = unsafe { walk.finish(|_, _| {}) };
        let mut shown = ExternalEdges::to(each);
        for object in all.difference(&private) {
            // SAFETY: the walk has found it live, and nothing has run since (X7). The value follows
            // the header.
            unsafe {
                if let Some(show) = object.as_ref().table().show {
                    show(object.add(1).cast(), &mut shown);
                }
            }
        }
    }

    fn member(&mut self) -> Member<'_> {
        Heap::member(self)
    }

    fn weight_of(&self, objects: &[ObjectName]) -> Option<i64> {
        let objects: HashSet<_> = objects.iter().copied().collect();
        let imports = self.core().between_turns().imports.iter();
        let of_these = imports.filter(|(object, _)| objects.contains(&ObjectName::of(*object)));
        of_these
            .map(|(_, weight)| weight)
            .reduce(|sum, weight| sum + weight)
    }
}

impl DetachedHeap {
    /// This heap, for queries about what it shares.
    pub fn sharer(&mut self) -> &mut dyn Sharer {
        &mut self.heap
    }
}
