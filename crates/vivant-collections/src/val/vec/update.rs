//! Updates: functions that make a version of another one.

use super::Vec;
use super::spine::Spine;
use super::tree::{Leaf, height};
use crate::val::copy::{self, WIDTH};
use vivant_heap::{Frozen, Mutator};

impl<'gc, T: Frozen<'gc>> Vec<'gc, T> {
    /// Collects the items of an iterator, which may allocate too. Allocates each leaf and node
    /// once.
    ///
    /// # Panics
    ///
    /// There is no memory. The same holds for all functions that update.
    #[must_use]
    pub fn from_iter(m: &Mutator<'gc>, values: impl IntoIterator<Item = T>) -> Self {
        Self::grown(m, Spine::new(), (0, std::vec::Vec::new()), values)
    }

    /// Appends values to a spine of `len` elements, including those in `tail`, which do not fill a
    /// leaf.
    fn grown(
        m: &Mutator<'gc>,
        mut spine: Spine<'gc, T>,
        (mut len, mut tail): (usize, std::vec::Vec<T>),
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        tail.reserve_exact(WIDTH - tail.len());
        for value in values {
            tail.push(value);
            len += 1;
            if tail.len() == WIDTH {
                let full = std::mem::replace(&mut tail, std::vec::Vec::with_capacity(WIDTH));
                spine.push(m, leaf(m, full));
            }
        }
        Vec {
            len,
            tree: spine.close(m),
            tail: (!tail.is_empty()).then(|| m.val_slice(tail)),
        }
    }
}

/// A full leaf.
fn leaf<'gc, T: Frozen<'gc>>(m: &Mutator<'gc>, elements: std::vec::Vec<T>) -> Leaf<'gc, T> {
    match <[T; WIDTH]>::try_from(elements) {
        Ok(elements) => m.val(elements),
        Err(_) => unreachable!("a leaf is full"),
    }
}

impl<'gc, T: Frozen<'gc> + Clone> Vec<'gc, T> {
    /// Returns a version with an element appended.
    #[must_use]
    pub fn push(self, m: &Mutator<'gc>, value: T) -> Self {
        let tail = copy::with(self.tail(), self.tail().len(), value);
        let len = self.len + 1;
        if tail.len() < WIDTH {
            let tail = Some(m.val_slice(tail));
            return Vec { len, tail, ..self };
        }
        let mut spine = Spine::open(self.tree, self.leaves(), self.leaves());
        spine.push(m, leaf(m, tail));
        Vec {
            len,
            tree: spine.close(m),
            tail: None,
        }
    }

    /// Returns a version with elements appended. The iterator may allocate.
    #[must_use]
    pub fn extend(self, m: &Mutator<'gc>, values: impl IntoIterator<Item = T>) -> Self {
        let spine = Spine::open(self.tree, self.leaves(), self.leaves());
        Self::grown(m, spine, (self.len, self.tail().to_vec()), values)
    }

    /// Returns the last element, and a version without it.
    #[must_use]
    pub fn pop(self, m: &Mutator<'gc>) -> Option<(&'gc T, Self)> {
        let last = self.last()?;
        Some((last, self.truncate(m, self.len - 1)))
    }

    /// Returns a version of the first `len` elements; the same version if there are no more.
    #[must_use]
    pub fn truncate(self, m: &Mutator<'gc>, len: usize) -> Self {
        if len >= self.len {
            return self;
        }
        let (leaves, rest) = (len / WIDTH, len % WIDTH);
        let tree = match leaves == self.leaves() {
            true => self.tree,
            false => Spine::open(self.tree, self.leaves(), leaves).close(m),
        };
        let rest = &self.leaf(leaves)[..rest];
        let tail = (!rest.is_empty()).then(|| m.val_slice(rest));
        Vec { len, tree, tail }
    }

    /// Returns a version with one element replaced.
    ///
    /// # Panics
    ///
    /// `index` is not less than the length, or there is no memory.
    #[must_use]
    #[track_caller]
    pub fn set(self, m: &Mutator<'gc>, index: usize, value: T) -> Self {
        let len = self.len;
        assert!(index < len, "set at {index}, of {len} elements");
        let leaves = self.leaves();
        match self.tree {
            Some(tree) if index / WIDTH < leaves => Vec {
                tree: Some(tree.set(m, index, height(leaves), value)),
                ..self
            },
            _ => {
                let tail = copy::replaced(self.tail(), index % WIDTH, value);
                let tail = Some(m.val_slice(tail));
                Vec { tail, ..self }
            }
        }
    }
}
