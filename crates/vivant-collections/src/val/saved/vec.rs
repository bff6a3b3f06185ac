//! [`val::Vec`](crate::val::Vec) in images.

use super::checked;
use super::node_ref::NodeRef;
use crate::val::Vec;
use crate::val::vec::{Leaf, Tree};
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, Variant, shape_of};
use vivant_heap::{Erased, Frozen};

/// A node above leaves.
type Low<'gc, T> = NodeRef<'gc, [Leaf<'gc, T>]>;

/// A node above nodes.
type High<'gc, T> = NodeRef<'gc, [Tree<'gc, T>]>;

/// The tail.
type Tail<'gc, T> = Option<NodeRef<'gc, [T]>>;

impl<'gc, T> Saved<'gc> for Tree<'gc, T>
where
    T: Frozen<'gc> + Saved<'gc> + Erased,
    for<'any> <T as Erased>::Of<'any>: Saved<'any>,
{
    const SHAPE: &'static Shape = &Shape::variants(
        "vivant::val::Vec::Tree",
        const {
            &[
                Variant::new(
                    "Low",
                    const { &[Field::new("0", shape_of::<'gc, Low<'gc, T>>())] },
                ),
                Variant::new(
                    "High",
                    const { &[Field::new("0", shape_of::<'gc, High<'gc, T>>())] },
                ),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        match *self {
            Tree::Low(leaves) => {
                out.variant(0);
                NodeRef(leaves).save(out);
            }
            Tree::High(trees) => {
                out.variant(1);
                NodeRef(trees).save(out);
            }
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let (variant, mut fields) = input.variant(Self::SHAPE)?;
        let tree = match variant {
            0 => Tree::Low(fields.field::<Low<'gc, T>>(0)?.0),
            _ => Tree::High(fields.field::<High<'gc, T>>(0)?.0),
        };
        fields.end()?;
        Ok(tree)
    }
}

impl<'gc, T> Saved<'gc> for Vec<'gc, T>
where
    T: Frozen<'gc> + Saved<'gc> + Erased,
    for<'any> <T as Erased>::Of<'any>: Saved<'any>,
{
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::val::Vec",
        const {
            &[
                Field::new("len", shape_of::<'gc, usize>()),
                Field::new("tree", shape_of::<'gc, Option<Tree<'gc, T>>>()),
                Field::new("tail", shape_of::<'gc, Tail<'gc, T>>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        self.len.save(out);
        self.tree.save(out);
        self.tail.map(NodeRef).save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let (len, tree) = (fields.field(0)?, fields.field(1)?);
        let tail: Tail<'gc, T> = fields.field(2)?;
        fields.end()?;
        let tail = tail.map(|tail| tail.0);
        checked(
            Vec { len, tree, tail },
            |it, checks| it.check(checks),
            input,
        )
    }
}
