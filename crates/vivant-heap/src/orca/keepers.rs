//! What keeps a shared object: [`Heap::keepers`] at its owner, [`Sharer::weight_of`] at everybody
//! else's.

use super::held::Held;
use super::orphan::Orphan;
use super::owner::Owner;
use crate::header::Header;
use crate::heap::{Heap, Root};
use crate::id::HeapId;
use crate::walk::{Edges, Search, Walk};
use std::collections::{HashMap, HashSet};
use std::ptr::NonNull;

/// Names a shared object, for who asks what keeps it. It keeps nothing itself, and as soon as the
/// object is gone it may name another one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ObjectName(usize);

impl ObjectName {
    fn of(object: NonNull<Header>) -> ObjectName {
        ObjectName(object.addr().get())
    }
}

/// What keeps a shared object, as its owner knows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Keepers {
    /// Whether the owner's own state refers to it, directly or by other objects.
    pub own: bool,
    /// What others know of by which it is reached: itself, and those of which it is a part. In the
    /// order in which others came to know them.
    pub wholes: Vec<ObjectName>,
    /// The weights that others have of these in all: those of heaps, and one for each reference in
    /// a parcel or a [`Held`].
    pub weight: i64,
}

impl<T: ?Sized> Held<T> {
    /// What is held.
    #[must_use]
    pub fn object(&self) -> ObjectName {
        ObjectName::of(self.header())
    }

    /// The heap whose object it is, or was, if that has ended.
    #[must_use]
    pub fn owner(&self) -> HeapId {
        // SAFETY: this counts the object, so its owner is there.
        unsafe { Owner::of(self.header()).as_ref() }.id()
    }
}

/// A heap, whatever its state is, as far as what it shares goes.
pub trait Sharer {
    /// The heap's name.
    fn id(&self) -> HeapId;

    /// What keeps an object of this heap, as far as it has heard of others.
    ///
    /// Walks through all that lives in the heap: for finding out, now and then. One that this heap
    /// does not own is kept by nothing here.
    fn keepers(&mut self, of: ObjectName) -> Keepers;

    /// The weights that this heap has of some objects of another one; none if it has none of them,
    /// as far as its last mark knows.
    fn weight_of(&self, objects: &[ObjectName]) -> Option<i64>;
}

impl<R: Root> Sharer for Heap<R> {
    fn id(&self) -> HeapId {
        self.core().owner.id()
    }

    fn keepers(&mut self, of: ObjectName) -> Keepers {
        let (core, state) = self.parts();
        let known: Vec<_> = core.sharing.get_mut().known().collect();
        let mut walk = Walk::new(Owner::name(&core.owner), known);
        let roots = walk.state(state);
        // The objects that refer to each object.
        let mut known_to: HashMap<ObjectName, Vec<ObjectName>> = HashMap::new();
        let each = |from, edges: &Edges| {
            for object in edges.all().map(ObjectName::of) {
                let referrers = known_to.entry(object).or_default();
                referrers.push(ObjectName::of(from));
            }
        };
        // SAFETY: the heap is borrowed, so no turn runs; what its state refers to and what others
        // know lives.
        unsafe { walk.finish(each) };
        let mut leads = Search::new();
        leads.extend([of], ());
        while let Some((object, ())) = leads.next() {
            leads.extend(known_to.get(&object).into_iter().flatten().copied(), ());
        }
        let leads = leads.met();
        let exports = self.core().between_turns().exports.iter();
        let known = exports.filter(|export| export.count > 0);
        let known = known.map(|export| (ObjectName::of(export.object), export.count));
        let (wholes, weights): (Vec<_>, Vec<_>) =
            known.filter(|(object, _)| leads.contains(object)).unzip();
        Keepers {
            own: roots
                .all()
                .any(|object| leads.contains(&ObjectName::of(object))),
            wholes,
            weight: weights.into_iter().sum(),
        }
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

impl Orphan {
    /// Its heap, as far as what it shares goes.
    pub fn sharer(&mut self) -> &mut dyn Sharer {
        &mut self.heap
    }
}
