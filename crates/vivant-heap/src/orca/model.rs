//! A reference model of ORCA: the expected counts, by numbers and maps alone. Nothing moves,
//! nothing is freed; a mark is a walk.
//!
//! | here | in the crate | in the paper |
//! |---|---|---|
//! | `Heap::exports` | `Sharing::exports` | LRC |
//! | `Heap::imports` | `Sharing::imports` | FRC |
//! | `Heap::inbox` | `CountInbox` | OMC, the queue's part |
//! | `pack`, `unpack` | `Mutator::pack`, `unpack` | send, receive (§4.5) |
//! | `returned` | `Drop for Parcel` | |
//! | `mark` | `Core::major`, `Sharing::marked` | the cycle (§4.4) |

use super::sharing::CREDIT;
use std::collections::{BTreeMap, BTreeSet};

/// A shared object, by its index among all.
pub(crate) type Number = usize;

pub(crate) struct Thing {
    owner: usize,
    parts: Vec<Number>,
}

#[derive(Default)]
pub(crate) struct Heap {
    /// The references of its state.
    pub(crate) state: Vec<Number>,
    pub(crate) exports: BTreeMap<Number, i64>,
    pub(crate) imports: BTreeMap<Number, i64>,
    inbox: Vec<(Number, i64)>,
}

#[derive(Default)]
pub(crate) struct Model {
    things: Vec<Thing>,
    pub(crate) heaps: Vec<Heap>,
}

impl Model {
    pub(crate) fn make(&mut self, owner: usize, parts: Vec<Number>) -> Number {
        self.things.push(Thing { owner, parts });
        self.things.len() - 1
    }

    pub(crate) fn parts(&self, thing: Number) -> &[Number] {
        &self.things[thing].parts
    }

    pub(crate) fn pack(&mut self, heap: usize, thing: Number) {
        let owner = self.things[thing].owner;
        if owner == heap {
            *self.heaps[heap].exports.entry(thing).or_default() += 1;
            return;
        }
        let import = self.heaps[heap].imports.entry(thing).or_default();
        if *import > 1 {
            *import -= 1;
        } else {
            *import += CREDIT - 1;
            self.heaps[owner].inbox.push((thing, CREDIT));
        }
    }

    pub(crate) fn unpack(&mut self, heap: usize, thing: Number) {
        if self.things[thing].owner == heap {
            *self.heaps[heap].exports.entry(thing).or_default() -= 1;
        } else {
            *self.heaps[heap].imports.entry(thing).or_default() += 1;
        }
    }

    /// A parcel is dropped.
    pub(crate) fn returned(&mut self, thing: Number) {
        let owner = self.things[thing].owner;
        self.heaps[owner].inbox.push((thing, -1));
    }

    pub(crate) fn drain_all(&mut self, heap: usize) {
        let heap = &mut self.heaps[heap];
        for (thing, by) in std::mem::take(&mut heap.inbox) {
            *heap.exports.entry(thing).or_default() += by;
        }
    }

    /// The objects that a heap's own roots reach: its own things, and the foreign ones that these
    /// or the state refer to.
    fn met(&self, heap: usize) -> BTreeSet<Number> {
        let Heap { state, exports, .. } = &self.heaps[heap];
        let known = exports.iter().filter(|(_, count)| **count != 0);
        let mut grey: Vec<Number> = state.clone();
        grey.extend(known.map(|(thing, _)| thing));
        let mut met = BTreeSet::new();
        while let Some(thing) = grey.pop() {
            if met.insert(thing) && self.things[thing].owner == heap {
                grey.extend(&self.things[thing].parts);
            }
        }
        met
    }

    pub(crate) fn mark(&mut self, heap: usize) {
        self.drain_all(heap);
        let met = self.met(heap);
        let is_foreign = |thing: &&Number| self.things[**thing].owner != heap;
        let needed: Vec<Number> = met.iter().filter(is_foreign).copied().collect();
        let this = &mut self.heaps[heap];
        this.exports.retain(|_, count| *count != 0);
        let mut changes = Vec::new();
        for thing in needed {
            let import = this.imports.entry(thing).or_default();
            if *import == 0 {
                *import = CREDIT;
                changes.push((thing, CREDIT));
            }
        }
        this.imports.retain(|thing, count| {
            let stays = met.contains(thing);
            if !stays {
                changes.push((*thing, -*count));
            }
            stays
        });
        for (thing, by) in changes {
            let owner = self.things[thing].owner;
            self.heaps[owner].inbox.push((thing, by));
        }
    }

    /// The live things, if `outside` are in parcels.
    pub(crate) fn reached(&self, outside: impl Iterator<Item = Number>) -> BTreeSet<Number> {
        let states = self.heaps.iter().flat_map(|heap| &heap.state).copied();
        let mut grey: Vec<Number> = states.chain(outside).collect();
        let mut reached = BTreeSet::new();
        while let Some(thing) = grey.pop() {
            if reached.insert(thing) {
                grey.extend(&self.things[thing].parts);
            }
        }
        reached
    }
}
