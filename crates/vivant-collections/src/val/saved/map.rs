//! [`val::Map`](crate::val::Map) in images. A map of keys that have other hashes now is made anew.

use super::node_ref::{NodeRef, made_anew};
use super::{checks, distinct};
use crate::val::Map;
use crate::val::map::{Node, Slot};
use std::hash::Hash;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, Variant, shape_of};
use vivant_heap::{Erased, Frozen};

/// The slots of a node.
type Slots<'gc, K, V> = NodeRef<'gc, [Slot<'gc, K, V>]>;

impl<'gc, K, V> Saved<'gc> for Node<'gc, K, V>
where
    K: Frozen<'gc> + Saved<'gc>,
    V: Frozen<'gc> + Saved<'gc>,
{
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::val::Map::Node",
        const {
            &[
                Field::new("entries", shape_of::<'gc, u32>()),
                Field::new("nodes", shape_of::<'gc, u32>()),
                Field::new("slots", shape_of::<'gc, Slots<'gc, K, V>>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        self.entries.save(out);
        self.nodes.save(out);
        NodeRef(self.slots).save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let (entries, nodes) = (fields.field(0)?, fields.field(1)?);
        let slots = fields.field::<Slots<'gc, K, V>>(2)?.0;
        fields.end()?;
        Ok(Node {
            entries,
            nodes,
            slots,
        })
    }
}

impl<'gc, K, V> Saved<'gc> for Slot<'gc, K, V>
where
    K: Frozen<'gc> + Saved<'gc>,
    V: Frozen<'gc> + Saved<'gc>,
{
    const SHAPE: &'static Shape = &Shape::variants(
        "vivant::val::Map::Slot",
        const {
            &[
                Variant::new(
                    "Entry",
                    const {
                        &[
                            Field::new("0", shape_of::<'gc, K>()),
                            Field::new("1", shape_of::<'gc, V>()),
                        ]
                    },
                ),
                Variant::new(
                    "Node",
                    const { &[Field::new("0", shape_of::<'gc, Node<'gc, K, V>>())] },
                ),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        match self {
            Slot::Entry(key, value) => {
                out.variant(0);
                key.save(out);
                value.save(out);
            }
            Slot::Node(node) => {
                out.variant(1);
                node.save(out);
            }
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let (variant, mut fields) = input.variant(Self::SHAPE)?;
        let slot = match variant {
            0 => Slot::Entry(fields.field(0)?, fields.field(1)?),
            _ => Slot::Node(fields.field(0)?),
        };
        fields.end()?;
        Ok(slot)
    }
}

impl<'gc, K, V> Map<'gc, K, V> {
    /// The entries of its nodes, wherever these lead. `None`: they are not as many as it says.
    fn found(self) -> Option<Vec<(&'gc K, &'gc V)>> {
        let mut entries = Vec::new();
        let all = distinct(self.root, Node::address, |node, below| {
            for slot in node.slots() {
                match slot {
                    Slot::Entry(key, value) => entries.push((key, value)),
                    Slot::Node(node) => below.push(*node),
                }
            }
        });
        (all && entries.len() == self.len).then_some(entries)
    }
}

impl<'gc, K, V> Saved<'gc> for Map<'gc, K, V>
where
    K: Hash + Eq + Clone + Frozen<'gc> + Saved<'gc> + Erased,
    V: Clone + Frozen<'gc> + Saved<'gc> + Erased,
    for<'any> <K as Erased>::Of<'any>: Saved<'any>,
    for<'any> <V as Erased>::Of<'any>: Saved<'any>,
{
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::val::Map",
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
        let map = Map { root, len };
        let Err(fault) = map.check(checks(input)) else {
            return Ok(map);
        };
        let Some(entries) = map.found() else {
            return Err(input.error(fault.to_string()));
        };
        let entries = entries
            .into_iter()
            .map(|(key, value)| (key.clone(), value.clone()));
        let anew = made_anew(input, |m| Map::from_iter(m, entries))?;
        match anew.len == len {
            true => Ok(anew),
            false => Err(input.error(fault.to_string())),
        }
    }
}
