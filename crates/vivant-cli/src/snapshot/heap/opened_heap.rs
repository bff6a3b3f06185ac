//! [`OpenedHeap`]: the heap of one actor, with what leads to its objects.

use super::objects::Heap;
use super::reach::Reach;
use super::roots::Roots;
use crate::snapshot::actors::Actor;
use crate::snapshot::contents::Contents;
use crate::snapshot::parts::Parts;
use crate::snapshot::problem::Problem;
use crate::snapshot::show::Selection;

/// The type of the records of actors.
const ACTOR: &str = "vivant::ActorRecord";

/// The heap of one actor, with what leads to its objects.
pub(super) struct OpenedHeap<'c, 'f> {
    pub(super) actor: Actor,
    pub(super) heap: Heap<'f>,
    pub(super) roots: Roots<'c, 'f>,
    pub(super) reach: Reach,
}

impl<'c, 'f> OpenedHeap<'c, 'f> {
    /// Opens the heap of the actor with this path or number.
    pub(super) fn open(contents: &'c Contents<'f>, actor: &str) -> Result<Self, Problem> {
        let file = contents.file;
        let number = file.header().number;
        let selection = Selection {
            actor: Some(actor.to_owned()),
            type_name: None,
        };
        let mut records = file.tables.records(&file.image, ACTOR);
        let (actor, record) = loop {
            let Some(record) = records.next().transpose()? else {
                let actor = actor.to_owned();
                return Err(Problem::NoActor { number, actor });
            };
            let events = file.events_in(record.parts())?.unwrap_or_default();
            let actor = Actor::of(0, record.id, Parts(&events))?;
            drop(events);
            if selection.has(&actor) {
                break (actor, record);
            }
        };
        let Some(heap) = Heap::read(file, actor.id)? else {
            let actor = actor.name();
            return Err(Problem::NoHeap { number, actor });
        };
        let roots = Roots::read(contents, record, actor.id, heap.number)?;
        let reach = Reach::of(&heap, &roots.references()?)?;
        Ok(OpenedHeap {
            actor,
            heap,
            roots,
            reach,
        })
    }
}
