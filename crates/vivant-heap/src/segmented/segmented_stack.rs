//! [`SegmentedStack`]: a segmented stack, which grows and is freed segment by segment.

/// Elements of a segment, unless more were appended at once. Few under an interpreter, so that it
/// covers what happens between two segments.
const SEGMENT: usize = if cfg!(miri) { 64 } else { 4096 };

/// A segmented stack: neither growth nor freeing takes long. A vector of a million elements is
/// moved as a whole when it grows. No segment is empty.
pub(crate) struct SegmentedStack<T>(Vec<Vec<T>>);

impl<T> Default for SegmentedStack<T> {
    fn default() -> SegmentedStack<T> {
        SegmentedStack(Vec::new())
    }
}

impl<T> SegmentedStack<T> {
    pub(crate) fn push(&mut self, one: T) {
        match self.0.last_mut() {
            Some(last) if last.len() < SEGMENT => last.push(one),
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
            Some(last) if last.len() + more.len() <= SEGMENT => last.append(more),
            _ => self.0.push(std::mem::take(more)),
        }
    }

    /// Moves all elements of another stack here.
    pub(crate) fn add(&mut self, other: &mut SegmentedStack<T>) {
        for mut segment in other.0.drain(..) {
            self.append(&mut segment);
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
    fn it_is_a_stack_whatever_its_segments_are() {
        let most = 3 * SEGMENT + 5;
        let mut pieces = SegmentedStack::default();
        (0..most).for_each(|number| pieces.push(number));
        assert_eq!((pieces.len(), pieces.0.len()), (most, 4));
        assert!(pieces.iter().copied().eq(0..most));
        for number in (0..most).rev() {
            assert_eq!(pieces.pop(), Some(number));
        }
        assert!(pieces.is_empty() && pieces.pop().is_none());
    }

    #[test]
    fn short_lists_share_a_segment_and_long_ones_keep_theirs() {
        let (mut one, mut other) = (SegmentedStack::default(), SegmentedStack::default());
        (0..5).for_each(|number| one.push(number));
        other.append(&mut vec![5, 6]);
        other.append(&mut (7..SEGMENT * 2).collect());
        one.add(&mut other);
        assert!(other.is_empty());
        assert!(one.iter().copied().eq(0..SEGMENT * 2));
        assert_eq!(one.0.len(), 2);
        let mut left = SEGMENT * 2;
        while let Some(some) = one.take(SEGMENT / 4) {
            assert!(some.len() <= SEGMENT / 4 && some.last() == Some(&(left - 1)));
            left -= some.len();
        }
        assert_eq!(left, 0);
    }
}
