//! [`Shapes`]: the table of the shapes that a file contains.

use crate::errors::load_error::LoadErrorKind;
use crate::errors::save_error::{SaveError, SaveErrorKind};
use crate::limits::SHAPES_MAX;
use crate::shape::Shape;
use crate::table::classes::classes;
use crate::table::stored::{ShapeId, StoredShape};
use std::collections::{HashMap, HashSet};

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
    /// The number of each shape, of the first of equal ones.
    numbers: HashMap<StoredShape, ShapeId>,
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
        let mut table = Shapes::default();
        for shape in shapes {
            let number = ShapeId(table.shapes.len() as u32);
            table.numbers.entry(shape.clone()).or_insert(number);
            table.shapes.push(shape);
        }
        Ok(table)
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
        let mut left = self.new_parts(shape)?;
        while !left.is_empty() {
            let before = left.len();
            left.retain(|shape| !self.add_after_parts(shape));
            if left.len() == before {
                self.add_cycles(&left);
                break;
            }
        }
        Ok(self.added[&address(shape)])
    }

    /// The shape and its parts, without those that were added. Parts come before what has them, in
    /// the order of the fields: a shape that has two addresses changes no order.
    fn new_parts(&self, shape: &'static Shape) -> Result<Vec<&'static Shape>, SaveError> {
        let mut found = Vec::new();
        let mut known = HashSet::new();
        let mut visits = vec![Visit::Begin(shape)];
        while let Some(visit) = visits.pop() {
            let shape = match visit {
                Visit::Begin(shape) => shape,
                Visit::End(shape) => {
                    found.push(shape);
                    continue;
                }
            };
            if self.added.contains_key(&address(shape)) || !known.insert(address(shape)) {
                continue;
            }
            if self.shapes.len() + known.len() > SHAPES_MAX {
                return Err(SaveError::new(SaveErrorKind::TooManyShapes, 0));
            }
            visits.push(Visit::End(shape));
            let first = visits.len();
            StoredShape::of(shape, |part| {
                visits.push(Visit::Begin(part.get()));
                ShapeId(0)
            });
            visits[first..].reverse();
        }
        Ok(found)
    }

    /// Adds a shape, if all its parts have numbers.
    fn add_after_parts(&mut self, shape: &'static Shape) -> bool {
        let mut has_numbers = true;
        let stored = StoredShape::of(shape, |part| match self.added.get(&address(part.get())) {
            Some(id) => *id,
            None => {
                has_numbers = false;
                ShapeId(0)
            }
        });
        if has_numbers {
            let id = self.number(stored);
            self.added.insert(address(shape), id);
        }
        has_numbers
    }

    /// The number of a shape, which is appended if it is new.
    fn number(&mut self, shape: StoredShape) -> ShapeId {
        if let Some(id) = self.numbers.get(&shape) {
            return *id;
        }
        let id = ShapeId(self.shapes.len() as u32);
        self.numbers.insert(shape.clone(), id);
        self.shapes.push(shape);
        id
    }

    /// Adds shapes of cycles, and those that lead to cycles: none of them can be the first. They
    /// are compared with all that are there.
    fn add_cycles(&mut self, new: &[&'static Shape]) {
        let old = self.shapes.len();
        let place = |i| ShapeId((old + i) as u32);
        let places = new.iter().enumerate();
        let places: HashMap<usize, ShapeId> = places
            .map(|(i, shape)| (address(shape), place(i)))
            .collect();
        let mut all = self.shapes.clone();
        all.extend(new.iter().map(|shape| {
            StoredShape::of(shape, |part| {
                let part = address(part.get());
                self.added
                    .get(&part)
                    .copied()
                    .unwrap_or_else(|| places[&part])
            })
        }));
        let classes = classes(&all);
        let mut numbers: HashMap<usize, ShapeId> = HashMap::new();
        let mut next = old;
        for (i, class) in classes.iter().enumerate() {
            numbers.entry(*class).or_insert_with(|| match i < old {
                true => ShapeId(i as u32),
                false => {
                    next += 1;
                    ShapeId(next as u32 - 1)
                }
            });
        }
        let number = |part: ShapeId| numbers[&classes[part.0 as usize]];
        for (i, shape) in all.into_iter().enumerate().skip(old) {
            let id = number(ShapeId(i as u32));
            self.added.insert(address(new[i - old]), id);
            if id.0 as usize == self.shapes.len() {
                self.number(shape.renumber(number));
            }
        }
    }
}

/// A step of a walk over shapes.
enum Visit {
    Begin(&'static Shape),
    /// Its parts have been visited.
    End(&'static Shape),
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
