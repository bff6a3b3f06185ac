//! Classes of equal shapes, found by refinement as in the minimisation of an automaton.
//!
//! Two shapes are equal if their names, versions, kinds and names of members are, and their parts
//! are equal in turn; recursive shapes are equal unless a difference can be reached.

use crate::table::stored::{ShapeId, StoredShape};
use std::collections::HashMap;
use std::hash::Hash;

/// The class of each shape. The parts of shape `i` are numbers in the same list. Classes are
/// numbered by their first members, so the result does not depend on hashes.
pub(crate) fn classes(shapes: &[StoredShape]) -> Vec<usize> {
    let parts: Vec<Vec<ShapeId>> = shapes.iter().map(StoredShape::parts).collect();
    let alone = shapes
        .iter()
        .map(|shape| shape.clone().renumber(|_| ShapeId(0)));
    let (mut classes, mut count) = numbered(alone);
    loop {
        let refined = (0..shapes.len()).map(|i| {
            let of_parts = parts[i].iter().map(|part| classes[part.0 as usize]);
            (classes[i], of_parts.collect::<Vec<_>>())
        });
        let (next, next_count) = numbered(refined);
        if next_count == count {
            return next;
        }
        (classes, count) = (next, next_count);
    }
}

/// Numbers from 0 on, in the order of first occurrence, and how many there are.
fn numbered<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> (Vec<usize>, usize) {
    let mut known = HashMap::new();
    let mut numbers = Vec::new();
    for key in keys {
        let next = known.len();
        numbers.push(*known.entry(key).or_insert(next));
    }
    (numbers, known.len())
}
