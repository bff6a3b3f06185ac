//! [`val::OrdMap`](crate::val::OrdMap) in images. A map of keys that have another order now is made
//! anew.

use super::node_ref::{NodeRef, made_anew};
use super::{checks, distinct};
use crate::val::OrdMap;
use crate::val::ord_map::{Node, Subtree};
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, Variant, shape_of};
use vivant_heap::{Erased, Frozen};

/// The entries of a leaf.
type Leaf<'gc, K, V> = NodeRef<'gc, [(K, V)]>;

/// The children of a branch.
type Branch<'gc, K, V> = NodeRef<'gc, [Subtree<'gc, K, V>]>;

impl<'gc, K, V> Saved<'gc> for Node<'gc, K, V>
where
    K: Frozen<'gc> + Saved<'gc>,
    V: Frozen<'gc> + Saved<'gc>,
{
    const SHAPE: &'static Shape = &Shape::variants(
        "vivant::val::OrdMap::Node",
        const {
            &[
                Variant::new(
                    "Leaf",
                    const { &[Field::new("0", shape_of::<'gc, Leaf<'gc, K, V>>())] },
                ),
                Variant::new(
                    "Branch",
                    const { &[Field::new("0", shape_of::<'gc, Branch<'gc, K, V>>())] },
                ),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        match *self {
            Node::Leaf(entries) => {
                out.variant(0);
                NodeRef(entries).save(out);
            }
            Node::Branch(children) => {
                out.variant(1);
                NodeRef(children).save(out);
            }
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let (variant, mut fields) = input.variant(Self::SHAPE)?;
        let node = match variant {
            0 => Node::Leaf(fields.field::<Leaf<'gc, K, V>>(0)?.0),
            _ => Node::Branch(fields.field::<Branch<'gc, K, V>>(0)?.0),
        };
        fields.end()?;
        Ok(node)
    }
}

impl<'gc, K, V> Saved<'gc> for Subtree<'gc, K, V>
where
    K: Frozen<'gc> + Saved<'gc>,
    V: Frozen<'gc> + Saved<'gc>,
{
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::val::OrdMap::Subtree",
        const {
            &[
                Field::new("least", shape_of::<'gc, K>()),
                Field::new("entries", shape_of::<'gc, usize>()),
                Field::new("node", shape_of::<'gc, Node<'gc, K, V>>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        self.least.save(out);
        self.entries.save(out);
        self.node.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let (least, entries, node) = (fields.field(0)?, fields.field(1)?, fields.field(2)?);
        fields.end()?;
        Ok(Subtree {
            least,
            entries,
            node,
        })
    }
}

impl<'gc, K, V> OrdMap<'gc, K, V> {
    /// The entries of its leaves, in any order. `None`: they are not as many as it says.
    fn found(self) -> Option<Vec<(&'gc K, &'gc V)>> {
        let mut found = Vec::new();
        let all = distinct(self.root, Node::address, |node, below| match node {
            Node::Leaf(entries) => {
                let entries = vivant_heap::Val::as_ref(entries).iter();
                found.extend(entries.map(|(key, value)| (key, value)));
            }
            Node::Branch(children) => below.extend(children.iter().map(|child| child.node)),
        });
        (all && found.len() == self.len).then_some(found)
    }
}

impl<'gc, K, V> Saved<'gc> for OrdMap<'gc, K, V>
where
    K: Ord + Clone + Frozen<'gc> + Saved<'gc> + Erased,
    V: Clone + Frozen<'gc> + Saved<'gc> + Erased,
    for<'any> <K as Erased>::Of<'any>: Saved<'any>,
    for<'any> <V as Erased>::Of<'any>: Saved<'any>,
{
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::val::OrdMap",
        const {
            &[
                Field::new("root", shape_of::<'gc, Option<Node<'gc, K, V>>>()),
                Field::new("len", shape_of::<'gc, usize>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        self.root.save(out);
        self.len.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let (root, len) = (fields.field(0)?, fields.field(1)?);
        fields.end()?;
        let map = OrdMap { root, len };
        let Err(fault) = map.check(checks(input)) else {
            return Ok(map);
        };
        let Some(entries) = map.found() else {
            return Err(input.error(fault.to_string()));
        };
        let entries = entries
            .into_iter()
            .map(|(key, value)| (key.clone(), value.clone()));
        let anew = made_anew(input, |m| OrdMap::from_iter(m, entries))?;
        match anew.len == len {
            true => Ok(anew),
            false => Err(input.error(fault.to_string())),
        }
    }
}
