//! Parts of texts.

use super::Ptr;

/// A part of a text that others own too.
#[derive(Clone)]
pub(super) struct Slice {
    text: Ptr<str>,
    from: usize,
    to: usize,
}

impl Slice {
    pub(super) fn whole(text: &str) -> Slice {
        Slice {
            text: Ptr::from(text),
            from: 0,
            to: text.len(),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.text.as_bytes()[self.from..self.to]
    }

    pub(super) fn len(&self) -> usize {
        self.to - self.from
    }

    /// A part of this, counted from its beginning.
    pub(super) fn part(&self, from: usize, to: usize) -> Slice {
        Slice {
            text: self.text.clone(),
            from: self.from + from,
            to: self.from + to,
        }
    }
}
