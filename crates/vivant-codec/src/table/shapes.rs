//! [`Shapes`]: the table of the shapes that a file contains.

use crate::errors::load_error::LoadErrorKind;
use crate::errors::save_error::{SaveError, SaveErrorKind};
use crate::limits::SHAPES_MAX;
use crate::shape::{Shape, ShapeRef};
use crate::table::classes::classes;
use crate::table::stored::{ShapeId, StoredShape};
use std::collections::HashMap;

/// The shapes of a file. With it a file is read by a program of which the types have changed, and
/// shown without its program.
///
/// A file writer adds the shape of each type that it saves, and saves the table too, which is a
/// value like others. Equal shapes have one number, so the table of a program is always the same.
///
/// ```
/// use vivant_codec::{Comparison, Saved, Shapes, from_bytes, load_stored, to_bytes};
///
/// let mut shapes = Shapes::default();
/// let id = shapes.add(<Vec<u16>>::SHAPE)?;
/// let table = to_bytes(&shapes)?;
/// let bytes = to_bytes(&vec![7_u16, 300])?;
///
/// // A later program has `u64` there.
/// let shapes: Shapes = from_bytes(&table)?;
/// let comparison = Comparison::new(&shapes);
/// assert_eq!(load_stored::<Vec<u64>>(&bytes, &comparison, id)?, [7, 300]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    shapes: Vec<StoredShape>,
    /// The numbers of the program's shapes that were added, by address: one shape may have several.
    added: HashMap<usize, ShapeId>,
}

impl Shapes {
    /// A table from a file.
    pub(crate) fn read(shapes: Vec<StoredShape>) -> Result<Shapes, LoadErrorKind> {
        if shapes.len() > SHAPES_MAX {
            return Err(LoadErrorKind::TooManyShapes);
        }
        for shape in &shapes {
            let mut parts = shape.parts().into_iter();
            if let Some(wrong) = parts.find(|part| part.0 as usize >= shapes.len()) {
                return Err(LoadErrorKind::NoShape(wrong.0));
            }
        }
        Ok(Shapes {
            shapes,
            added: HashMap::new(),
        })
    }

    pub(crate) fn all(&self) -> &[StoredShape] {
        &self.shapes
    }

    pub(crate) fn get(&self, id: ShapeId) -> Option<&StoredShape> {
        self.shapes.get(id.0 as usize)
    }

    /// The number of shapes.
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Whether there is no shape.
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// The stable name and the version of the type that has this shape.
    pub fn name(&self, id: ShapeId) -> Option<(&str, u32)> {
        let shape = self.get(id)?;
        Some((&shape.name, shape.version))
    }

    /// Adds a shape and all its parts. Returns the number that it has, also if it was there.
    ///
    /// # Errors
    ///
    /// The table would have more than [`SHAPES_MAX`] shapes: a generic type contains itself with
    /// ever other parameters.
    pub fn add(&mut self, shape: &'static Shape) -> Result<ShapeId, SaveError> {
        if let Some(id) = self.added.get(&address(shape)) {
            return Ok(*id);
        }
        let (found, all) = self.with_parts_of(shape)?;
        let classes = classes(&all);
        // The shapes that were there are different from each other: a class for each.
        let mut numbers: HashMap<usize, ShapeId> = HashMap::new();
        let old = self.shapes.len();
        let mut next = old as u32;
        for (i, class) in classes.iter().enumerate() {
            let number = *numbers.entry(*class).or_insert_with(|| match i < old {
                true => ShapeId(i as u32),
                false => {
                    next += 1;
                    ShapeId(next - 1)
                }
            });
            if i >= old {
                self.added.insert(address(found[i - old]), number);
            }
        }
        let number = |part: ShapeId| numbers[&classes[part.0 as usize]];
        for (i, shape) in all.into_iter().enumerate().skip(old) {
            if number(ShapeId(i as u32)).0 as usize == self.shapes.len() {
                self.shapes.push(shape.renumber(number));
            }
        }
        Ok(self.added[&address(shape)])
    }

    /// The parts of a shape that are not in the table, and the table with them behind it.
    fn with_parts_of(
        &self,
        shape: &'static Shape,
    ) -> Result<(Vec<&'static Shape>, Vec<StoredShape>), SaveError> {
        let old = self.shapes.len();
        let mut all = self.shapes.clone();
        let mut found = vec![shape];
        let mut numbers = HashMap::from([(address(shape), ShapeId(old as u32))]);
        while let Some(shape) = found.get(all.len() - old).copied() {
            if all.len() >= SHAPES_MAX {
                return Err(SaveError::new(SaveErrorKind::TooManyShapes, 0));
            }
            all.push(StoredShape::of(shape, |part: ShapeRef| {
                let part = part.get();
                if let Some(id) = self.added.get(&address(part)) {
                    return *id;
                }
                *numbers.entry(address(part)).or_insert_with(|| {
                    found.push(part);
                    ShapeId((old + found.len() - 1) as u32)
                })
            }));
        }
        Ok((found, all))
    }
}

/// Tables with the same shapes under the same numbers.
impl PartialEq for Shapes {
    fn eq(&self, other: &Shapes) -> bool {
        self.shapes == other.shapes
    }
}

impl Eq for Shapes {}

/// Equal addresses are the same shape. The same shape may have several addresses, so nothing but
/// speed depends on them.
pub(crate) fn address(shape: &'static Shape) -> usize {
    std::ptr::from_ref(shape).addr()
}
