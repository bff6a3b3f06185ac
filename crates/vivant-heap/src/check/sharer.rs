//! [`Sharer`]: a heap with any type of state, for queries about what it shares.

use super::heap_graph::HeapGraph;
use super::object_name::ObjectName;
use crate::gc::detached_heap::DetachedHeap;
use crate::gc::heap::{Heap, Root};
use crate::group::member::Member;
use crate::mark::walk::{Edges, Search, Walk};
use crate::object::external_edges::ExternalEdges;
use crate::object::object_trait::Object;
use crate::orca::heap_handle::HeapHandle;
use crate::orca::heap_id::HeapId;
use crate::weak::tag_entry::TagEntry;
use std::any::Any;
use std::collections::HashSet;

/// A heap with any type of state, for queries about what it shares.
pub trait Sharer {
    /// The heap's name.
    fn id(&self) -> HeapId;

    /// Drains the count inbox, so that a query is exact. Costs some nanoseconds a delta.
    fn drain(&mut self);

    /// As [`Heap::enter_phase`].
    fn enter_phase(&mut self, phase: u64);

    /// What refers to each live object, by the deltas that this heap has drained.
    ///
    /// Walks all live objects of the heap: for occasional diagnosis.
    fn graph(&mut self) -> HeapGraph;

    /// Passes the external edges of the state, and of all live objects with the object that has
    /// them, to `each`.
    ///
    /// Walks all live objects of the heap: for occasional diagnosis.
    fn external_edges(&mut self, each: &mut dyn FnMut(Option<ObjectName>, &dyn Any));

    /// Passes each shared object of another heap to which this heap refers to `each`, with this
    /// heap's weight of it, as of its last mark.
    fn imports(&self, each: &mut dyn FnMut(ObjectName, i64));

    /// Passes the external edges of shared objects of this heap to `each`: of live objects that
    /// the state does not reach by references of its own, as other heaps may read them.
    ///
    /// Walks all live objects of the heap twice: for occasional diagnosis.
    fn show_shared(&mut self, each: &mut dyn FnMut(&dyn Any));

    /// This heap, for a group mark. A mark that the group mark begins waits for its end, which
    /// wakes the heap's waker.
    fn member(&mut self) -> Member<'_>;
}

impl<R: Root> Sharer for Heap<R> {
    fn id(&self) -> HeapId {
        self.core().owner.id()
    }

    fn drain(&mut self) {
        let _released = self.drain_all();
    }

    fn enter_phase(&mut self, phase: u64) {
        Heap::enter_phase(self, phase);
    }

    fn graph(&mut self) -> HeapGraph {
        let (core, state) = self.parts();
        let mut walk = Walk::new(HeapHandle::name(&core.owner), core.live_exports());
        let roots = walk.state(state);
        let mut graph = HeapGraph::new(roots.all().map(ObjectName::of));
        // SAFETY: the heap is borrowed, so no turn runs; the objects that its state and its exports
        // refer to are live (X7).
        unsafe {
            walk.finish(|object, edges| {
                let name = ObjectName::of(object);
                graph.add(name, edges.all().map(ObjectName::of));
                if !TagEntry::is_one(object) {
                    graph.name_type(name, (object.as_ref().table().name)());
                }
            });
        }
        let exports = self.core().between_turns().exports.iter();
        let exports = exports.filter(|export| export.count > 0);
        graph.export(exports.map(|export| (ObjectName::of(export.object), export.count)));
        graph
    }

    fn external_edges(&mut self, each: &mut dyn FnMut(Option<ObjectName>, &dyn Any)) {
        let (core, state) = self.parts();
        let mut walk = Walk::new(HeapHandle::name(&core.owner), core.live_exports());
        walk.state(state);
        state.trace_external(&mut ExternalEdges::to(&mut |shown| each(None, shown)));
        // SAFETY: the heap is borrowed, so no turn runs; the objects that its state and its exports
        // refer to are live (X7). A value follows its header.
        unsafe {
            walk.finish(|object, _| {
                if let Some(show) = object.as_ref().table().show {
                    let mut named = |shown: &dyn Any| each(Some(ObjectName::of(object)), shown);
                    show(object.add(1).cast(), &mut ExternalEdges::to(&mut named));
                }
            });
        }
    }

    fn imports(&self, each: &mut dyn FnMut(ObjectName, i64)) {
        let imports = self.core().between_turns().imports.iter();
        imports.for_each(|(object, weight)| each(ObjectName::of(object), weight));
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
        let private = private.visited().into_iter();
        let private: HashSet<_> = private.map(ObjectName::of).collect();
        self.external_edges(&mut |object, shown| {
            if object.is_some_and(|object| !private.contains(&object)) {
                each(shown);
            }
        });
    }

    fn member(&mut self) -> Member<'_> {
        Heap::member(self)
    }
}

impl DetachedHeap {
    /// This heap, for queries about what it shares.
    pub fn sharer(&mut self) -> &mut dyn Sharer {
        &mut self.heap
    }
}
