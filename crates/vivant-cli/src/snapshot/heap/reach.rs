//! [`Reach`]: how the roots of a heap lead to each object.

use super::object_name::ObjectName;
use super::objects::Heap;
use super::references::{Reference, References};
use crate::snapshot::problem::Problem;
use std::collections::VecDeque;
use vivant_codec::{LoadError, walk};

/// Events of all contents that any heap may have, for each object, and for each byte.
const EVENTS_MIN: u64 = 1 << 20;
const EVENTS_PER_OBJECT: u64 = 64;
const EVENTS_PER_BYTE: u64 = 256;

/// How the roots lead to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lives {
    /// By references.
    Strongly,
    /// By no path without a weak reference.
    Weakly,
    /// By no path.
    Unreached,
}

/// What refers to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    Roots,
    /// The object that has this position among those of the heap.
    Object(usize),
}

/// How the roots lead to each object.
pub(super) struct Reach {
    found: Vec<Found>,
    /// Whether an object is the cell of a weak reference, by the positions of objects.
    is_weak_cell: Vec<bool>,
    /// The number of references to objects that are not there, in what is reached.
    pub(super) lost: u64,
    /// The first of them, with the object that has it.
    pub(super) first_lost: Option<(Holder, ObjectName)>,
}

#[derive(Clone, Copy)]
struct Found {
    lives: Lives,
    /// The position of the object that refers to it first, or [`ROOTS`].
    holder: u32,
    /// The number of the reference in that.
    reference: u32,
}

/// Stands for a holder that is no object.
const ROOTS: u32 = u32::MAX;

impl Reach {
    /// Goes from the roots along all references, the nearest objects first: each object is found by
    /// a shortest path. What only weak references lead to comes last.
    pub(super) fn of(heap: &Heap<'_>, roots: &[Reference]) -> Result<Reach, Problem> {
        let objects = heap.objects().len();
        let unreached = Found {
            lives: Lives::Unreached,
            holder: ROOTS,
            reference: 0,
        };
        let mut reach = Reach {
            found: vec![unreached; objects],
            is_weak_cell: vec![false; objects],
            lost: 0,
            first_lost: None,
        };
        let mut events = EVENTS_MIN
            .saturating_add((objects as u64).saturating_mul(EVENTS_PER_OBJECT))
            .saturating_add((heap.bytes() as u64).saturating_mul(EVENTS_PER_BYTE));
        let mut queue = VecDeque::new();
        reach.add(heap, (Holder::Roots, Lives::Strongly), roots, &mut queue);
        let mut weak = VecDeque::new();
        let mut references = Vec::new();
        let mut lives = Lives::Strongly;
        loop {
            let Some(at) = queue.pop_front() else {
                if weak.is_empty() {
                    return Ok(reach);
                }
                lives = Lives::Weakly;
                std::mem::swap(&mut queue, &mut weak);
                continue;
            };
            if reach.is_weak_cell[at] && lives == Lives::Strongly {
                weak.push_back(at);
                continue;
            }
            references.clear();
            read(heap, at, &mut events, &mut references)?;
            reach.add(heap, (Holder::Object(at), lives), &references, &mut queue);
        }
    }

    /// What a holder refers to, as far as it was not found before.
    fn add(
        &mut self,
        heap: &Heap<'_>,
        (holder, lives): (Holder, Lives),
        references: &[Reference],
        queue: &mut VecDeque<usize>,
    ) {
        for (number, reference) in references.iter().enumerate() {
            let Some(at) = heap.find(reference.to) else {
                self.lost += 1;
                self.first_lost.get_or_insert((holder, reference.to));
                continue;
            };
            self.is_weak_cell[at] |= reference.is_weak;
            if self.found[at].lives != Lives::Unreached {
                continue;
            }
            self.found[at] = Found {
                lives,
                holder: match holder {
                    Holder::Roots => ROOTS,
                    Holder::Object(at) => u32::try_from(at).unwrap_or(ROOTS),
                },
                reference: u32::try_from(number).unwrap_or(u32::MAX),
            };
            queue.push_back(at);
        }
    }

    /// How the roots lead to the object at this position.
    pub(super) fn lives(&self, at: usize) -> Lives {
        self.found[at].lives
    }

    /// What refers to a reached object, and the number of the reference in that.
    pub(super) fn holder(&self, at: usize) -> (Holder, u32) {
        let found = self.found[at];
        let holder = match found.holder {
            ROOTS => Holder::Roots,
            at => Holder::Object(at as usize),
        };
        (holder, found.reference)
    }

    /// Whether a reached object is the cell of a weak reference.
    pub(super) fn is_weak_cell(&self, at: usize) -> bool {
        self.is_weak_cell[at]
    }
}

/// Adds the references in the content of an object.
fn read(
    heap: &Heap<'_>,
    at: usize,
    events: &mut u64,
    found: &mut Vec<Reference>,
) -> Result<(), Problem> {
    let object = &heap.objects()[at];
    let (shape, content) = heap.content(object);
    let mut references = References::to(heap.number);
    let walked = walk(heap.file.shapes(), shape, content, |event| {
        *events = events.checked_sub(1).ok_or(Stop::TooManyEvents)?;
        found.extend(references.event(&event));
        Ok::<(), Stop>(())
    });
    match walked {
        Ok(()) => Ok(()),
        Err(Stop::Load(error)) => Err(heap.unreadable(object.name, error)),
        Err(Stop::TooManyEvents) => Err(Problem::HeapTooManyParts {
            actor: heap.actor,
            bytes: heap.bytes(),
        }),
    }
}

/// Why a walk ends early.
enum Stop {
    Load(LoadError),
    TooManyEvents,
}

impl From<LoadError> for Stop {
    fn from(error: LoadError) -> Stop {
        Stop::Load(error)
    }
}
