//! [`RetainingPath`]: why an object lives.

use super::field_path::FieldPath;
use super::objects::Heap;
use super::reach::{Holder, Reach};
use super::references::References;
use super::roots::Roots;
use crate::snapshot::problem::Problem;
use vivant_codec::{LoadError, walk};

/// A shortest path of references from the roots to an object.
pub(super) struct RetainingPath(Vec<Step>);

/// A reference.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) holder: Holder,
    /// The number of the reference in the holder.
    reference: u32,
    /// The position of the object to which it leads.
    pub(super) to: usize,
}

impl RetainingPath {
    /// The path to a reached object.
    pub(super) fn to(reach: &Reach, at: usize) -> RetainingPath {
        let mut steps = Vec::new();
        let mut to = at;
        loop {
            let (holder, reference) = reach.holder(to);
            steps.push(Step {
                holder,
                reference,
                to,
            });
            match holder {
                Holder::Object(at) => to = at,
                Holder::Roots => break,
            }
        }
        steps.reverse();
        RetainingPath(steps)
    }

    /// The references, from the roots on.
    pub(super) fn steps(&self) -> &[Step] {
        &self.0
    }
}

impl Step {
    /// By which field the holder refers to the object.
    pub(super) fn place(&self, heap: &Heap<'_>, roots: &Roots<'_, '_>) -> Result<String, Problem> {
        let Holder::Object(at) = self.holder else {
            return roots.place(self.reference);
        };
        let object = &heap.objects()[at];
        let (shape, content) = heap.content(object);
        let (mut references, mut path) = (References::to(heap.number), FieldPath::default());
        let (mut left, mut place) = (self.reference, None);
        let walked = walk(heap.file.shapes(), shape, content, |event| {
            path.event(&event);
            if references.event(&event).is_some() && place.is_none() {
                match left.checked_sub(1) {
                    Some(rest) => left = rest,
                    None => place = Some(path.text()),
                }
            }
            Ok::<(), LoadError>(())
        });
        walked.map_err(|error| heap.unreadable(object.name, error))?;
        Ok(place.unwrap_or_default())
    }
}
