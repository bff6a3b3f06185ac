//! [`SaveError`]: why a value could not be saved.

use crate::limits::{DEPTH_MAX, EMPTY_ELEMENTS_MAX, SHAPES_MAX};
use std::borrow::Cow;
use std::fmt;

/// Why a value could not be saved. The encoder keeps the first error and reports it at the end.
///
/// ```
/// use vivant_codec::{SaveErrorKind, to_bytes};
///
/// let error = to_bytes(&vec![(); 100_000]).unwrap_err();
/// assert_eq!(error.kind(), &SaveErrorKind::TooManyEmptyElements);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveError {
    kind: SaveErrorKind,
    /// The number of bytes written before.
    offset: usize,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SaveErrorKind {
    /// More levels of nesting than [`DEPTH_MAX`].
    TooDeep,
    /// More elements without bytes than [`EMPTY_ELEMENTS_MAX`].
    TooManyEmptyElements,
    /// A `RefCell` is mutably borrowed.
    Borrowed,
    /// A table of shapes would have more than [`SHAPES_MAX`] shapes.
    TooManyShapes,
    /// What a type's own `save` reports, or serde.
    Other(Cow<'static, str>),
}

impl SaveError {
    pub(crate) fn new(kind: SaveErrorKind, offset: usize) -> SaveError {
        SaveError { kind, offset }
    }

    /// What is wrong.
    pub fn kind(&self) -> &SaveErrorKind {
        &self.kind
    }

    /// The number of bytes that were written before.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after {} bytes: ", self.offset)?;
        match &self.kind {
            SaveErrorKind::TooDeep => write!(
                f,
                "more than {DEPTH_MAX} levels of nesting: keep what is linked in a `Vec`, and link by indices"
            ),
            SaveErrorKind::TooManyEmptyElements => write!(
                f,
                "more than {EMPTY_ELEMENTS_MAX} elements take no bytes at all: save their number"
            ),
            SaveErrorKind::TooManyShapes => write!(
                f,
                "more than {SHAPES_MAX} shapes: a generic type contains itself with ever other parameters"
            ),
            SaveErrorKind::Borrowed => write!(f, "a `RefCell` is mutably borrowed"),
            SaveErrorKind::Other(why) => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for SaveError {}
