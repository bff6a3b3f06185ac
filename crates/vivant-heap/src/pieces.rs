//! [`Pieces`]: a segmented stack, which grows and is freed segment by segment.

/// Elements of a segment, unless more were appended at once. Few under an interpreter, so that it
/// covers what happens between two segments.
const PIECE: usize = if cfg!(miri) { 64 } else { 4096 };

/// A segmented stack: neither growth nor freeing takes long. A vector of a million elements is
/// moved as a whole when it grows. No segment is empty.
pub(crate) struct Pieces<T>(Vec<Vec<T>>);

impl<T> Default for Pieces<T> {
    fn default() -> Pieces<T> {
        Pieces(Vec::new())
    }
}

impl<T> Pieces<T> {
    pub(crate) fn push(&mut self, one: T) {
        match self.0.last_mut() {
            Some(last) if last.len() < PIECE => last.push(one),
            _ => self.0.push(vec![one]),
        }
    }

    pub(crate) fn pop(&mut self) -> Option<T> {
        let last = self.0.last_mut()?;
        let one = last.pop();
        if last.is_empty() {
            self.0.pop();
        }
        one
    }

    /// Moves all elements of a vector here.
    pub(crate) fn append(&mut self, more: &mut Vec<T>) {
        match self.0.last_mut() {
            _ if more.is_empty() => {}
            Some(last) if last.len() + more.len() <= PIECE => last.append(more),
            _ => self.0.push(std::mem::take(more)),
        }
    }

    /// Moves all elements of another stack here.
    pub(crate) fn add(&mut self, other: &mut Pieces<T>) {
        for mut piece in other.0.drain(..) {
            self.append(&mut piece);
        }
    }

    /// Removes at most `most` elements of the last segment, in their order. `None` if the stack is
    /// empty.
    pub(crate) fn take(&mut self, most: usize) -> Option<Vec<T>> {
        let last = self.0.last_mut()?;
        if last.len() <= most {
            return self.0.pop();
        }
        Some(last.split_off(last.len() - most))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flatten()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_stack_whatever_its_pieces_are() {
        let most = 3 * PIECE + 5;
        let mut pieces = Pieces::default();
        (0..most).for_each(|number| pieces.push(number));
        assert_eq!((pieces.len(), pieces.0.len()), (most, 4));
        assert!(pieces.iter().copied().eq(0..most));
        for number in (0..most).rev() {
            assert_eq!(pieces.pop(), Some(number));
        }
        assert!(pieces.is_empty() && pieces.pop().is_none());
    }

    #[test]
    fn short_lists_share_a_piece_and_long_ones_stay_whole() {
        let (mut one, mut other) = (Pieces::default(), Pieces::default());
        (0..5).for_each(|number| one.push(number));
        other.append(&mut vec![5, 6]);
        other.append(&mut (7..PIECE * 2).collect());
        one.add(&mut other);
        assert!(other.is_empty());
        assert!(one.iter().copied().eq(0..PIECE * 2));
        assert_eq!(one.0.len(), 2);
        let mut left = PIECE * 2;
        while let Some(some) = one.take(PIECE / 4) {
            assert!(some.len() <= PIECE / 4 && some.last() == Some(&(left - 1)));
            left -= some.len();
        }
        assert_eq!(left, 0);
    }
}
