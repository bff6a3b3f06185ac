//! [`gc::BTreeMap`](crate::gc::BTreeMap) in images. A restored map has its entries inserted in
//! their order.

use super::{PartOf, SavedContent, part};
use crate::gc::btree::map::BTreeMap;
use crate::gc::btree::node::{Inner, Leaf, Node};
use crate::gc::chunk::{Chunk, Raw};
use std::vec::Vec as StdVec;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, shape_of};
use vivant_heap::raw::restoring;
use vivant_heap::{Erased, Mutator, Object};

/// More levels than any map has.
const HEIGHT_MAX: u32 = 64;

/// Appends the entries of a node of either kind, as a sequence of pairs.
///
/// # Safety
///
/// The chunk is a node of such keys and values, which nothing writes meanwhile.
unsafe fn save_entries<'gc, K, V>(node: Raw, out: &mut Encoder<'_>)
where
    K: Object<'gc> + Saved<'gc>,
    V: Object<'gc> + Saved<'gc>,
{
    // SAFETY: guaranteed by the caller (C3); an inner node begins as a leaf does.
    let node: Node<'gc, K, V> = unsafe { Chunk::of(node) };
    out.elements(node.to(), |out| {
        for slot in 0..node.to() {
            // SAFETY: guaranteed by the caller (C3): the node has these entries.
            let (key, value) = unsafe { (node.key(slot).as_ref(), node.value(slot).as_ref()) };
            key.save(out);
            value.save(out);
        }
    });
}

// SAFETY: a sequence of pairs is what `Vec` saves (C3).
unsafe impl<'gc, K, V> SavedContent<'gc> for Leaf<K, V>
where
    K: Object<'gc> + Saved<'gc>,
    V: Object<'gc> + Saved<'gc>,
{
    type Data = StdVec<(K, V)>;

    unsafe fn save(chunk: Raw, out: &mut Encoder<'_>) {
        // SAFETY: guaranteed by the caller (C3).
        unsafe { save_entries::<K, V>(chunk, out) };
    }
}

/// What an image has of an inner node: its entries, and one child more.
type InnerData<K, V> = (StdVec<(K, V)>, StdVec<PartOf<Inner<K, V>>>);

// SAFETY: the parts of the tuple are appended in their order (C3).
unsafe impl<'gc, K, V> SavedContent<'gc> for Inner<K, V>
where
    K: Object<'gc> + Saved<'gc>,
    V: Object<'gc> + Saved<'gc>,
{
    type Data = InnerData<K, V>;

    unsafe fn save(chunk: Raw, out: &mut Encoder<'_>) {
        // SAFETY: guaranteed by the caller (C3).
        let node: Node<'gc, K, V> = unsafe {
            save_entries::<K, V>(chunk, out);
            Chunk::of(chunk)
        };
        // A node that is new or empty has no child.
        let children = match node.to() {
            0 => 0,
            entries => entries + 1,
        };
        out.elements(children, |out| {
            for slot in 0..children {
                // SAFETY: an inner node has a child beside each entry, which exists (C3).
                let child: PartOf<Inner<K, V>> = unsafe { part(node.child(slot).raw(), out) };
                child.save(out);
            }
        });
    }
}

/// Makes a map of the nodes of an image. As deep as the map is high, at most.
fn add<'gc, K, V>(
    map: &mut BTreeMap<'gc, K, V>,
    m: &Mutator<'gc>,
    part: PartOf<Inner<K, V>>,
    height: u32,
    input: &mut Decoder<'gc, '_>,
) -> Result<(), LoadError>
where
    K: Object<'gc> + Saved<'gc> + Ord,
    V: Object<'gc> + Saved<'gc>,
{
    let Some(below) = height.checked_sub(1) else {
        let entries = part.as_type::<crate::gc::chunk::ChunkOf<Leaf<K, V>>>();
        for (key, value) in entries.content(input)? {
            map.insert(m, key, value);
        }
        return Ok(());
    };
    let (entries, children) = part.content(input)?;
    if children.len() != entries.len() + usize::from(!entries.is_empty()) {
        return Err(input.error("a map with a node that it cannot have"));
    }
    let mut entries = entries.into_iter();
    for child in children {
        add(map, m, child, below, input)?;
        if let Some((key, value)) = entries.next() {
            map.insert(m, key, value);
        }
    }
    Ok(())
}

impl<'gc, K, V> Saved<'gc> for BTreeMap<'gc, K, V>
where
    K: Object<'gc> + Saved<'gc> + Erased + Ord,
    V: Object<'gc> + Saved<'gc> + Erased,
    for<'any> <K as Erased>::Of<'any>: Saved<'any>,
    for<'any> <V as Erased>::Of<'any>: Saved<'any>,
{
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::gc::BTreeMap",
        const {
            &[
                Field::new("len", shape_of::<'gc, u64>()),
                Field::new("height", shape_of::<'gc, u32>()),
                Field::new("leaf", shape_of::<'gc, Option<PartOf<Leaf<K, V>>>>()),
                Field::new("node", shape_of::<'gc, Option<PartOf<Inner<K, V>>>>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        let root = self.tree.root.map(Chunk::raw);
        (self.tree.len as u64).save(out);
        (self.tree.height as u32).save(out);
        let (leaf, node): (Option<PartOf<Leaf<K, V>>>, Option<PartOf<Inner<K, V>>>) =
            match (root, self.tree.height) {
                // SAFETY: the root exists (C3); without height it is a leaf.
                (Some(root), 0) => (Some(unsafe { part(root, out) }), None),
                // SAFETY: the root exists, and is an inner node (C3).
                (Some(root), _) => (None, Some(unsafe { part(root, out) })),
                (None, _) => (None, None),
            };
        leaf.save(out);
        node.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let (len, height): (u64, u32) = (fields.field(0)?, fields.field(1)?);
        let leaf: Option<PartOf<Leaf<K, V>>> = fields.field(2)?;
        let node: Option<PartOf<Inner<K, V>>> = fields.field(3)?;
        fields.end()?;
        let root = match (leaf, node) {
            (Some(leaf), None) if height == 0 => Some(leaf.as_type()),
            (None, Some(node)) if height > 0 && height <= HEIGHT_MAX => Some(node),
            (None, None) => None,
            _ => return Err(input.error("a map with a root that it cannot have")),
        };
        // SAFETY: the mutator makes this map alone (S1).
        unsafe {
            restoring(input, |m, input| {
                let mut map = BTreeMap::new();
                if let Some(root) = root {
                    add(&mut map, m, root, height, input)?;
                }
                match map.len() as u64 == len {
                    true => Ok(map),
                    false => Err(input.error(format!("a map of {len} entries with {}", map.len()))),
                }
            })
        }
    }
}

// SAFETY: its brand is replaced (X8), and so are those of its keys and values.
unsafe impl<K: Erased, V: Erased> Erased for BTreeMap<'_, K, V> {
    type Of<'gc> = BTreeMap<'gc, K::Of<'gc>, V::Of<'gc>>;
    type Static = BTreeMap<'static, K::Static, V::Static>;
}
