//! Walks through a whole value by the shapes of its file.

use crate::bytes::reader::Reader;
use crate::errors::load_error::{LoadError, LoadErrorKind};
use crate::table::shapes::Shapes;
use crate::table::stored::ShapeId;
use crate::walk::walker::{Event, Steps, Walker};

/// Walks through a value without its program: `visit` gets all its parts, in the order of the
/// bytes. An error of `visit` ends the walk.
///
/// The number of events is bounded: by 2^20 and 256 for each byte.
///
/// ```
/// use vivant_codec::{Event, LoadError, Saved, Shapes, to_bytes, walk};
///
/// let mut shapes = Shapes::default();
/// let id = shapes.add(<Vec<(u16, String)>>::SHAPE)?;
/// let bytes = to_bytes(&vec![(7_u16, "a".to_owned()), (300, "b".to_owned())])?;
///
/// let mut sum = 0;
/// walk(&shapes, id, &bytes, |event| {
///     if let Event::Unsigned(value) = event {
///         sum += value;
///     }
///     Ok::<(), LoadError>(())
/// })?;
/// assert_eq!(sum, 307);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The bytes are no value of this shape, or what `visit` returns.
pub fn walk<'s, 'a, E: From<LoadError>>(
    shapes: &'s Shapes,
    shape: ShapeId,
    bytes: &'a [u8],
    mut visit: impl FnMut(Event<'s, 'a>) -> Result<(), E>,
) -> Result<(), E> {
    let mut input = Reader::new(bytes);
    let mut steps = Steps::of(bytes.len());
    Walker::new(shapes, &mut input, &mut steps).walk(shape, &mut visit)?;
    match input.left() {
        0 => Ok(()),
        left => Err(input.error(LoadErrorKind::TrailingBytes(left)).into()),
    }
}
