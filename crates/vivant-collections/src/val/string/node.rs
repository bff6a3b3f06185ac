//! [`Node`]: a chunk of text, or a branch of child nodes in order.

use crate::val::checks::Checks;
use crate::val::copy::WIDTH;
use vivant_heap::{Fault, Mutator, Object, Val};

/// The largest number of bytes of a chunk.
pub(super) const CHUNK: usize = 512;

/// The smallest number of bytes of a chunk that is not the root.
pub(super) const CHUNK_LEAST: usize = CHUNK / 4;

/// The smallest number of slots of a branch that is not the root.
pub(super) const LEAST: usize = WIDTH / 4;

/// More levels than any text has.
const HEIGHT_MAX: u32 = usize::BITS.div_ceil(LEAST.ilog2());

/// A node. All paths from it down to chunks are equally long.
#[derive(Clone, Copy, Object)]
pub(crate) enum Node<'gc> {
    Chunk(Val<'gc, str>),
    Branch(Val<'gc, [SizedNode<'gc>]>),
}

/// A node below a branch.
#[derive(Clone, Copy, Object)]
pub(crate) struct SizedNode<'gc> {
    pub(crate) bytes: usize,
    pub(crate) node: Node<'gc>,
}

impl<'gc> Node<'gc> {
    pub(super) fn child(self) -> SizedNode<'gc> {
        let bytes = match self {
            Node::Chunk(text) => text.len(),
            Node::Branch(children) => children.iter().map(|child| child.bytes).sum(),
        };
        SizedNode { bytes, node: self }
    }

    pub(super) fn address(self) -> usize {
        match self {
            Node::Chunk(text) => text.as_ptr().addr(),
            Node::Branch(children) => children.as_ptr().addr(),
        }
    }

    pub(super) fn height(self) -> usize {
        let (mut node, mut height) = (self, 0);
        while let Node::Branch(children) = node {
            node = children[0].node;
            height += 1;
        }
        height
    }

    /// Whether it is large enough to lie below a branch.
    pub(super) fn is_enough(self) -> bool {
        match self {
            Node::Chunk(text) => text.len() >= CHUNK_LEAST,
            Node::Branch(children) => children.len() >= LEAST,
        }
    }

    /// A tree of this text; `None` if it is empty.
    pub(super) fn of_text(m: &Mutator<'gc>, text: &str) -> Option<Self> {
        let chunks = Self::chunks(m, text);
        (!chunks.is_empty()).then(|| Self::above(m, chunks))
    }

    /// Splits text into as few chunks as needed, all of about the same length, at character
    /// boundaries.
    pub(super) fn chunks(m: &Mutator<'gc>, text: &str) -> Vec<SizedNode<'gc>> {
        // Each end moves by three bytes at most.
        let count = text.len().div_ceil(CHUNK - 4);
        let mut from = 0;
        let chunk = |number: usize| {
            let mut to = text.len() * number / count;
            while !text.is_char_boundary(to) {
                to -= 1;
            }
            let chunk = Node::Chunk(m.val_str(&text[from..to]));
            from = to;
            chunk.child()
        };
        (1..=count).map(chunk).collect()
    }

    /// Groups children into as few branches as needed, all of about the same width.
    pub(super) fn branches(m: &Mutator<'gc>, children: &[SizedNode<'gc>]) -> Vec<SizedNode<'gc>> {
        let (len, count) = (children.len(), children.len().div_ceil(WIDTH));
        let run = |number| &children[len * number / count..len * (number + 1) / count];
        let runs = (0..count).map(run);
        runs.map(|run| Node::Branch(m.val_slice(run)).child())
            .collect()
    }

    /// Builds the tree above nodes of one height; there is at least one node.
    pub(super) fn above(m: &Mutator<'gc>, mut nodes: Vec<SizedNode<'gc>>) -> Self {
        while nodes.len() > 1 {
            nodes = Self::branches(m, &nodes);
        }
        nodes[0].node
    }

    /// The chunk that contains the byte at `at`, and the byte's offset in the chunk.
    pub(super) fn chunk_at(self, mut at: usize) -> Option<(&'gc str, usize)> {
        let mut node = self;
        loop {
            match node {
                Node::Chunk(text) => return (at < text.len()).then(|| (Val::as_ref(text), at)),
                Node::Branch(children) => {
                    let (place, within) = place(&children, at)?;
                    node = children[place].node;
                    at = within;
                }
            }
        }
    }

    /// Checks this root and all nodes below it. Returns the number of bytes.
    pub(super) fn check(self, checks: Checks<'_>) -> Result<usize, Fault> {
        let (mut first, mut height) = (self, 0);
        while let Node::Branch(children) = first
            && let Some(child) = children.first()
        {
            (first, height) = (child.node, height + 1);
        }
        match height <= HEIGHT_MAX {
            true => self.check_at(height, checks),
            false => Err(Fault::new("J7", "a text is too high", self.address())),
        }
    }

    fn check_at(self, height: u32, checks: Checks<'_>) -> Result<usize, Fault> {
        checks.of(self.address(), [height.into(), 0, 0], || {
            self.examine(height, checks)
        })
    }

    fn examine(self, height: u32, checks: Checks<'_>) -> Result<usize, Fault> {
        let fault = |what| Fault::new("J6", what, self.address());
        match self {
            Node::Chunk(_) if height > 0 => Err(fault("a path to a chunk has another length")),
            Node::Branch(_) if height == 0 => Err(fault("a path to a chunk has another length")),
            Node::Chunk(text) if (1..=CHUNK).contains(&text.len()) => Ok(text.len()),
            Node::Branch(children) if (2..=WIDTH).contains(&children.len()) => {
                let mut bytes = 0_usize;
                for child in &*children {
                    if !child.node.is_enough() {
                        return Err(fault("a node below another one is too small"));
                    }
                    if child.node.check_at(height - 1, checks)? != child.bytes {
                        return Err(fault("a child has another number of bytes"));
                    }
                    let sum = bytes.checked_add(child.bytes);
                    bytes = sum.ok_or_else(|| fault("a node has too many bytes"))?;
                }
                Ok(bytes)
            }
            _ => Err(fault("a node is too small, or too large")),
        }
    }
}

/// The child that contains the byte at `at`, and the byte's offset in the child.
pub(super) fn place(children: &[SizedNode<'_>], mut at: usize) -> Option<(usize, usize)> {
    for (place, child) in children.iter().enumerate() {
        if at < child.bytes {
            return Some((place, at));
        }
        at -= child.bytes;
    }
    None
}
