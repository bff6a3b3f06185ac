//! The plan of a supervisor: a state machine without actors, clocks or threads that derives the
//! next steps (invariants V1–V6, see the README).
//!
//! Each child has a wanted state and a current state. Every event changes one of them;
//! [`Plan::orders`] then derives the steps that follow. Nothing else decides.

use super::budget::{BudgetCheck, FailureWindow};
use super::child::LifecycleSpec;
use super::child_plan::{
    ChildId, ChildPlan, ChildState, PendingStep, StartOrder, Timeliness, WantedState,
};
use super::rules::{Rules, Strategy};
use crate::actor::HaltNumber;
use crate::actor::Terms;
use crate::actor::{OnPanic, Restart};
use crate::failures::StopReason;
use crate::services::ns;
use std::collections::{BTreeMap, BTreeSet};

/// A step to carry out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Order it to come up.
    Start(ChildId),
    /// Order it to go down. It repeats the step if it is down already.
    Halt(ChildId, u64),
    /// Order it to end.
    End(ChildId),
    /// Order it to end before its next message: it is down, or on its way there, and processes
    /// none.
    Stop(ChildId),
    /// Call [`Plan::timer`] with this after `in_ns` nanoseconds.
    SetTimer { timer: StateTimer, in_ns: u64 },
    /// It has not carried out an order in time; the plan goes on without it.
    Overdue(ChildId),
    /// All children that are to be up are up.
    Settled,
    /// No child is up any more, and the plan has reached its end.
    Over,
}

/// A timer for one state of one child. If that state has passed, the timer has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StateTimer {
    pub(super) number: ChildId,
    pub(super) step: u64,
}

/// The goal of the plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Goal {
    /// All children up.
    Up,
    /// All children down, to be restarted later.
    Down,
    /// All children ended.
    Gone,
}

impl Goal {
    fn wanted(self) -> WantedState {
        match self {
            Goal::Up => WantedState::Up,
            Goal::Down => WantedState::Down,
            Goal::Gone => WantedState::Gone,
        }
    }
}

/// Why the plan was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) reason: StopReason,
    pub(super) failures: usize,
}

/// The plan of one supervisor.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) rules: Rules,
    pub(super) goal: Goal,
    pub(super) children: BTreeMap<ChildId, ChildPlan>,
    /// The children that are not in their wanted state.
    pending: BTreeSet<(PendingStep, ChildId)>,
    /// Orders decided at the last events. None between turns of the supervisor.
    decided: Vec<Order>,
    pub(super) failures: FailureWindow,
    pub(super) failure: Option<Failure>,
    /// Whether the last orders reported `Settled`.
    pub(super) was_settled: bool,
}

impl Plan {
    pub(super) fn new(rules: Rules) -> Plan {
        Plan {
            rules,
            goal: Goal::Up,
            children: BTreeMap::new(),
            pending: BTreeSet::new(),
            decided: Vec::new(),
            failures: FailureWindow::default(),
            failure: None,
            // There are no children, so there is no change to report.
            was_settled: true,
        }
    }

    /// Returns a plan that waits for [`Plan::begin_again`].
    pub(super) fn waiting(rules: Rules) -> Plan {
        Plan {
            goal: Goal::Down,
            ..Plan::new(rules)
        }
    }

    /// Adds a child as it was. What is pending follows from it.
    pub(super) fn restore(&mut self, number: ChildId, child: ChildPlan) {
        self.children.insert(number, child);
        self.touch(number);
    }

    /// Adds a child, which is down.
    pub(super) fn adopt(&mut self, number: ChildId, terms: Terms, lifecycle: LifecycleSpec) {
        let child = ChildPlan {
            terms,
            lifecycle,
            is: ChildState::Down,
            wanted: self.goal.wanted(),
            start_order: StartOrder::InOrder,
            timeliness: Timeliness::InTime,
            failures_in_a_row: 0,
            up_since_ns: None,
            step: 0,
            pending: None,
        };
        self.children.insert(number, child);
        self.touch(number);
    }

    /// The child's start function has returned.
    pub(super) fn is_up(&mut self, number: ChildId, now_ns: u64) {
        self.change(number, |child| {
            if child.is == ChildState::Starting {
                child.up_since_ns = Some(now_ns);
                child.set_state(ChildState::Up);
            }
        });
    }

    /// The child's incarnation is over, and it waits for its start.
    pub(super) fn is_down(&mut self, number: ChildId, reason: StopReason, now_ns: u64) {
        let Some(child) = self.children.get_mut(&number) else {
            return;
        };
        let (is, wanted) = (child.is, child.wanted);
        if is == ChildState::EndMode {
            // It will not be restarted, so it never processes what was to come before its end.
            self.decided.push(Order::Stop(number));
        } else {
            child.set_state(ChildState::Down);
        }
        if wanted == WantedState::Restarted {
            child.wanted = WantedState::Up;
        }
        self.touch(number);
        // Otherwise it was halted, or was about to be: this is no failure of its own.
        if matches!(is, ChildState::Up | ChildState::Starting) && wanted == WantedState::Up {
            self.record_failure(number, reason, now_ns);
        }
    }

    /// The child was ordered down, and was down already.
    pub(super) fn was_down(&mut self, number: ChildId, answers: HaltNumber) {
        self.change(number, |child| {
            // To any other order it has reported being down itself, and has been started since.
            if child.is == ChildState::Halting && answers.is_of(child.step) {
                child.set_state(ChildState::Down);
                if child.wanted == WantedState::Restarted {
                    child.wanted = WantedState::Up;
                }
            }
        });
    }

    /// The child panicked and continued.
    pub(super) fn has_resumed(&mut self, reason: StopReason, now_ns: u64) {
        self.count_failure(&reason, now_ns);
    }

    /// The child has ended for good.
    pub(super) fn is_gone(&mut self, number: ChildId, reason: StopReason) {
        let Some(child) = self.children.remove(&number) else {
            return;
        };
        // The others are as settled as before if it was in its wanted state: a branch that is down
        // has nothing to report.
        if let Some(pending) = child.pending {
            self.pending.remove(&(pending, number));
        }
        if child.terms.on_panic == OnPanic::Escalate && reason.is_failure() {
            self.give_up(Failure {
                reason,
                failures: 1,
            });
        }
    }

    /// A timer fires: a delay is over, or a child is late.
    pub(super) fn timer_fired(&mut self, StateTimer { number, step }: StateTimer, now_ns: u64) {
        let Some(child) = self
            .children
            .get_mut(&number)
            .filter(|child| child.step == step)
        else {
            return;
        };
        match child.is {
            ChildState::Delayed => child.set_state(ChildState::Down),
            ChildState::Starting | ChildState::Halting | ChildState::EndMode => {
                child.timeliness = Timeliness::Overdue;
                self.decided.push(Order::Overdue(number));
            }
            ChildState::Down | ChildState::Up => {}
        }
        let is_start = child.is == ChildState::Starting;
        if is_start && child.wanted == WantedState::Up {
            child.wanted = WantedState::Restarted;
        }
        self.touch(number);
        if is_start && self.goal == Goal::Up {
            self.count_failure(&StopReason::Restarting, now_ns);
        }
    }

    /// Returns true if this timer still has an effect.
    pub(super) fn is_current(&self, StateTimer { number, step }: StateTimer) -> bool {
        self.children
            .get(&number)
            .is_some_and(|child| child.step == step)
    }

    /// Takes all children down, to be restarted later.
    pub(super) fn retire(&mut self) {
        if self.goal == Goal::Up {
            self.set_goal(Goal::Down);
        }
    }

    /// Ends all children.
    pub(super) fn shut_down(&mut self) {
        self.set_goal(Goal::Gone);
    }

    /// After [`Plan::retire`]: brings all children up again, with no failure counted against any.
    pub(super) fn begin_again(&mut self) {
        self.failures = FailureWindow::default();
        self.failure = None;
        self.was_settled = false;
        for child in self.children.values_mut() {
            (child.start_order, child.failures_in_a_row) = (StartOrder::InOrder, 0);
        }
        self.set_goal(Goal::Up);
    }

    /// Returns why the plan was given up, if it was.
    pub(super) fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Returns true if all children are in their wanted states.
    pub(super) fn is_settled(&self) -> bool {
        self.was_settled
    }

    /// Returns true if the goal is the end of all children.
    pub(super) fn is_ending(&self) -> bool {
        self.goal == Goal::Gone
    }

    /// Returns true if the goal is that all children are up.
    pub(super) fn wants_all_up(&self) -> bool {
        self.goal == Goal::Up
    }

    /// Returns its children and their states, in order.
    pub(super) fn children(&self) -> impl Iterator<Item = (ChildId, ChildState)> {
        self.children
            .iter()
            .map(|(number, child)| (*number, child.is))
    }

    fn set_goal(&mut self, goal: Goal) {
        self.goal = goal;
        let wanted = goal.wanted();
        let numbers: Vec<ChildId> = self.children.keys().copied().collect();
        for number in numbers {
            self.change(number, |child| {
                child.wanted = wanted;
                if goal != Goal::Up && child.is == ChildState::Delayed {
                    child.set_state(ChildState::Down);
                }
            });
        }
        self.was_settled = false;
    }

    fn record_failure(&mut self, number: ChildId, reason: StopReason, now_ns: u64) {
        if self.goal != Goal::Up {
            return;
        }
        let Some(terms) = self.children.get(&number).map(|child| child.terms) else {
            return;
        };
        if terms.on_panic == OnPanic::Escalate && reason.is_failure() {
            self.give_up(Failure {
                reason,
                failures: 1,
            });
            return;
        }
        if !self.count_failure(&reason, now_ns) {
            return;
        }
        self.delay(number, now_ns);
        let siblings: Vec<ChildId> = match self.rules.strategy {
            Strategy::OneForOne => return,
            Strategy::AllForOne => self.children.keys().copied().collect(),
            Strategy::RestForOne => self.children.range(number..).map(|(n, _)| *n).collect(),
        };
        for sibling in siblings {
            self.change(sibling, |child| {
                child.start_order = StartOrder::InOrder;
                if matches!(child.is, ChildState::Down | ChildState::Delayed)
                    || child.wanted == WantedState::Gone
                {
                    return;
                }
                child.wanted = match child.terms.restart {
                    Restart::Never => WantedState::Gone,
                    Restart::Always | Restart::OnFailure => WantedState::Restarted,
                };
            });
        }
    }

    /// Counts a failure. Returns true if the budget allows it; otherwise gives the plan up.
    fn count_failure(&mut self, reason: &StopReason, now_ns: u64) -> bool {
        match self.failures.count(self.rules.budget, now_ns) {
            BudgetCheck::Allowed => true,
            BudgetCheck::Exceeded(failures) => {
                self.give_up(Failure {
                    reason: reason.clone(),
                    failures,
                });
                false
            }
        }
    }

    /// Sets the delay before a restart, only for the child that failed itself: children restarted
    /// because of it did not fail.
    fn delay(&mut self, number: ChildId, now_ns: u64) {
        let back_off = self.rules.back_off;
        let mut decided = None;
        self.change(number, |child| {
            if let Some(since_ns) = child.up_since_ns.take() {
                // The children behind it have begun, and are up.
                child.start_order = StartOrder::AtOnce;
                if now_ns.saturating_sub(since_ns) > back_off.reset_after_ns() {
                    child.failures_in_a_row = 0;
                }
            }
            child.failures_in_a_row = child.failures_in_a_row.saturating_add(1);
            let in_ns = back_off.delay_ns(child.failures_in_a_row);
            if in_ns > 0 {
                child.set_state(ChildState::Delayed);
                decided = Some(timer(number, child, in_ns));
            }
        });
        self.decided.extend(decided);
    }

    fn give_up(&mut self, failure: Failure) {
        if self.goal == Goal::Up {
            self.failure = Some(failure);
            self.set_goal(Goal::Down);
        }
    }

    fn change(&mut self, number: ChildId, change: impl FnOnce(&mut ChildPlan)) {
        if let Some(child) = self.children.get_mut(&number) {
            change(child);
            self.touch(number);
        }
    }

    fn touch(&mut self, number: ChildId) {
        let Some(child) = self.children.get_mut(&number) else {
            return;
        };
        let pending = child.pending();
        if let Some(before) = std::mem::replace(&mut child.pending, pending) {
            self.pending.remove(&(before, number));
        }
        if let Some(pending) = pending {
            self.pending.insert((pending, number));
            self.was_settled = false;
        }
    }

    /// Returns the steps that can be taken now. Called after every change.
    pub(super) fn orders(&mut self) -> Vec<Order> {
        let mut orders = std::mem::take(&mut self.decided);
        self.stop_next(&mut orders);
        self.start_next(&mut orders);
        self.report_settled(&mut orders);
        orders
    }

    fn first(&self, pending: PendingStep) -> Option<ChildId> {
        let mut range = self.pending.range((pending, 0)..=(pending, ChildId::MAX));
        range.next().map(|(_, number)| *number)
    }

    /// V2: halts the last one first, one at a time.
    fn stop_next(&mut self, orders: &mut Vec<Order>) {
        let stopping = (PendingStep::Stop, 0)..=(PendingStep::Stop, ChildId::MAX);
        let Some(&(_, number)) = self.pending.range(stopping).next_back() else {
            return;
        };
        self.change(number, |child| {
            let within = child.lifecycle.ends_within;
            match (child.is, child.wanted) {
                (ChildState::Halting, _) if child.wanted != WantedState::Gone => return,
                (ChildState::EndMode, _) => return,
                (
                    ChildState::Down | ChildState::Delayed | ChildState::Halting,
                    WantedState::Gone,
                ) => {
                    child.set_state(ChildState::EndMode);
                    orders.push(Order::Stop(number));
                }
                (_, WantedState::Gone) => {
                    child.set_state(ChildState::EndMode);
                    orders.push(Order::End(number));
                }
                _ => {
                    child.set_state(ChildState::Halting);
                    orders.push(Order::Halt(number, child.step));
                }
            }
            orders.push(timer(number, child, ns(within)));
        });
    }

    /// V3: starts the children in line one after the other, when none has to go down; the others at
    /// once.
    fn start_next(&mut self, orders: &mut Vec<Order>) {
        let mut start = |child: &mut ChildPlan, number| {
            child.set_state(ChildState::Starting);
            orders.push(Order::Start(number));
            orders.push(timer(number, child, ns(child.lifecycle.starts_within)));
        };
        while let Some(number) = self.first(PendingStep::StartNow) {
            self.change(number, |child| start(child, number));
        }
        if self.first(PendingStep::Stop).is_some() {
            return;
        }
        if let Some(number) = self.first(PendingStep::StartInOrder) {
            self.change(number, |child| {
                if child.is == ChildState::Down {
                    start(child, number);
                }
            });
        }
    }

    fn report_settled(&mut self, orders: &mut Vec<Order>) {
        // A late child's end is not waited for, but while it is late, not all children are up.
        let counts = |pending: PendingStep| pending != PendingStep::Late || self.goal == Goal::Up;
        let is_pending = self.pending.iter().any(|(pending, _)| counts(*pending));
        if self.was_settled || is_pending {
            return;
        }
        self.was_settled = true;
        orders.push(match self.goal {
            Goal::Up => Order::Settled,
            Goal::Down | Goal::Gone => Order::Over,
        });
    }
}

fn timer(number: ChildId, child: &ChildPlan, in_ns: u64) -> Order {
    let step = child.step;
    Order::SetTimer {
        timer: StateTimer { number, step },
        in_ns,
    }
}
