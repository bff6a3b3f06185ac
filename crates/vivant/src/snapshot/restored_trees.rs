//! The supervision trees of a restored system.

use super::by_id::{Actors, ById};
use super::held::Held;
use super::image::Image;
use super::not_restored::NotRestored;
use super::restored_start::RestoredStart;
use super::supervised::{
    IncarnationState, LeafRecord, OrderRecord, SupervisedAs, SupervisedRecord, WaitingOrder,
};
use super::values::Values;
use crate::actor::{AddressRef, CellRef, Lifecycle, OnPanic, Signals, TreeEnd};
use crate::api::ActorsById;
use crate::run::ChildState;
use crate::supervision::{
    LoadedTrees, children_of, is_supervisor, restore_supervisor, set_end, supervised_by,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The trees of an image. Their supervisors are being loaded.
pub(super) struct RestoredTrees<'r> {
    records: &'r [SupervisedRecord],
    orders: &'r [OrderRecord],
    actors: &'r Actors,
    /// The supervisor of each child.
    above: BTreeMap<u64, u64>,
    loaded: LoadedTrees,
}

impl<'r> RestoredTrees<'r> {
    /// Checks that the records are those of trees, and that each order is for a child.
    pub(super) fn new(
        image: &'r Image,
        actors: &'r Actors,
    ) -> Result<RestoredTrees<'r>, NotRestored> {
        let mut above = BTreeMap::new();
        for record in &image.supervised {
            let child = actor(actors, record.actor)?;
            let is_branch = matches!(record.child, SupervisedAs::Branch);
            let above_it = actors.get(&record.supervisor);
            let can_supervise = match above_it {
                Some(above_it) => is_supervisor(above_it.class),
                // It has ended.
                None => record.supervisor < image.system.numbers.0,
            };
            if is_branch != is_supervisor(child.class) || !can_supervise {
                return Err(NotRestored::NoSupervisor {
                    actor: child.path(),
                    supervisor: record.supervisor,
                });
            }
            if above.insert(record.actor, record.supervisor).is_some() {
                return Err(NotRestored::Twice(record.actor));
            }
        }
        if let Some(actor) = in_cycle(&above) {
            return Err(NotRestored::SupervisorCycle(actor));
        }
        let trees = RestoredTrees {
            records: &image.supervised,
            orders: &image.shared.orders,
            actors,
            loaded: LoadedTrees::new(above.keys().copied()),
            above,
        };
        trees.orders.iter().try_for_each(|it| trees.check(it))?;
        Ok(trees)
    }

    /// The context of decoders.
    pub(super) fn loaded(&self) -> &LoadedTrees {
        &self.loaded
    }

    fn check(&self, OrderRecord { actor: id, order }: &OrderRecord) -> Result<(), NotRestored> {
        let child = actor(self.actors, *id)?;
        let known = match order {
            WaitingOrder::Halt(number) => {
                Signals::halt(*number).halt_number().low_bits() == *number
            }
            WaitingOrder::Start | WaitingOrder::End(_) => true,
        };
        match known && self.above.contains_key(id) {
            true => Ok(()),
            false => Err(NotRestored::NoOrder {
                actor: child.path(),
                order: format!("{order:?}"),
            }),
        }
    }

    /// The states are loaded: gives each child what it knows of its supervisor. `has_heap`: its
    /// state is loaded, and not in its cell yet.
    pub(super) fn supervise(
        &self,
        held: &mut Held,
        by_id: &Rc<ById>,
        values: &Values<'r>,
        has_heap: impl Fn(u64) -> bool,
    ) -> Result<(), NotRestored> {
        for record in self.records {
            if let SupervisedAs::Leaf(leaf) = &record.child {
                let content = match has_heap(record.actor) || held.has_state(record.actor)? {
                    true => ChildState::Some,
                    false => ChildState::None,
                };
                self.supervise_leaf((record, leaf, content), held, by_id, values)?;
            }
        }
        for supervisor in self.supervisors() {
            let children = children_of(&mut held.actor(supervisor.id)?.state());
            let is_of_other = |child: &u64| {
                let above = self.above.get(child);
                above.is_some_and(|above| *above != supervisor.id)
            };
            if let Some(child) = children.iter().find(|child| is_of_other(child)) {
                return Err(NotRestored::NoSupervisor {
                    actor: actor(self.actors, *child)?.path(),
                    supervisor: supervisor.id,
                });
            }
        }
        Ok(())
    }

    fn supervise_leaf(
        &self,
        (record, leaf, state): (&SupervisedRecord, &'r LeafRecord, ChildState),
        held: &mut Held,
        by_id: &Rc<ById>,
        values: &Values<'r>,
    ) -> Result<(), NotRestored> {
        let child = actor(self.actors, record.actor)?;
        let (supervisor, end) = self.links_of(record, by_id)?;
        let start = values.start(child, &leaf.start)?;
        let start = RestoredStart::new(child, &start, values.kinds, by_id);
        let start = start.map_err(|error| NotRestored::Value {
            actor: child.path(),
            what: format!("the start {} that its supervisor keeps", leaf.start.name),
            error,
        })?;
        let life = match leaf.is {
            IncarnationState::Up => Lifecycle::Running,
            IncarnationState::Down => Lifecycle::Down,
        };
        let supervised = supervised_by(supervisor, Box::new(start), leaf.terms, end);
        let has_state = state == ChildState::Some;
        // A child that is down may have the state of its next incarnation.
        let is_right = match life {
            Lifecycle::Running => has_state,
            _ => !has_state || leaf.terms.on_panic == OnPanic::RestoreLast,
        };
        if !is_right {
            return Err(NotRestored::WrongState {
                actor: child.path(),
                has_state,
            });
        }
        held.actor(record.actor)?.set_child(supervised, life, state);
        Ok(())
    }

    /// Nothing is missing: the registry has the trees, and each child its orders.
    pub(super) fn begin(&self, held: &mut Held, by_id: &ById) -> Result<(), NotRestored> {
        let branches = self.records.iter();
        let branches = branches.filter(|it| matches!(it.child, SupervisedAs::Branch));
        let mut links = BTreeMap::new();
        for record in branches {
            links.insert(record.actor, self.links_of(record, by_id)?);
        }
        for supervisor in self.supervisors() {
            let above = links.remove(&supervisor.id);
            restore_supervisor(supervisor, &mut held.actor(supervisor.id)?.state(), above);
        }
        for OrderRecord { actor: id, order } in self.orders {
            let (child, end) = (actor(self.actors, *id)?, self.loaded.end_of(*id));
            match (order, end) {
                (WaitingOrder::Start, _) => child.cell().signal(Signals::START),
                (WaitingOrder::Halt(number), _) => child.cell().signal(Signals::halt(*number)),
                (WaitingOrder::End(reason), Some(end)) => {
                    set_end(&end, child, reason.clone());
                    child.cell().stop_in_tree(&end);
                }
                (WaitingOrder::End(_), None) => child.cell().signal(Signals::STOP),
            }
        }
        for id in self.loaded.without_supervisor() {
            actor(self.actors, id)?.cell().signal(Signals::STOP);
        }
        Ok(())
    }

    pub(super) fn has_supervisor(&self, actor: u64) -> bool {
        self.above.contains_key(&actor)
    }

    fn supervisors(&self) -> impl Iterator<Item = &'r AddressRef> {
        let actors = self.actors.values();
        actors.filter(|actor| is_supervisor(actor.class))
    }

    /// The supervisor of a child, and where it says why it ends the child.
    fn links_of(
        &self,
        record: &SupervisedRecord,
        by_id: &ById,
    ) -> Result<(CellRef, TreeEnd), NotRestored> {
        let supervisor = by_id.cell(record.supervisor);
        let links = supervisor.zip(self.loaded.end_of(record.actor));
        links.ok_or(NotRestored::NoActor(record.supervisor))
    }
}

fn actor(actors: &Actors, id: u64) -> Result<&AddressRef, NotRestored> {
    actors.get(&id).ok_or(NotRestored::NoActor(id))
}

/// An actor that is above itself. Looks at each once.
fn in_cycle(above: &BTreeMap<u64, u64>) -> Option<u64> {
    // The walk that has come to each actor first.
    let mut seen = BTreeMap::new();
    for start in above.keys() {
        let mut at = *start;
        loop {
            match seen.insert(at, *start) {
                Some(walk) if walk == *start => return Some(at),
                Some(_) => break,
                None => {}
            }
            match above.get(&at) {
                Some(next) => at = *next,
                None => break,
            }
        }
    }
    None
}
