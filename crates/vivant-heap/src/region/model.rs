//! Regions in small: who has what, by numbers and sets alone. Nothing moves, nothing is counted,
//! nothing is freed.
//!
//! | here | in the crate |
//! |---|---|
//! | `Home::Region` | the region's pages, `Role::Region` |
//! | `Home::Heap` | the heap's pages after `merge` |
//! | `Home::Shared` | the heap's pages after `freeze`; what `val` has made there |
//! | `Region::Closed` | an `Iso` |
//! | `Region::Gone` | an `Iso` that was merged, frozen or dropped |
//! | `merge`, `freeze`, `freeze_within`, `map` | `Iso::merge`, `Iso::freeze`, `Iso::map` |
//! | `alive` | what marks meet, and what the ledger walks through |
//! | `imports` | what `Sharing::imports` has to have: what a region refers to that is shared |

use std::collections::BTreeSet;

/// A thing, by its place among all.
pub(super) type Number = usize;

/// Whose a thing is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    Region(usize),
    Heap(usize),
    /// Immutable, and known to whoever has it.
    Shared(usize),
}

pub(super) struct Thing {
    pub(super) home: Home,
    /// Private ones beside it; of a frozen one, what they are then.
    pub(super) next: Vec<Number>,
    /// What it refers to that was shared when it was written.
    pub(super) shared: Vec<Number>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Region {
    Closed { root: Number },
    Gone,
}

#[derive(Default)]
pub(super) struct Heap {
    /// What its state refers to: private things, and shared ones.
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

    /// A region for things that are made in it next, the first of which is its root.
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

    /// All that is private below a thing.
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

    /// All of a region, also what its root does not reach, is elsewhere.
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

    /// The same, in an open region: its root refers to what is frozen.
    pub(super) fn freeze_within(&mut self, region: usize, around: usize, heap: usize) {
        let root = self.all_to(region, Home::Shared(heap));
        let around = self.root(around);
        self.things[around].shared.push(root);
    }

    pub(super) fn dropped(&mut self, region: usize) {
        self.regions[region] = Region::Gone;
    }

    /// The root's last edge leads to the new root, if there is one.
    pub(super) fn map(&mut self, region: usize) -> Option<Number> {
        let root = *self.things[self.root(region)].next.last()?;
        self.regions[region] = Region::Closed { root };
        Some(root)
    }

    /// The shared things that a region must count: those that its root reaches and that lie in its
    /// own things.
    pub(super) fn imports(&self, region: usize) -> BTreeSet<Number> {
        let own = self.below(self.root(region));
        own.iter()
            .flat_map(|thing| self.things[*thing].shared.iter().copied())
            .collect()
    }

    /// What lives, if these are in parcels.
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

    /// What must hold of all that lives: private things refer to private ones of the same home, a
    /// frozen one to what its heap has.
    pub(super) fn holds(&self, alive: &BTreeSet<Number>) -> bool {
        let home = |thing: &Number| self.things[*thing].home;
        alive.iter().all(|thing| {
            let Thing { next, shared, .. } = &self.things[*thing];
            let known = |other: &Number| matches!(home(other), Home::Shared(_));
            next.iter().all(|other| home(other) == home(thing)) && shared.iter().all(known)
        })
    }
}
