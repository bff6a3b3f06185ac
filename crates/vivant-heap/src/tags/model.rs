//! Tags in small: what must live, and who may open what. Nothing moves, nothing is counted: whoever
//! has a tag has the object itself.
//!
//! | here | in the crate |
//! |---|---|
//! | `Thing` | a private object; its stub is of no account |
//! | `Thing::parts` | its `Gc`s |
//! | `Thing::tags`, `Heap::tags`, a message | `Tag`s |

use std::collections::BTreeSet;

/// An object, by its place among all.
pub(super) type Number = usize;

pub(super) struct Thing {
    pub(super) owner: usize,
    pub(super) parts: Vec<Number>,
    pub(super) tags: Vec<Number>,
}

/// What a heap's state has.
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

    /// Who opens this tag, and has the object then.
    pub(super) fn open(&mut self, heap: usize, tag: Number) -> bool {
        let mine = self.things[tag].owner == heap;
        if mine {
            self.heaps[heap].objects.push(tag);
        }
        mine
    }

    /// Whether no name lies in this thing or below it. Only such a thing becomes a part of an older
    /// one: so no circle leads through two heaps, which no count would end.
    pub(super) fn names_nothing(&self, thing: Number) -> bool {
        let (mut grey, mut met) = (vec![thing], BTreeSet::new());
        while let Some(thing) = grey.pop() {
            if met.insert(thing) {
                grey.extend(&self.things[thing].parts);
            }
        }
        met.iter().all(|thing| self.things[*thing].tags.is_empty())
    }

    /// What lives, if tags of these are in messages.
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
