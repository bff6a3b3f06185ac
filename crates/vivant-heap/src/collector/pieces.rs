//! [`Pieces`]: a long list that is given back piece by piece.

/// Elements of one piece, unless they came as more.
const PIECE: usize = 4096;

/// A list in pieces, so that neither growing it nor freeing it takes long.
pub(super) struct Pieces<T>(Vec<Vec<T>>);

impl<T> Default for Pieces<T> {
    fn default() -> Pieces<T> {
        Pieces(Vec::new())
    }
}

impl<T> Pieces<T> {
    /// Takes all that these have.
    pub(super) fn append(&mut self, more: &mut Vec<T>) {
        match self.0.last_mut() {
            _ if more.is_empty() => {}
            Some(last) if last.len() + more.len() <= PIECE => last.append(more),
            _ => self.0.push(std::mem::take(more)),
        }
    }

    /// Takes all that another one has.
    pub(super) fn add(&mut self, other: &mut Pieces<T>) {
        for mut piece in other.0.drain(..) {
            self.append(&mut piece);
        }
    }

    /// Takes some out, so many at most: of the last piece, in their order. None if nothing is left.
    pub(super) fn take(&mut self, most: usize) -> Option<Vec<T>> {
        let last = self.0.last_mut()?;
        if last.len() <= most {
            return self.0.pop();
        }
        Some(last.split_off(last.len() - most))
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
}
