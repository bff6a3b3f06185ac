//! The limits of values and tables. Saving and loading have the same limits, so that what was saved
//! can be loaded.

/// Levels of nesting of one value: boxes, shared pointers, sequences and maps within each other.
///
/// Each type that owns values of its own type does so through one of these, so the limit bounds the
/// stack of saving and loading. A linked list of boxes is limited to this length.
pub const DEPTH_MAX: u32 = 128;

/// Elements without bytes in one value, such as those of a `Vec<()>`.
///
/// Each other element takes one byte or more, so the length of the input limits their number.
pub const EMPTY_ELEMENTS_MAX: usize = 4096;

/// Shapes in one table.
pub const SHAPES_MAX: usize = 65_536;

/// Bytes that a sequence reserves before its first element is read. It grows by what it has read.
pub(crate) const RESERVED_BYTES_MAX: usize = 65_536;
