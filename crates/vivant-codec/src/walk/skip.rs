//! Skips a value by the shapes of its file.

use crate::bytes::reader::Reader;
use crate::errors::load_error::LoadError;
use crate::table::shapes::Shapes;
use crate::table::stored::ShapeId;
use crate::walk::walker::{Steps, Walker};

/// Goes to the end of the value, which is checked on the way.
pub(crate) fn skip(
    shapes: &Shapes,
    shape: ShapeId,
    input: &mut Reader<'_>,
    steps: &mut Steps,
) -> Result<(), LoadError> {
    Walker::new(shapes, input, steps).walk(shape, &mut |_| Ok(()))
}
