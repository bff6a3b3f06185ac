//! [`gc::HashMap`](crate::gc::HashMap) and [`gc::HashSet`](crate::gc::HashSet) in images.
//!
//! A restored map has the segments that it had, so its order is the same. If keys have other hashes
//! now, they are inserted anew.

use super::{PartOf, SavedContent, part};
use crate::gc::chunk::{Chunk, Raw};
use crate::gc::hash::map::HashMap;
use crate::gc::hash::node::{Child, Node, children};
use crate::gc::hash::segment::{Entries, Segment};
use crate::gc::hash::set::HashSet;
use crate::gc::hash::trie::Trie;
use crate::gc::hash::weak_map::WeakMap;
use std::hash::{BuildHasher, Hash};
use std::vec::Vec as StdVec;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, shape_of};
use vivant_heap::raw::restoring;
use vivant_heap::{Erased, Mutator, Object, Weak};

/// What an image has of a segment: its depth, the next one of its chain, and the entries.
type SegmentData<K, V> = (u32, Option<PartOf<Entries<K, V>>>, StdVec<(K, V)>);

// SAFETY: the parts of the tuple are appended in their order (C3).
unsafe impl<'gc, K, V> SavedContent<'gc> for Entries<K, V>
where
    K: Object<'gc> + Saved<'gc>,
    V: Object<'gc> + Saved<'gc>,
{
    type Data = SegmentData<K, V>;

    unsafe fn save(chunk: Raw, out: &mut Encoder<'_>) {
        // SAFETY: guaranteed by the caller (C3).
        let segment: Segment<'gc, K, V> = unsafe { Chunk::of(chunk) };
        (segment.note() as u32).save(out);
        // SAFETY: a segment of the same map, which exists (C3).
        let next = segment.next().map(|next| unsafe { part(next.raw(), out) });
        let next: Option<PartOf<Entries<K, V>>> = next;
        next.save(out);
        // SAFETY: guaranteed by the caller (C3): nothing writes the entries.
        out.sequence(unsafe { segment.entries().as_ref() }.iter());
    }
}

/// What an image has of a node: each child, and the number of slots that lead to it. A child is a
/// node if that says so, else a segment.
type NodeData = StdVec<(u32, bool, PartOf<Node>)>;

// SAFETY: a sequence of tuples is what `Vec` saves (C3).
unsafe impl SavedContent<'_> for Node {
    type Data = NodeData;

    unsafe fn save(chunk: Raw, out: &mut Encoder<'_>) {
        // SAFETY: guaranteed by the caller (C3).
        let children: StdVec<(u32, Child)> = unsafe { children(chunk) };
        out.elements(children.len(), |out| {
            for (slots, child) in children {
                slots.save(out);
                let (is_node, chunk) = match child {
                    Child::Node(chunk) => (true, chunk),
                    Child::Segment(chunk) => (false, chunk),
                };
                is_node.save(out);
                // SAFETY: a chunk of the same map, which exists (C3).
                let child: PartOf<Node> = unsafe { part(chunk, out) };
                child.save(out);
            }
        });
    }
}

/// What an image has of a handle: the number of entries, and the root: a node, if that says so.
type Root = Option<(bool, PartOf<Node>)>;

/// Makes a map of the segments of an image.
struct Restored<'m, 'gc, S> {
    m: &'m Mutator<'gc>,
    hasher: &'m S,
    len: usize,
    /// Whether a key is not where its hash leads.
    is_stray: bool,
}

impl<'gc, S: BuildHasher> Restored<'_, 'gc, S> {
    /// The chunk of a child, for hashes that begin with these bits. As deep as hashes are long.
    fn child<K, V>(
        &mut self,
        (is_node, part): (bool, PartOf<Node>),
        (prefix, used): (u64, u32),
        input: &mut Decoder<'gc, '_>,
    ) -> Result<(Child, u32), LoadError>
    where
        K: Object<'gc> + Saved<'gc> + Hash,
        V: Object<'gc> + Saved<'gc>,
    {
        if !is_node {
            let part = part.as_type();
            let (segment, depth) = self.segment::<K, V>(part, (prefix, used), input)?;
            return Ok((Child::Segment(segment.raw()), depth));
        }
        let data = part.content(input)?;
        let slots: u64 = data.iter().map(|(slots, ..)| u64::from(*slots)).sum();
        let bits = slots.checked_ilog2().unwrap_or(0);
        if !slots.is_power_of_two()
            || bits == 0
            || bits > Trie::<K, V>::NODE_BITS_MAX
            || used + bits > Trie::<K, V>::BITS
        {
            return Err(input.error("a map with a node that it cannot have"));
        }
        let (mut children, mut at) = (StdVec::new(), 0);
        for (slots, is_node, part) in data {
            let more = slots.checked_ilog2().unwrap_or(u32::MAX);
            if !slots.is_power_of_two() || at % slots != 0 || (is_node && slots != 1) {
                return Err(input.error("a map with a node that it cannot have"));
            }
            let prefix = prefix | u64::from(at) << (u64::BITS - used - bits);
            let depth = used + bits - more;
            let (child, is) = self.child::<K, V>((is_node, part), (prefix, depth), input)?;
            if is != depth {
                return Err(input.error("a map with a segment of another depth"));
            }
            children.push((slots, child));
            at += slots;
        }
        // A node has no depth of its own: it is where it belongs.
        Ok((
            Child::Node(Trie::<K, V>::node(self.m, bits, &children)),
            used,
        ))
    }

    /// A segment with its chain, and its depth.
    fn segment<K, V>(
        &mut self,
        part: PartOf<Entries<K, V>>,
        (prefix, depth): (u64, u32),
        input: &mut Decoder<'gc, '_>,
    ) -> Result<(Segment<'gc, K, V>, u32), LoadError>
    where
        K: Object<'gc> + Saved<'gc> + Hash,
        V: Object<'gc> + Saved<'gc>,
    {
        let (is, next, entries) = part.content(input)?;
        if is != depth || entries.len() > Segment::<'gc, K, V>::MOST {
            return Err(input.error("a map with a segment that it cannot have"));
        }
        let capacity = entries.len().next_power_of_two();
        let capacity = capacity.clamp(Segment::<'gc, K, V>::FIRST, Segment::<'gc, K, V>::MOST);
        let first: Segment<'gc, K, V> = Chunk::new(self.m, capacity);
        first.touch(self.m);
        first.set_note(depth as usize);
        self.fill(first, (prefix, depth), entries);
        let (mut last, mut next) = (first, next);
        while let Some(part) = next {
            let (is, behind, entries) = part.content(input)?;
            if is != 0 || entries.len() > Segment::<'gc, K, V>::MOST {
                return Err(input.error("a map with a chain that it cannot have"));
            }
            let more: Segment<'gc, K, V> = Chunk::new(self.m, Segment::<'gc, K, V>::MOST);
            self.fill(more, (prefix, depth), entries);
            last.chain(self.m, more);
            (last, next) = (more, behind);
        }
        Ok((first, depth))
    }

    fn fill<K, V>(
        &mut self,
        segment: Segment<'gc, K, V>,
        (prefix, depth): (u64, u32),
        entries: StdVec<(K, V)>,
    ) where
        K: Object<'gc> + Hash,
        V: Object<'gc>,
    {
        for entry in entries {
            let hash = self.hasher.hash_one(&entry.0);
            self.is_stray |= depth > 0 && (hash ^ prefix) >> (u64::BITS - depth) != 0;
            segment.push(self.m, hash, entry);
            self.len += 1;
        }
    }
}

impl<'gc, K, V, S> Saved<'gc> for HashMap<'gc, K, V, S>
where
    K: Object<'gc> + Saved<'gc> + Erased + Hash + Eq,
    V: Object<'gc> + Saved<'gc> + Erased,
    S: BuildHasher + Default,
    for<'any> <K as Erased>::Of<'any>: Saved<'any>,
    for<'any> <V as Erased>::Of<'any>: Saved<'any>,
{
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::gc::HashMap",
        const {
            &[
                Field::new("len", shape_of::<'gc, u64>()),
                Field::new("root", shape_of::<'gc, Root>()),
                Field::new("segments", shape_of::<'gc, Option<PartOf<Entries<K, V>>>>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        (self.len as u64).save(out);
        let root: Root = self.trie.root_chunk().map(|root| match root {
            // SAFETY: the root exists (C3).
            Child::Node(chunk) => (true, unsafe { part(chunk, out) }),
            // SAFETY: the root exists (C3).
            Child::Segment(chunk) => (false, unsafe { part(chunk, out) }),
        });
        root.save(out);
        // The type of the segments. The root may be one, and nodes lead to them.
        let none: Option<PartOf<Entries<K, V>>> = None;
        none.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let (len, root): (u64, Root) = (fields.field(0)?, fields.field(1)?);
        let _none: Option<PartOf<Entries<K, V>>> = fields.field(2)?;
        fields.end()?;
        // SAFETY: the mutator makes this map alone (S1).
        unsafe {
            restoring(input, |m, input| {
                let mut map = HashMap::with_hasher(S::default());
                let Some(root) = root else {
                    return Ok(map);
                };
                let mut restored = Restored {
                    m,
                    hasher: &map.hasher,
                    len: 0,
                    is_stray: false,
                };
                let (root, _) = restored.child::<K, V>(root, (0, 0), input)?;
                let (count, is_stray) = (restored.len, restored.is_stray);
                map.trie.set_root(root);
                map.len = count;
                if is_stray {
                    map.insert_anew(m);
                }
                match map.len as u64 == len {
                    true => Ok(map),
                    false => Err(input.error(format!("a map of {len} entries with {}", map.len))),
                }
            })
        }
    }
}

impl<'gc, K, S> Saved<'gc> for HashSet<'gc, K, S>
where
    HashMap<'gc, K, (), S>: Saved<'gc>,
{
    const SHAPE: &'static Shape = <HashMap<'gc, K, (), S> as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        self.map.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        Saved::load(input).map(|map| HashSet { map })
    }
}

impl<'gc, K, V, S> Saved<'gc> for WeakMap<'gc, K, V, S>
where
    HashMap<'gc, K, Weak<'gc, V>, S>: Saved<'gc>,
{
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::gc::WeakMap",
        const {
            &[
                Field::new("map", shape_of::<'gc, HashMap<'gc, K, Weak<'gc, V>, S>>()),
                Field::new("from", shape_of::<'gc, u64>()),
                Field::new("due", shape_of::<'gc, u64>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        self.map.save(out);
        self.from.save(out);
        (self.due as u64).save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let map: HashMap<'gc, K, Weak<'gc, V>, S> = fields.field(0)?;
        let (from, due): (u64, u64) = (fields.field(1)?, fields.field(2)?);
        fields.end()?;
        let due = usize::try_from(due).unwrap_or(usize::MAX).min(map.len());
        Ok(WeakMap { map, from, due })
    }
}

// SAFETY: its brand is replaced (X8), and so are those of its keys and values.
unsafe impl<K: Erased, V: Erased, S: Send + 'static> Erased for WeakMap<'_, K, V, S> {
    type Of<'gc> = WeakMap<'gc, K::Of<'gc>, V::Of<'gc>, S>;
    type Static = WeakMap<'static, K::Static, V::Static, S>;
}

// SAFETY: its brand is replaced (X8), and so are those of its keys and values.
unsafe impl<K: Erased, V: Erased, S: Send + 'static> Erased for HashMap<'_, K, V, S> {
    type Of<'gc> = HashMap<'gc, K::Of<'gc>, V::Of<'gc>, S>;
    type Static = HashMap<'static, K::Static, V::Static, S>;
}

// SAFETY: its brand is replaced (X8), and so are those of its elements.
unsafe impl<K: Erased, S: Send + 'static> Erased for HashSet<'_, K, S> {
    type Of<'gc> = HashSet<'gc, K::Of<'gc>, S>;
    type Static = HashSet<'static, K::Static, S>;
}
