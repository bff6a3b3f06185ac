//! Children of supervisors that a cut records.

use super::super::start_record::StartRecord;
use super::super::supervised::{
    Branches, IncarnationState, LeafRecord, OrderRecord, SignalRecord, SupervisedAs,
    SupervisedRecord, WaitingSignals,
};
use super::{ImageRecorder, Record};
use crate::actor::{
    CellRef, ChildNews, Envelope, Header, Lifecycle, NamedStart, SavedClass, Scope, Signals,
    StateRef, SupervisedBy, TreeEnd,
};
use crate::api::SavedForm;
use crate::failures::StopReason;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::phase::Phase;
use crate::supervision::{news_of, supervisor_above};
use crate::sync::lock;
use std::collections::BTreeMap;

pub(super) const ORDER_FROM_OUTSIDE: &str =
    "a restart by its supervisor, which is outside of the tree; take a snapshot of the supervisor";

impl ImageRecorder {
    /// What a child knows of its supervisor.
    pub(super) fn child(&self, actor: &Header, life: Lifecycle, child: &SupervisedBy) {
        if !self.scope.contains(&child.supervisor) {
            return self.lacks_supervisor(actor, life, child);
        }
        let makes_state_anew = match self.scope.saved(actor) {
            SavedClass::Nothing => return self.leaves(actor, child),
            SavedClass::State(_) => false,
            SavedClass::Start(_) => true,
        };
        let Some(start) = child.begin.saved() else {
            self.lacks(
                actor,
                "a supervisor that starts it by a closure, or with arguments that are not saved",
            );
            return;
        };
        let Some(start) = self.start_of_child(actor, start) else {
            return;
        };
        let starts_again = makes_state_anew && life == Lifecycle::Running;
        let is = match life {
            Lifecycle::Down => IncarnationState::Down,
            _ if starts_again => IncarnationState::Down,
            _ => IncarnationState::Up,
        };
        let leaf = LeafRecord {
            start,
            terms: child.terms,
            is,
        };
        self.is_supervised(actor, &child.supervisor, SupervisedAs::Leaf(leaf));
        if starts_again {
            self.signalled(actor, None, Signals::START);
        }
    }

    /// An image of a tree has its root without the supervisor of that one.
    fn lacks_supervisor(&self, actor: &Header, life: Lifecycle, child: &SupervisedBy) {
        if self.scope.is_saved(actor) && life == Lifecycle::Down {
            return self.lacks(actor, ORDER_FROM_OUTSIDE);
        }
        if let SavedClass::Start(_) = self.scope.saved(actor)
            && let Some(start) = child.begin.saved()
        {
            let start = self.start_of_child(actor, start);
            lock(&self.recorded).start_of_root = start.map(|start| (actor.id, start));
        }
    }

    /// How the root of a tree starts again, if its supervisor has its start.
    pub(super) fn start_of_root(&self, actor: &Header) -> Option<StartRecord> {
        let start = &mut lock(&self.recorded).start_of_root;
        let (_, start) = start.take_if(|(root, _)| *root == actor.id)?;
        Some(start)
    }

    /// If the actor is a supervisor: what it knows of its own one.
    pub(super) fn branch(&self, actor: &Header, state: &mut StateRef<'_>) {
        if let Some((above, end)) = supervisor_above(state)
            && self.scope.contains(&above)
        {
            self.is_supervised(actor, &above, SupervisedAs::Branch);
            // It is read when the cut is complete: the supervisor may be before the line yet.
            let line = actor.system.passes.now().phase();
            lock(&self.recorded).branches.insert(actor.id, (end, line));
        }
    }

    fn is_supervised(&self, actor: &Header, supervisor: &CellRef, child: SupervisedAs) {
        let record = SupervisedRecord {
            actor: actor.id,
            supervisor: supervisor.id,
            child,
        };
        let mut recorded = lock(&self.recorded);
        recorded.children.insert(actor.id);
        recorded.records.push(Record::Supervised(record));
    }

    /// A child that is not saved ends at the line. Its supervisor hears of it in the restored
    /// system.
    fn leaves(&self, actor: &Header, child: &SupervisedBy) {
        let news = (child.news)(actor.id, ChildNews::Gone(StopReason::NotSaved));
        self.is_gone(actor, &child.supervisor, &news);
    }

    /// As `leaves`, of a supervisor that is outside of a tree with its own one.
    pub(super) fn branch_leaves(&self, actor: &Header, state: &mut StateRef<'_>) {
        if let Some((above, _)) = supervisor_above(state)
            && self.scope.is_saved(&above)
        {
            let news = news_of(actor.id, ChildNews::Gone(StopReason::NotSaved));
            self.is_gone(actor, &above, &news);
        }
    }

    fn is_gone(&self, actor: &Header, supervisor: &Header, news: &Envelope) {
        if let Some(news) = self.message(supervisor, Some(SavedForm::Runtime), news) {
            lock(&self.recorded).gone.insert(actor.id, news);
        }
    }

    fn start_of_child(&self, actor: &Header, start: &dyn NamedStart) -> Option<StartRecord> {
        let name = start.name();
        if self.kinds.kind(SavedForm::Start, name).is_none() {
            self.is_not_listed(actor, format!("the start `{name}`"));
            return None;
        }
        Some(StartRecord {
            name: name.to_owned(),
            args: self.encoded(actor, start.shape(), |out| start.save_args(out)),
        })
    }

    /// Signals that wait for an actor, and where its supervisor says why it stops it.
    pub(super) fn signalled(&self, actor: &Header, end: Option<&TreeEnd>, signals: Signals) {
        #[cfg(test)]
        if is_planted(InjectedFault::SignalUnrecorded) {
            return;
        }
        let is_order = signals.has(Signals::HALT) || signals.has(Signals::START);
        let is_tree = matches!(self.scope, Scope::Tree(_));
        if is_order && is_tree && !self.has_supervisor(actor) {
            return self.lacks(actor, ORDER_FROM_OUTSIDE);
        }
        let line = actor.system.passes.now().phase();
        let end = end.filter(|_| self.has_supervisor(actor));
        let end = end.and_then(|end| reason_before(end, line));
        let mut recorded = lock(&self.recorded);
        let waiting = recorded.signals.entry(actor.id).or_default();
        waiting.add(signals, end);
    }
}

/// Why a tree ends, unless its supervisor says so behind the line.
fn reason_before(end: &TreeEnd, line: Phase) -> Option<StopReason> {
    let end = end.get().filter(|end| end.phase < line)?;
    Some(end.reason.clone())
}

/// The signals that wait for the actors of an image: orders of supervisors, and the actors that are
/// to end.
pub(super) fn orders_and_stops(
    signals: BTreeMap<u64, WaitingSignals>,
    branches: &Branches,
    has_actor: impl Fn(u64) -> bool,
) -> (Vec<OrderRecord>, Vec<u64>) {
    let (mut orders, mut stops) = (Vec::new(), Vec::new());
    for (actor, mut waiting) in signals {
        if let Some((end, line)) = branches.get(&actor) {
            waiting.ends_for(reason_before(end, *line));
        }
        match waiting.into_record().filter(|_| has_actor(actor)) {
            Some(SignalRecord::Order(order)) => orders.push(OrderRecord { actor, order }),
            Some(SignalRecord::Stop) => stops.push(actor),
            None => {}
        }
    }
    (orders, stops)
}
