//! Skips a value by the shapes of its file.

use crate::bytes::reader::Reader;
use crate::errors::load_error::LoadError;
use crate::table::shapes::Shapes;
use crate::table::stored::ShapeId;
use crate::walk::walker::{Steps, Walker};

/// Returns the number of bytes of the value with which `bytes` begin.
///
/// ```
/// use vivant_codec::{Saved, Shapes, skip};
///
/// let mut shapes = Shapes::default();
/// let id = shapes.add(<Vec<u16>>::SHAPE)?;
/// assert_eq!(skip(&shapes, id, &[2, 7, 0xac, 0x02, 9, 9])?, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The bytes do not begin with a value of this shape.
pub fn skip(shapes: &Shapes, shape: ShapeId, bytes: &[u8]) -> Result<usize, LoadError> {
    let mut input = Reader::new(bytes);
    skip_value(shapes, shape, &mut input, &mut Steps::of(bytes.len()))?;
    Ok(input.offset())
}

/// Goes to the end of the value, which is checked on the way.
pub(crate) fn skip_value(
    shapes: &Shapes,
    shape: ShapeId,
    input: &mut Reader<'_>,
    steps: &mut Steps,
) -> Result<(), LoadError> {
    Walker::new(shapes, input, steps).walk(shape, &mut |_| Ok::<(), LoadError>(()))
}
