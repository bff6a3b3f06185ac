//! How a supervisor is saved: its plan, its children, and the promises that wait for it. Its own
//! supervisor is in a record of the image, with what the children know of theirs.

use super::child::{EndMode, LifecycleSpec};
use super::child_plan::ChildState;
use super::handle::{ChildFacts, NewChild, TreeFailed};
use super::plan::{Plan, StateTimer};
use super::restored::{LoadedTrees, is_supervisor};
use super::supervisor::{ChildKind, SupervisedChild, Supervisor};
use crate::actor::{Terms, Timer};
use crate::api::{AnyAddress, Resolver};
use crate::failures::{GaveUp, StopReason};
use crate::saving::{saved_enum, saved_struct};
use crate::sync::Arc;
use std::collections::BTreeMap;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, shape_of};

type WaitForSettled = Vec<Resolver<Result<(), TreeFailed>>>;

impl<'gc> Saved<'gc> for Supervisor {
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::Supervisor",
        const {
            &[
                Field::new("plan", shape_of::<'gc, Plan>()),
                Field::new("children", shape_of::<'gc, Vec<SupervisedChild>>()),
                Field::new("gave_up", shape_of::<'gc, Option<Arc<GaveUp>>>()),
                Field::new("wait_for_settled", shape_of::<'gc, WaitForSettled>()),
                Field::new("wait_for_end", shape_of::<'gc, Vec<Resolver<()>>>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        self.plan.save(out);
        out.sequence(self.children.values());
        self.gave_up.save(out);
        self.wait_for_settled.save(out);
        self.wait_for_end.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let plan: Plan = fields.field(0)?;
        let children: Vec<SupervisedChild> = fields.field(1)?;
        let gave_up = fields.field(2)?;
        let wait_for_settled = fields.field(3)?;
        let wait_for_end = fields.field(4)?;
        fields.end()?;
        let children = children.into_iter();
        let children: BTreeMap<_, _> = children.map(|child| (child.address.id, child)).collect();
        if !children.keys().eq(plan.children.keys()) {
            return Err(input.error("a supervisor with a plan for other children"));
        }
        Ok(Supervisor {
            plan,
            children,
            parent: None,
            end_above: None,
            last_child: None,
            gave_up,
            wait_for_settled,
            wait_for_end,
        })
    }
}

/// A child as it is saved.
struct SupervisedChildRecord {
    actor: AnyAddress,
    kind: ChildKind,
    /// Why its supervisor ends it, if that is said.
    end: Option<StopReason>,
    starts: u32,
    last_failure: Option<StopReason>,
    timer: Option<ChildTimer>,
}

/// The alarm that is set for a child.
struct ChildTimer {
    state: StateTimer,
    timer: Timer,
}

impl<'gc> Saved<'gc> for SupervisedChild {
    const SHAPE: &'static Shape = SupervisedChildRecord::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        let timer = self.timer.clone();
        let record = SupervisedChildRecord {
            actor: AnyAddress(self.address.clone()),
            kind: self.kind,
            end: self.end.get().map(|end| end.reason.clone()),
            starts: self.starts,
            last_failure: self.last_failure.clone(),
            timer: timer.map(|(state, timer)| ChildTimer { state, timer }),
        };
        record.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let record = SupervisedChildRecord::load(input)?;
        let AnyAddress(address) = record.actor;
        let Some(trees) = input.context::<LoadedTrees>() else {
            return Err(input.error("a supervisor, which only a restore can load"));
        };
        // Of an actor that has ended the type is not known.
        let is_other = is_supervisor(address.class) != (record.kind == ChildKind::Branch);
        if is_other && address.ended().is_none() {
            return Err(input.error("a child of another kind than its type"));
        }
        let end = trees.adopt(&address, record.end);
        Ok(SupervisedChild {
            end: end.map_err(|wrong| input.error(wrong))?,
            address,
            kind: record.kind,
            starts: record.starts,
            last_failure: record.last_failure,
            timer: record.timer.map(|it| (it.state, it.timer)),
        })
    }
}

/// A new child as it is saved, on its way to its supervisor.
struct NewChildRecord {
    child: SupervisedChild,
    terms: Terms,
    lifecycle: LifecycleSpec,
}

impl<'gc> Saved<'gc> for NewChild {
    const SHAPE: &'static Shape = NewChildRecord::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        let NewChild(Some((child, terms, lifecycle))) = self else {
            return out.error("a child that its supervisor has taken");
        };
        child.save(out);
        terms.save(out);
        lifecycle.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let record = NewChildRecord::load(input)?;
        Ok(NewChild(Some((
            record.child,
            record.terms,
            record.lifecycle,
        ))))
    }
}

saved_struct!(SupervisedChildRecord as "vivant::SupervisedChild" {
    0 actor: AnyAddress,
    1 kind: ChildKind,
    2 end: Option<StopReason>,
    3 starts: u32,
    4 last_failure: Option<StopReason>,
    5 timer: Option<ChildTimer>,
});

saved_struct!(ChildTimer as "vivant::ChildTimer" {
    0 state: StateTimer,
    1 timer: Timer,
});

saved_enum!(ChildKind as "vivant::ChildKind" {
    0 Leaf { 0: EndMode },
    1 Branch,
});

saved_struct!(NewChildRecord as "vivant::NewChild" {
    0 child: SupervisedChild,
    1 terms: Terms,
    2 lifecycle: LifecycleSpec,
});

saved_struct!(TreeFailed as "vivant::TreeFailed" {
    0 supervisor: String,
    1 reason: StopReason,
});

saved_struct!(ChildFacts as "vivant::ChildFacts" {
    0 actor: String,
    1 state: ChildState,
    2 restarts: u32,
    3 last_failure: Option<StopReason>,
});
