//! [`Shape::targets`]: what the references in a value lead to.

use super::target::ReferenceTarget;
use super::{Field, Kind, Shape, ShapeRef};
use std::any::Any;
use std::collections::HashSet;

impl Shape {
    /// Calls `each` for the target of each reference in values of this shape, at any depth. A
    /// target may come several times. Costs some work for each type that is part of the value.
    ///
    /// ```
    /// use vivant_codec::{Field, ReferenceTarget, Shape, ShapeRef, shape_of};
    ///
    /// const ROOM: ReferenceTarget = ReferenceTarget::new(|| &"a room");
    /// const DOOR: Shape = Shape::reference_to("Door", shape_of::<u64>(), ROOM);
    /// const FRONT: &[Field] = &[Field::new("front", ShapeRef::new(|| &DOOR))];
    /// static HOUSE: Shape = Shape::structure("House", FRONT);
    ///
    /// let mut targets: Vec<&str> = Vec::new();
    /// HOUSE.targets(&mut |target| targets.extend(target.downcast_ref::<&str>()));
    /// assert_eq!(targets, ["a room"]);
    /// ```
    pub fn targets(&'static self, each: &mut dyn FnMut(&'static (dyn Any + Send + Sync))) {
        self.each_part(&mut |shape| {
            if let Kind::Reference(_, Some(ReferenceTarget(target))) = shape.kind() {
                each(target());
            }
        });
    }

    /// Whether code may change a part of a value by a shared reference: it is in a
    /// [`Cell`](std::cell::Cell) or in a [`RefCell`](std::cell::RefCell). Types that write `Saved`
    /// by hand say so by [`in_a_cell`](Shape::in_a_cell).
    ///
    /// ```
    /// use std::cell::Cell;
    /// use vivant_codec::Saved;
    ///
    /// assert!(<Vec<(u64, Cell<bool>)> as Saved<'_>>::SHAPE.has_cells());
    /// assert!(!<Vec<(u64, bool)> as Saved<'_>>::SHAPE.has_cells());
    /// ```
    pub fn has_cells(&'static self) -> bool {
        let mut has_cells = false;
        self.each_part(&mut |shape| has_cells |= shape.in_a_cell);
        has_cells
    }

    /// Whether a type of this name is a part of the value, at any depth, or its own type.
    ///
    /// ```
    /// use vivant_codec::Saved;
    ///
    /// let shape = <Vec<(u64, Option<char>)> as Saved<'_>>::SHAPE;
    /// assert!(shape.has_part_named("char"));
    /// assert!(!shape.has_part_named("bool"));
    /// ```
    pub fn has_part_named(&'static self, name: &str) -> bool {
        let mut has_part = false;
        self.each_part(&mut |shape| has_part |= shape.name() == name);
        has_part
    }

    /// Calls `each` with this shape and those of all parts, each once.
    fn each_part(&'static self, each: &mut dyn FnMut(&'static Shape)) {
        let mut visited = HashSet::new();
        let mut open = vec![self];
        while let Some(shape) = open.pop() {
            if visited.insert(std::ptr::from_ref(shape)) {
                each(shape);
                open.extend(shape.parts().into_iter().map(ShapeRef::get));
            }
        }
    }

    /// The shapes of its parts.
    fn parts(&self) -> Vec<ShapeRef> {
        let fields = |fields: &[Field]| fields.iter().map(Field::shape_ref).collect::<Vec<_>>();
        match self.kind() {
            Kind::Primitive(_) | Kind::Opaque => Vec::new(),
            Kind::Option(part)
            | Kind::Sequence(part)
            | Kind::Array(part, _)
            | Kind::Reference(part, _) => vec![*part],
            Kind::Map(key, value) => vec![*key, *value],
            Kind::Tuple(parts) => parts.to_vec(),
            Kind::Structure(all) => fields(all),
            Kind::Enum(variants) => variants.iter().flat_map(|it| fields(it.fields())).collect(),
        }
    }
}
