//! [`val::String`](crate::val::String) in images.

use super::checked;
use super::node_ref::NodeRef;
use crate::val::String;
use crate::val::string::{Node, SizedNode};
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, Variant, shape_of};

type Chunk<'gc> = NodeRef<'gc, str>;
type Branch<'gc> = NodeRef<'gc, [SizedNode<'gc>]>;

impl<'gc> Saved<'gc> for Node<'gc> {
    const SHAPE: &'static Shape = &Shape::variants(
        "vivant::val::String::Node",
        const {
            &[
                Variant::new(
                    "Chunk",
                    const { &[Field::new("0", shape_of::<'gc, Chunk<'gc>>())] },
                ),
                Variant::new(
                    "Branch",
                    const { &[Field::new("0", shape_of::<'gc, Branch<'gc>>())] },
                ),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        match *self {
            Node::Chunk(text) => {
                out.variant(0);
                NodeRef(text).save(out);
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
            0 => Node::Chunk(fields.field::<Chunk<'gc>>(0)?.0),
            _ => Node::Branch(fields.field::<Branch<'gc>>(0)?.0),
        };
        fields.end()?;
        Ok(node)
    }
}

impl<'gc> Saved<'gc> for SizedNode<'gc> {
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::val::String::SizedNode",
        const {
            &[
                Field::new("bytes", shape_of::<'gc, usize>()),
                Field::new("node", shape_of::<'gc, Node<'gc>>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        self.bytes.save(out);
        self.node.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let (bytes, node) = (fields.field(0)?, fields.field(1)?);
        fields.end()?;
        Ok(SizedNode { bytes, node })
    }
}

impl<'gc> Saved<'gc> for String<'gc> {
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::val::String",
        const {
            &[
                Field::new("root", shape_of::<'gc, Option<Node<'gc>>>()),
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
        checked(String { root, len }, |it, checks| it.check(checks), input)
    }
}
