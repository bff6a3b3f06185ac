//! A model of regions: the owner of each object, by numbers and sets alone. In the model nothing
//! moves, nothing is counted, nothing is freed.
//!
//! |---|---|
//! | `Home::Region` | the region's pages, `Role::Region` |
//! | `Home::Heap` | the heap's pages after `merge` |
//! | `Home::Shared` | the heap's pages after `freeze`; objects that `val` has allocated there |
//! | `Region::Closed` | an `Iso` |
//! | `Region::Gone` | an `Iso` that was merged, frozen or dropped |
//! | `merge`, `freeze`, `freeze_within`, `map` | `Iso::merge`, `Iso::freeze`, `Iso::map` |
//! | `alive` | what marks mark, and what the count verifier visits |
//! | `imports` | the required content of `Sharing::imports`: the shared objects that a region refers to |

use std::collections::BTreeSet;

/// An object, by its index among all.
pub(super) type Number = usize;

/// The owner of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    Region(usize),
    Heap(usize),
    /// Immutable, and shared.
    Shared(usize),
}

pub(super) struct Thing {
    pub(super) home: Home,
    /// References to private objects of the same owner; of a frozen object, to objects frozen with
    /// it.
    pub(super) next: Vec<Number>,
    /// References to objects that were shared when this one was written.
    pub(super) shared: Vec<Number>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Region {
    Closed { root: Number },
    Gone,
}

#[derive(Default)]
pub(super) struct Heap {
    /// What its state refers to: private objects, and shared ones.
    pub(super) own: Vec<Number>,
    pub(super) shared: Vec<Number>,
}

#[derive(Default)]
pub(super) struct Model {
    pub(super) things: Vec<Thing>,
    pub(super) regions: Vec<Region>,
    pub(super) heaps: Vec<Heap>,
}

impl Model {
    pub(super) fn make(&mut self, home: Home, next: Vec<Number>) -> Number {
        let shared = Vec::new();
        self.things.push(Thing { home, next, shared });
        self.things.len() - 1
    }

    /// Creates a region. The next object that is added is its root.
    pub(super) fn region(&mut self) -> usize {
        let root = self.things.len();
        self.regions.push(Region::Closed { root });
        self.regions.len() - 1
    }

    pub(super) fn root(&self, region: usize) -> Number {
        match self.regions[region] {
            Region::Closed { root } => root,
            Region::Gone => panic!("the region {region} is no more"),
        }
    }

    /// All private objects reachable from an object.
    pub(super) fn below(&self, thing: Number) -> BTreeSet<Number> {
        self.reached(vec![thing], |thing| thing.next.clone())
    }

    fn reached(
        &self,
        mut grey: Vec<Number>,
        edges: impl Fn(&Thing) -> Vec<Number>,
    ) -> BTreeSet<Number> {
        let mut reached = BTreeSet::new();
        while let Some(thing) = grey.pop() {
            if reached.insert(thing) {
                grey.extend(edges(&self.things[thing]));
            }
        }
        reached
    }

    /// Gives all objects of a region, also those that its root does not reach, another owner.
    fn all_to(&mut self, region: usize, home: Home) -> Number {
        let root = self.root(region);
        for thing in &mut self.things {
            if thing.home == Home::Region(region) {
                thing.home = home;
            }
        }
        self.regions[region] = Region::Gone;
        root
    }

    pub(super) fn merge(&mut self, region: usize, heap: usize) {
        let root = self.all_to(region, Home::Heap(heap));
        self.heaps[heap].own.push(root);
    }

    pub(super) fn freeze(&mut self, region: usize, heap: usize) {
        let root = self.all_to(region, Home::Shared(heap));
        self.heaps[heap].shared.push(root);
    }

    /// Freezes a region within an open one: the open region's root refers to the frozen root.
    pub(super) fn freeze_within(&mut self, region: usize, around: usize, heap: usize) {
        let root = self.all_to(region, Home::Shared(heap));
        let around = self.root(around);
        self.things[around].shared.push(root);
    }

    pub(super) fn dropped(&mut self, region: usize) {
        self.regions[region] = Region::Gone;
    }

    /// The target of the root's last edge becomes the new root, if there is one.
    pub(super) fn map(&mut self, region: usize) -> Option<Number> {
        let root = *self.things[self.root(region)].next.last()?;
        self.regions[region] = Region::Closed { root };
        Some(root)
    }

    /// The shared objects that a region must count: those that its own reachable objects refer to.
    pub(super) fn imports(&self, region: usize) -> BTreeSet<Number> {
        let own = self.below(self.root(region));
        own.iter()
            .flat_map(|thing| self.things[*thing].shared.iter().copied())
            .collect()
    }

    /// The live objects, if parcels contain these.
    pub(super) fn alive(&self, parcels: impl Iterator<Item = Number>) -> BTreeSet<Number> {
        let regions = self.regions.iter().filter_map(|region| match region {
            Region::Closed { root } => Some(*root),
            Region::Gone => None,
        });
        let heaps = self.heaps.iter();
        let states = heaps.flat_map(|heap| heap.own.iter().chain(&heap.shared).copied());
        let roots = regions.chain(states).chain(parcels).collect();
        self.reached(roots, |thing| {
            thing.next.iter().chain(&thing.shared).copied().collect()
        })
    }

    /// The invariant of all live objects: private objects refer to private objects of the same
    /// owner, a frozen object to objects of its own heap.
    pub(super) fn holds(&self, alive: &BTreeSet<Number>) -> bool {
        let home = |thing: &Number| self.things[*thing].home;
        alive.iter().all(|thing| {
            let Thing { next, shared, .. } = &self.things[*thing];
            let before = |other: &Number| matches!(home(other), Home::Shared(_));
            next.iter().all(|other| home(other) == home(thing)) && shared.iter().all(before)
        })
    }
}
