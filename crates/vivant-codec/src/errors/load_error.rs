//! [`LoadError`]: why bytes could not be loaded as a value.

use crate::errors::path::Path;
use crate::limits::{DEPTH_MAX, EMPTY_ELEMENTS_MAX, SHAPES_MAX};
use std::borrow::Cow;
use std::fmt;

/// Why bytes could not be loaded as a value, where in the bytes, and in which type and field.
///
/// ```
/// use vivant_codec::{LoadErrorKind, from_bytes};
///
/// let error = from_bytes::<(u8, bool)>(&[7, 2]).unwrap_err();
/// assert_eq!(error.kind(), &LoadErrorKind::NotBool(2));
/// assert_eq!(error.offset(), 1);
/// assert_eq!(error.to_string(), "byte 1: 2 is no bool, which is 0 or 1");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct LoadError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: LoadErrorKind,
    offset: usize,
    path: Path,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// The bytes end within the value.
    Ended,
    /// Bytes follow the value; their number.
    TrailingBytes(usize),
    /// The integer does not fit into its type.
    TooLarge,
    /// The integer has more bytes than it needs.
    Overlong,
    /// A `bool` that is neither 0 nor 1.
    NotBool(u8),
    /// A string of this many bytes where one `char` is expected, or another text than one `char`.
    NotChar,
    /// Text that is not UTF-8.
    NotUtf8,
    /// The byte before the value of an `Option` is neither 0 nor 1.
    NotOption(u8),
    /// Zero in a type that excludes it.
    Zero,
    /// The enum has no variant of this number.
    NoVariant {
        /// The number in the bytes.
        number: u32,
        /// The number of variants.
        variants: usize,
    },
    /// More elements are announced than bytes follow.
    TooLong {
        /// The announced number of elements.
        elements: u64,
        /// The number of bytes that follow.
        bytes: usize,
    },
    /// More elements without bytes than [`EMPTY_ELEMENTS_MAX`].
    TooManyEmptyElements,
    /// More levels of nesting than [`DEPTH_MAX`].
    TooDeep,
    /// Two entries of a map, or two elements of a set, are equal.
    Duplicate,
    /// The value is outside of its type's range: a time, for example.
    OutOfRange,
    /// The file was written without this field, which has no default.
    MissingField,
    /// The file has a variant that the type does not have any more; its name.
    GoneVariant(String),
    /// The file has another type here than the program.
    OtherType {
        /// The shape in the file.
        found: String,
        /// The shape in the program.
        expected: String,
    },
    /// The file has a version of the type from which there is no way to the program's.
    OtherVersion {
        /// The version in the file.
        found: u32,
        /// The version in the program.
        expected: u32,
    },
    /// The table of shapes has more than [`SHAPES_MAX`] shapes.
    TooManyShapes,
    /// The table of shapes refers to a shape that it does not have; the number.
    NoShape(u32),
    /// The value takes more steps to read than its bytes allow: its shape is a bomb.
    TooManySteps,
    /// What a type's own `load` reports, or serde.
    Other(Cow<'static, str>),
}

impl LoadError {
    /// An error at byte `offset`.
    #[cold]
    pub(crate) fn new(kind: LoadErrorKind, offset: usize) -> LoadError {
        LoadError(Box::new(Inner {
            kind,
            offset,
            path: Path::default(),
        }))
    }

    /// An error of serde, which does not know the place.
    #[cfg(feature = "serde")]
    pub(crate) fn unplaced(kind: LoadErrorKind) -> LoadError {
        LoadError::new(kind, usize::MAX)
    }

    /// The same error, at this place if it has none.
    #[cfg(feature = "serde")]
    pub(crate) fn placed(mut self, offset: usize) -> LoadError {
        if self.0.offset == usize::MAX {
            self.0.offset = offset;
        }
        self
    }

    /// The same error in bytes that begin at `begin` in the whole.
    #[cfg(feature = "serde")]
    pub(crate) fn behind(mut self, begin: usize) -> LoadError {
        self.0.offset += begin;
        self
    }

    /// What is wrong.
    pub fn kind(&self) -> &LoadErrorKind {
        &self.0.kind
    }

    /// The number of bytes before the place at which loading failed.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// The innermost type and its field or variant at which loading failed. `None` if that is in no
    /// structure or enum.
    pub fn member(&self) -> Option<(&str, &str)> {
        self.0.path.innermost()
    }

    /// The same error in this member of an enclosing type.
    #[cold]
    pub(crate) fn within(
        mut self,
        type_name: impl Into<Cow<'static, str>>,
        member: impl Into<Cow<'static, str>>,
    ) -> LoadError {
        self.0.path.push(type_name, member);
        self
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.path.is_empty() {
            write!(f, "{}: ", self.0.path)?;
        }
        write!(f, "byte {}: {}", self.0.offset, self.0.kind)
    }
}

impl fmt::Debug for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LoadError({self})")
    }
}

impl std::error::Error for LoadError {}

impl fmt::Display for LoadErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use LoadErrorKind as Kind;
        match self {
            Kind::Ended => write!(f, "the bytes end within a value"),
            Kind::TrailingBytes(count) => write!(f, "{count} bytes follow the value"),
            Kind::TooLarge => write!(f, "an integer does not fit into its type"),
            Kind::Overlong => write!(f, "an integer has more bytes than it needs"),
            Kind::NotBool(byte) => write!(f, "{byte} is no bool, which is 0 or 1"),
            Kind::NotChar => write!(f, "a char is the text of one character"),
            Kind::NotUtf8 => write!(f, "text that is not UTF-8"),
            Kind::NotOption(byte) => {
                write!(f, "{byte} begins no option, which begins with 0 or 1")
            }
            Kind::Zero => write!(f, "zero in a type that excludes it"),
            Kind::NoVariant { number, variants } => {
                write!(f, "there is no variant {number}, but {variants}, from 0 on")
            }
            Kind::TooLong { elements, bytes } => {
                write!(
                    f,
                    "{elements} elements are announced, and {bytes} bytes follow"
                )
            }
            Kind::TooManyEmptyElements => write!(
                f,
                "more than {EMPTY_ELEMENTS_MAX} elements take no bytes at all"
            ),
            Kind::TooDeep => write!(f, "more than {DEPTH_MAX} levels of nesting"),
            Kind::Duplicate => write!(f, "two keys of a map, or elements of a set, are equal"),
            Kind::OutOfRange => write!(f, "a value outside of the range of its type"),
            Kind::MissingField => write!(
                f,
                "the file was written without this field: say `#[saved(was = \"…\")]` if it had another name, or \
                 `#[saved(default)]` for a value that is made anew"
            ),
            Kind::GoneVariant(name) => write!(
                f,
                "the file has the variant `{name}`, which the type has not: say `#[saved(was = \"{name}\")]` at the \
                 variant that replaces it, or give the type a new `version` and load the old one with `from`"
            ),
            Kind::OtherType { found, expected } => write!(
                f,
                "the file has {found} where the program has {expected}: give the type a new `version` and load the old \
                 one with `from`; if only its name has changed, say `#[saved(was = \"…\")]` at the type"
            ),
            Kind::OtherVersion { found, expected } => write!(
                f,
                "the file has version {found} of the type and the program version {expected}: say `from = Old` at the \
                 type, where `Old` is a type with `#[saved(version = {found})]`"
            ),
            Kind::TooManyShapes => write!(f, "more than {SHAPES_MAX} shapes"),
            Kind::NoShape(number) => write!(f, "the table has no shape {number}"),
            Kind::TooManySteps => write!(
                f,
                "the value has more parts without bytes than any type of a program"
            ),
            Kind::Other(why) => write!(f, "{why}"),
        }
    }
}
