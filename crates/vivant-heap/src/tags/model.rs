//! A model of tags: which objects must live, and which heap may open which tag. In the model
//! nothing moves, nothing is counted, and a tag keeps the object itself alive.
//!
//! | here | in the crate |
//! |---|---|
//! | `Thing` | a private object; its tag entry is not modelled |
//! | `Thing::parts` | its `Gc`s |
//! | `Thing::tags`, `Heap::tags`, a message | `Tag`s |

use std::collections::BTreeSet;

/// An object, by its index among all.
pub(super) type Number = usize;

pub(super) struct Thing {
    pub(super) owner: usize,
    pub(super) parts: Vec<Number>,
    pub(super) tags: Vec<Number>,
}

/// The content of a heap's state.
#[derive(Default)]
pub(super) struct Heap {
    pub(super) objects: Vec<Number>,
    pub(super) tags: Vec<Number>,
}

#[derive(Default)]
pub(super) struct Model {
    pub(super) things: Vec<Thing>,
    pub(super) heaps: Vec<Heap>,
}

impl Model {
    pub(super) fn make(&mut self, owner: usize, parts: Vec<Number>, tags: Vec<Number>) -> Number {
        self.things.push(Thing { owner, parts, tags });
        self.things.len() - 1
    }

    /// Opens a tag in a turn of `heap`. Returns whether the heap owns the object, and then has it.
    pub(super) fn open(&mut self, heap: usize, tag: Number) -> bool {
        let mine = self.things[tag].owner == heap;
        if mine {
            self.heaps[heap].objects.push(tag);
        }
        mine
    }

    /// Whether no tag lies in this object or in one reachable from it. Only such an object becomes
    /// a part of an older one: so no reference cycle spans two heaps, which counts alone would
    /// never free.
    pub(super) fn names_nothing(&self, thing: Number) -> bool {
        let (mut grey, mut met) = (vec![thing], BTreeSet::new());
        while let Some(thing) = grey.pop() {
            if met.insert(thing) {
                grey.extend(&self.things[thing].parts);
            }
        }
        met.iter().all(|thing| self.things[*thing].tags.is_empty())
    }

    /// The live objects, if messages contain these tags.
    pub(super) fn reached(&self, messages: impl Iterator<Item = Number>) -> BTreeSet<Number> {
        let had = |heap: &Heap| [&heap.objects[..], &heap.tags[..]].concat();
        let mut grey: Vec<Number> = self.heaps.iter().flat_map(had).collect();
        grey.extend(messages);
        let mut reached = BTreeSet::new();
        while let Some(thing) = grey.pop() {
            if reached.insert(thing) {
                grey.extend(&self.things[thing].parts);
                grey.extend(&self.things[thing].tags);
            }
        }
        reached
    }
}
