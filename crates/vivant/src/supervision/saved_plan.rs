//! How a plan is saved: all of it but what is pending, which follows from the children.

use super::budget::{BackOff, FailureWindow, RestartIntensity};
use super::child::{EndMode, LifecycleSpec};
use super::child_plan::{ChildId, ChildPlan, ChildState, StartOrder, Timeliness, WantedState};
use super::plan::{Failure, Goal, Plan, StateTimer};
use super::rules::{Rules, Strategy};
use crate::actor::Terms;
use crate::api::RestoredSystem;
use crate::failures::StopReason;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::saving::{saved_enum, saved_struct};
use std::time::Duration;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};

/// A plan as it is saved.
struct PlanRecord {
    rules: Rules,
    goal: Goal,
    children: Vec<ChildPlanRecord>,
    /// The times of the failures that still count, the oldest first.
    failures: Vec<u64>,
    failure: Option<Failure>,
    was_settled: bool,
}

/// A child in a plan as it is saved.
struct ChildPlanRecord {
    child: ChildId,
    terms: Terms,
    lifecycle: LifecycleSpec,
    is: ChildState,
    wanted: WantedState,
    start_order: StartOrder,
    timeliness: Timeliness,
    failures_in_a_row: u32,
    up_since_ns: Option<u64>,
    step: u64,
}

/// The steps of a child are counted from zero, one for each change of its state.
const STEP_MAX: u64 = u64::MAX >> 1;

impl<'gc> Saved<'gc> for Plan {
    const SHAPE: &'static Shape = PlanRecord::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        PlanRecord::of(self).save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let record = PlanRecord::load(input)?;
        let Some(RestoredSystem(system)) = input.context() else {
            return Err(input.error("a plan of a supervisor, which only a restore can load"));
        };
        let plan = record.into_plan(system.oracle.now_ns());
        plan.map_err(|wrong| input.error(wrong))
    }
}

impl PlanRecord {
    fn of(plan: &Plan) -> PlanRecord {
        let children = plan.children.iter();
        let record = PlanRecord {
            rules: plan.rules,
            goal: plan.goal,
            children: children
                .map(|(number, child)| ChildPlanRecord::of(*number, child))
                .collect(),
            failures: plan.failures.0.iter().copied().collect(),
            failure: plan.failure.clone(),
            was_settled: plan.was_settled,
        };
        #[cfg(test)]
        if is_planted(InjectedFault::BudgetForgotten) {
            let failures = Vec::new();
            return PlanRecord { failures, ..record };
        }
        record
    }

    /// An error says what no plan has at this time.
    fn into_plan(self, now_ns: u64) -> Result<Plan, &'static str> {
        if !self.failures.is_sorted() || self.failures.last().is_some_and(|last| *last > now_ns) {
            return Err("a restart budget with a failure of the future");
        }
        let mut plan = Plan::new(self.rules);
        plan.goal = self.goal;
        plan.failures = FailureWindow(self.failures.into());
        plan.failure = self.failure;
        let mut last = None;
        for record in self.children {
            if last.replace(record.child) >= Some(record.child) {
                return Err("a plan with its children out of order");
            }
            if record.step > STEP_MAX {
                return Err("a child with a wild number of steps");
            }
            if record.up_since_ns.is_some_and(|since_ns| since_ns > now_ns) {
                return Err("a child that is up since a time of the future");
            }
            plan.restore(record.child, record.into_child());
        }
        plan.was_settled = self.was_settled;
        Ok(plan)
    }
}

impl ChildPlanRecord {
    fn of(number: ChildId, child: &ChildPlan) -> ChildPlanRecord {
        ChildPlanRecord {
            child: number,
            terms: child.terms,
            lifecycle: child.lifecycle,
            is: child.is,
            wanted: child.wanted,
            start_order: child.start_order,
            timeliness: child.timeliness,
            failures_in_a_row: child.failures_in_a_row,
            up_since_ns: child.up_since_ns,
            step: child.step,
        }
    }

    fn into_child(self) -> ChildPlan {
        ChildPlan {
            terms: self.terms,
            lifecycle: self.lifecycle,
            is: self.is,
            wanted: self.wanted,
            start_order: self.start_order,
            timeliness: self.timeliness,
            failures_in_a_row: self.failures_in_a_row,
            up_since_ns: self.up_since_ns,
            step: self.step,
            pending: None,
        }
    }
}

saved_struct!(PlanRecord as "vivant::Plan" {
    0 rules: Rules,
    1 goal: Goal,
    2 children: Vec<ChildPlanRecord>,
    3 failures: Vec<u64>,
    4 failure: Option<Failure>,
    5 was_settled: bool,
});

saved_struct!(ChildPlanRecord as "vivant::ChildPlan" {
    0 child: u64,
    1 terms: Terms,
    2 lifecycle: LifecycleSpec,
    3 is: ChildState,
    4 wanted: WantedState,
    5 start_order: StartOrder,
    6 timeliness: Timeliness,
    7 failures_in_a_row: u32,
    8 up_since_ns: Option<u64>,
    9 step: u64,
});

saved_struct!(Rules as "vivant::SupervisorRules" {
    0 strategy: Strategy,
    1 budget: RestartIntensity,
    2 back_off: BackOff,
});

saved_enum!(Strategy as "vivant::Strategy" {
    0 OneForOne,
    1 AllForOne,
    2 RestForOne,
});

saved_struct!(RestartIntensity as "vivant::RestartIntensity" {
    0 failures: usize,
    1 within_ns: u64,
});

saved_struct!(BackOff as "vivant::BackOff" {
    0 least_ns: u64,
    1 most_ns: u64,
});

saved_enum!(Goal as "vivant::PlanGoal" {
    0 Up,
    1 Down,
    2 Gone,
});

saved_struct!(Failure as "vivant::PlanFailure" {
    0 reason: StopReason,
    1 failures: usize,
});

saved_struct!(LifecycleSpec as "vivant::ChildLifecycle" {
    0 starts_within: Duration,
    1 ends_within: Duration,
    2 ending: EndMode,
});

saved_enum!(EndMode as "vivant::EndMode" {
    0 Now,
    1 AfterQueue,
});

saved_enum!(ChildState as "vivant::ChildState" {
    0 Down,
    1 Delayed,
    2 Starting,
    3 Up,
    4 Halting,
    5 EndMode,
});

saved_enum!(WantedState as "vivant::WantedState" {
    0 Up,
    1 Restarted,
    2 Down,
    3 Gone,
});

saved_enum!(StartOrder as "vivant::StartOrder" {
    0 InOrder,
    1 AtOnce,
});

saved_enum!(Timeliness as "vivant::Timeliness" {
    0 InTime,
    1 Overdue,
});

saved_struct!(StateTimer as "vivant::StateTimer" {
    0 number: u64,
    1 step: u64,
});
