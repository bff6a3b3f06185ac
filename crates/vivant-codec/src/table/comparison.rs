//! [`Comparison`]: how the shapes of a file relate to those of the program.

use crate::shape::{Field, Kind, Shape};
use crate::table::shapes::{Shapes, address};
use crate::table::stored::{ShapeId, StoredField, StoredKind};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Pairs of shapes that one comparison examines. After that it answers that shapes differ, which is
/// never wrong, only slower to read.
const PAIRS_MAX: usize = 100_000;

/// Relates the shapes of a file to those of the program, each pair once.
///
/// One serves all values of a file that one thread reads.
#[derive(Debug)]
pub struct Comparison<'s> {
    shapes: &'s Shapes,
    /// Whether a pair is equal in full.
    equal: RefCell<HashMap<Pair, bool>>,
    /// The last answer. Many values of one type follow each other.
    last: Cell<Option<(Pair, bool)>>,
    plans: RefCell<HashMap<(Pair, Option<u32>), Plan>>,
    /// Pairs that may still be examined.
    left: Cell<usize>,
}

/// A shape of the file, and the address of one of the program.
type Pair = (ShapeId, usize);

/// For each field of the program its place in the file, if the file has it.
pub(crate) type Plan = Rc<[Option<usize>]>;

impl<'s> Comparison<'s> {
    /// A comparison with the shapes of this file.
    pub fn new(shapes: &'s Shapes) -> Comparison<'s> {
        Comparison {
            shapes,
            equal: RefCell::default(),
            last: Cell::new(None),
            plans: RefCell::default(),
            left: Cell::new(PAIRS_MAX),
        }
    }

    /// A comparison for which all shapes differ: everything is read by name.
    #[doc(hidden)]
    pub fn by_name(shapes: &'s Shapes) -> Comparison<'s> {
        let comparison = Comparison::new(shapes);
        comparison.left.set(0);
        comparison
    }

    /// The shapes of the file.
    pub fn shapes(&self) -> &'s Shapes {
        self.shapes
    }

    /// Whether values of the file's shape are read as those of the program's: both are equal in
    /// full, all parts included.
    ///
    /// Examines all pairs that can be reached, each once for all calls. Those that differ alone
    /// make the pairs different that reach them; all others are equal, also in cycles.
    #[inline]
    pub(crate) fn is_equal(&self, stored: ShapeId, current: &'static Shape) -> bool {
        let pair = (stored, address(current));
        match self.last.get() {
            Some((last, equal)) if last == pair => equal,
            _ => {
                let equal = self.examine(stored, current);
                self.last.set(Some((pair, equal)));
                equal
            }
        }
    }

    fn examine(&self, stored: ShapeId, current: &'static Shape) -> bool {
        if let Some(equal) = self.equal.borrow().get(&(stored, address(current))) {
            return *equal;
        }
        let mut pairs = vec![(stored, current)];
        let mut places = HashMap::from([((stored, address(current)), 0)]);
        let mut reached_by: Vec<Vec<usize>> = vec![Vec::new()];
        let mut different = Vec::new();
        let mut next = 0;
        while let Some((stored, current)) = pairs.get(next).copied() {
            match self.examined(stored, current) {
                Some(parts) => {
                    for part in parts {
                        let place = *places
                            .entry((part.0, address(part.1)))
                            .or_insert(pairs.len());
                        if place == pairs.len() {
                            pairs.push(part);
                            reached_by.push(Vec::new());
                        }
                        reached_by[place].push(next);
                    }
                }
                None => different.push(next),
            }
            next += 1;
        }
        let mut is_equal = vec![true; pairs.len()];
        while let Some(place) = different.pop() {
            if std::mem::replace(&mut is_equal[place], false) {
                different.append(&mut reached_by[place]);
            }
        }
        let known = pairs
            .iter()
            .map(|(stored, current)| (*stored, address(current)));
        let known = known.zip(is_equal.iter().copied());
        self.equal.borrow_mut().extend(known);
        is_equal[0]
    }

    /// The pairs of parts that have yet to be examined. `None` if the shapes differ.
    fn examined(
        &self,
        stored: ShapeId,
        current: &'static Shape,
    ) -> Option<Vec<(ShapeId, &'static Shape)>> {
        match self.equal.borrow().get(&(stored, address(current))) {
            Some(true) => return Some(Vec::new()),
            Some(false) => return None,
            None => {}
        }
        self.left.set(self.left.get().checked_sub(1)?);
        self.parts(stored, current)
    }

    /// The pairs of parts, if both shapes are equal apart from them.
    fn parts(
        &self,
        stored: ShapeId,
        current: &'static Shape,
    ) -> Option<Vec<(ShapeId, &'static Shape)>> {
        let stored = self.shapes.get(stored)?;
        let is_named = stored.name == current.name() && stored.version == current.version();
        let parts = match (&stored.kind, current.kind()) {
            (StoredKind::Primitive(stored), Kind::Primitive(current)) => {
                return (stored == current).then(Vec::new);
            }
            (StoredKind::Opaque, Kind::Opaque) => return Some(Vec::new()),
            (StoredKind::Option(stored), Kind::Option(current))
            | (StoredKind::Sequence(stored), Kind::Sequence(current)) => {
                return Some(vec![(*stored, current.get())]);
            }
            (StoredKind::Map(key, value), Kind::Map(current_key, current_value)) => {
                return Some(vec![
                    (*key, current_key.get()),
                    (*value, current_value.get()),
                ]);
            }
            (StoredKind::Array(stored, count), Kind::Array(current, current_count)) => {
                return (count == current_count).then(|| vec![(*stored, current.get())]);
            }
            (StoredKind::Tuple(stored), Kind::Tuple(current)) => {
                let parts = stored.iter().zip(*current);
                let parts = parts.map(|(stored, current)| (*stored, current.get()));
                return (stored.len() == current.len()).then(|| parts.collect());
            }
            (StoredKind::Reference(stored), Kind::Reference(current, _)) => {
                vec![(*stored, current.get())]
            }
            (StoredKind::Structure(stored), Kind::Structure(current)) => fields(stored, current)?,
            (StoredKind::Enum(stored), Kind::Enum(current)) => {
                let mut parts = Vec::new();
                for (stored, current) in stored.iter().zip(*current) {
                    if stored.name != current.name() {
                        return None;
                    }
                    parts.extend(fields(&stored.fields, current.fields())?);
                }
                (stored.len() == current.len()).then_some(parts)?
            }
            _ => return None,
        };
        is_named.then_some(parts)
    }

    /// Where the file has the fields of the program. `variant` is the place of the variant that has
    /// them, if they are of one.
    pub(crate) fn plan(
        &self,
        stored: (ShapeId, Option<u32>),
        stored_fields: &[StoredField],
        shape: &'static Shape,
        fields: &'static [Field],
    ) -> Plan {
        let key = ((stored.0, address(shape)), stored.1);
        if let Some(plan) = self.plans.borrow().get(&key) {
            return plan.clone();
        }
        let plan: Plan = fields
            .iter()
            .map(|field| place(field, stored_fields))
            .collect();
        let mut plans = self.plans.borrow_mut();
        if plans.len() < PAIRS_MAX {
            plans.insert(key, plan.clone());
        }
        plan
    }
}

/// The pairs of fields, if they have the same names in the same order.
fn fields(stored: &[StoredField], current: &[Field]) -> Option<Vec<(ShapeId, &'static Shape)>> {
    let mut pairs = stored.iter().zip(current);
    let named = stored.len() == current.len()
        && pairs.all(|(stored, current)| stored.name == current.name());
    let pairs = stored.iter().zip(current);
    let pairs = pairs.map(|(stored, current)| (stored.shape, current.shape()));
    named.then(|| pairs.collect())
}

/// The place of a field in the file: that of its name, or else of an earlier one.
fn place(field: &Field, stored: &[StoredField]) -> Option<usize> {
    let by_name = stored.iter().position(|it| it.name == field.name());
    by_name.or_else(|| stored.iter().position(|it| field.is_named(&it.name)))
}
