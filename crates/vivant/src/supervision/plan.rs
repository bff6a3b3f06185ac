//! The plan of a supervisor: a state machine without actors, clocks or threads that derives the
//! next steps (invariants V1–V6, see the README).
//!
//! Each child has a wanted state and a current state. Every event changes one of them;
//! [`Plan::orders`] then derives the steps that follow. Nothing else decides.

use super::budget::{Afforded, BackOff, Budget, Failures};
use super::child::Manner;
use super::slot::{ChildState, Number, Open, Pace, Slot, Turn, Wants};
use crate::actor::Terms;
use crate::actor::{OnPanic, Restart};
use crate::failures::StopReason;
use crate::services::ns;
use std::collections::{BTreeMap, BTreeSet};

/// The children that are restarted when one child has failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::enum_variant_names, reason = "the words of the field")]
pub(super) enum Strategy {
    OneForOne,
    AllForOne,
    RestForOne,
}

/// The parameters of a supervisor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) strategy: Strategy,
    pub(super) budget: Budget,
    pub(super) back_off: BackOff,
}

/// A step to carry out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Order it to come up.
    Start(Number),
    /// Order it to go down.
    Halt(Number),
    /// Order it to end.
    End(Number),
    /// Order it to end before its next message: it is down, or on its way there, and processes
    /// none.
    Stop(Number),
    /// Call [`Plan::alarm`] with this after `in_ns` nanoseconds.
    Alarm { alarm: Alarm, in_ns: u64 },
    /// It has not carried out an order in time; the plan goes on without it.
    Overdue(Number),
    /// All children that are to be up are up.
    Settled,
    /// No child is up any more, and the plan has reached its end.
    Over,
}

/// An alarm is for one state of one child; if that state has passed it has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Alarm {
    pub(super) number: Number,
    step: u64,
}

/// The aim of the plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Aim {
    /// All children up.
    Up,
    /// All children down, to be restarted later.
    Down,
    /// All children ended.
    Gone,
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
    rules: Rules,
    aim: Aim,
    slots: BTreeMap<Number, Slot>,
    /// The children that are not in their wanted state.
    open: BTreeSet<(Open, Number)>,
    /// Orders decided at the last events.
    decided: Vec<Order>,
    failures: Failures,
    failure: Option<Failure>,
    /// Whether the last orders reported `Settled`.
    was_settled: bool,
}

impl Plan {
    pub(super) fn new(rules: Rules) -> Plan {
        Plan {
            rules,
            aim: Aim::Up,
            slots: BTreeMap::new(),
            open: BTreeSet::new(),
            decided: Vec::new(),
            failures: Failures::default(),
            failure: None,
            // There are no children, so there is no change to report.
            was_settled: true,
        }
    }

    /// Returns a plan that waits for [`Plan::begin_again`].
    pub(super) fn resting(rules: Rules) -> Plan {
        Plan {
            aim: Aim::Down,
            ..Plan::new(rules)
        }
    }

    /// Adds a child, which is down.
    pub(super) fn adopt(&mut self, number: Number, terms: Terms, manner: Manner) {
        let slot = Slot {
            terms,
            manner,
            is: ChildState::Down,
            wants: match self.aim {
                Aim::Up => Wants::Up,
                Aim::Down => Wants::Down,
                Aim::Gone => Wants::Gone,
            },
            turn: Turn::InOrder,
            pace: Pace::InTime,
            in_a_row: 0,
            up_since_ns: None,
            step: 0,
            open: None,
        };
        self.slots.insert(number, slot);
        self.touch(number);
    }

    /// The child's start function has returned.
    pub(super) fn is_up(&mut self, number: Number, now_ns: u64) {
        self.change(number, |slot| {
            if slot.is == ChildState::Starting {
                slot.up_since_ns = Some(now_ns);
                slot.becomes(ChildState::Up);
            }
        });
    }

    /// The child's incarnation is over, and it waits for its start.
    pub(super) fn is_down(&mut self, number: Number, reason: StopReason, now_ns: u64) {
        let Some(slot) = self.slots.get_mut(&number) else {
            return;
        };
        let (is, wants) = (slot.is, slot.wants);
        if is == ChildState::Ending {
            // It will not be restarted, so it never processes what was to come before its end.
            self.decided.push(Order::Stop(number));
        } else {
            slot.becomes(ChildState::Down);
        }
        if wants == Wants::Fresh {
            slot.wants = Wants::Up;
        }
        self.touch(number);
        // Otherwise it was halted, or was about to be: this is no failure of its own.
        if matches!(is, ChildState::Up | ChildState::Starting) && wants == Wants::Up {
            self.has_failed(number, reason, now_ns);
        }
    }

    /// The child was ordered down, and was down already.
    pub(super) fn was_down(&mut self, number: Number) {
        self.change(number, |slot| {
            // In any other state it has reported being down itself, and has been started since.
            if slot.is == ChildState::Halting {
                slot.becomes(ChildState::Down);
                if slot.wants == Wants::Fresh {
                    slot.wants = Wants::Up;
                }
            }
        });
    }

    /// The child panicked and continued.
    pub(super) fn has_resumed(&mut self, reason: StopReason, now_ns: u64) {
        self.counts_against(&reason, now_ns);
    }

    /// The child has ended for good.
    pub(super) fn is_gone(&mut self, number: Number, reason: StopReason) {
        let Some(slot) = self.slots.remove(&number) else {
            return;
        };
        // The others are as settled as before if it was in its wanted state: a branch that is down
        // has nothing to report.
        if let Some(open) = slot.open {
            self.open.remove(&(open, number));
        }
        if slot.terms.on_panic == OnPanic::Escalate && reason.is_failure() {
            self.give_up(Failure {
                reason,
                failures: 1,
            });
        }
    }

    /// An alarm fires: a delay is over, or a child is late.
    pub(super) fn alarm(&mut self, Alarm { number, step }: Alarm, now_ns: u64) {
        let Some(slot) = self.slots.get_mut(&number).filter(|slot| slot.step == step) else {
            return;
        };
        match slot.is {
            ChildState::Delayed => slot.becomes(ChildState::Down),
            ChildState::Starting | ChildState::Halting | ChildState::Ending => {
                slot.pace = Pace::Overdue;
                self.decided.push(Order::Overdue(number));
            }
            ChildState::Down | ChildState::Up => {}
        }
        let is_start = slot.is == ChildState::Starting;
        if is_start && slot.wants == Wants::Up {
            slot.wants = Wants::Fresh;
        }
        self.touch(number);
        if is_start && self.aim == Aim::Up {
            self.counts_against(&StopReason::Restarting, now_ns);
        }
    }

    /// Returns true if this alarm still has an effect.
    pub(super) fn waiting_ms(&self, Alarm { number, step }: Alarm) -> bool {
        self.slots
            .get(&number)
            .is_some_and(|slot| slot.step == step)
    }

    /// Takes all children down, to be restarted later.
    pub(super) fn retire(&mut self) {
        if self.aim == Aim::Up {
            self.aim_at(Aim::Down);
        }
    }

    /// Ends all children.
    pub(super) fn shut_down(&mut self) {
        self.aim_at(Aim::Gone);
    }

    /// After [`Plan::retire`]: brings all children up again, with no failure counted against any.
    pub(super) fn begin_again(&mut self) {
        self.failures = Failures::default();
        self.failure = None;
        self.was_settled = false;
        for slot in self.slots.values_mut() {
            (slot.turn, slot.in_a_row) = (Turn::InOrder, 0);
        }
        self.aim_at(Aim::Up);
    }

    /// Returns why the plan was given up, if it was.
    pub(super) fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Returns true if all children are in their wanted states.
    pub(super) fn is_settled(&self) -> bool {
        self.was_settled
    }

    /// Returns true if the aim is the end of all children.
    pub(super) fn is_at_its_end(&self) -> bool {
        self.aim == Aim::Gone
    }

    /// Returns true if the aim is that all children are up.
    pub(super) fn is_after_life(&self) -> bool {
        self.aim == Aim::Up
    }

    /// Returns its children and their states, in order.
    pub(super) fn children(&self) -> impl Iterator<Item = (Number, ChildState)> {
        self.slots.iter().map(|(number, slot)| (*number, slot.is))
    }

    fn aim_at(&mut self, aim: Aim) {
        self.aim = aim;
        let wants = match aim {
            Aim::Up => Wants::Up,
            Aim::Down => Wants::Down,
            Aim::Gone => Wants::Gone,
        };
        let numbers: Vec<Number> = self.slots.keys().copied().collect();
        for number in numbers {
            self.change(number, |slot| {
                slot.wants = wants;
                if aim != Aim::Up && slot.is == ChildState::Delayed {
                    slot.becomes(ChildState::Down);
                }
            });
        }
        self.was_settled = false;
    }

    fn has_failed(&mut self, number: Number, reason: StopReason, now_ns: u64) {
        if self.aim != Aim::Up {
            return;
        }
        let Some(terms) = self.slots.get(&number).map(|slot| slot.terms) else {
            return;
        };
        if terms.on_panic == OnPanic::Escalate && reason.is_failure() {
            self.give_up(Failure {
                reason,
                failures: 1,
            });
            return;
        }
        if !self.counts_against(&reason, now_ns) {
            return;
        }
        self.delay(number, now_ns);
        let siblings: Vec<Number> = match self.rules.strategy {
            Strategy::OneForOne => return,
            Strategy::AllForOne => self.slots.keys().copied().collect(),
            Strategy::RestForOne => self.slots.range(number..).map(|(n, _)| *n).collect(),
        };
        for sibling in siblings {
            self.change(sibling, |slot| {
                slot.turn = Turn::InOrder;
                if matches!(slot.is, ChildState::Down | ChildState::Delayed)
                    || slot.wants == Wants::Gone
                {
                    return;
                }
                slot.wants = match slot.terms.restart {
                    Restart::Never => Wants::Gone,
                    Restart::Always | Restart::OnFailure => Wants::Fresh,
                };
            });
        }
    }

    /// Counts a failure. Returns true if the budget allows it; otherwise gives the plan up.
    fn counts_against(&mut self, reason: &StopReason, now_ns: u64) -> bool {
        match self.failures.count(self.rules.budget, now_ns) {
            Afforded::Yes => true,
            Afforded::No(failures) => {
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
    fn delay(&mut self, number: Number, now_ns: u64) {
        let back_off = self.rules.back_off;
        let mut decided = None;
        self.change(number, |slot| {
            if let Some(since_ns) = slot.up_since_ns.take() {
                // The children behind it have begun, and are up.
                slot.turn = Turn::AtOnce;
                if now_ns.saturating_sub(since_ns) > back_off.forgets_after_ns() {
                    slot.in_a_row = 0;
                }
            }
            slot.in_a_row = slot.in_a_row.saturating_add(1);
            let in_ns = back_off.delay_ns(slot.in_a_row);
            if in_ns > 0 {
                slot.becomes(ChildState::Delayed);
                decided = Some(alarm(number, slot, in_ns));
            }
        });
        self.decided.extend(decided);
    }

    fn give_up(&mut self, failure: Failure) {
        if self.aim == Aim::Up {
            self.failure = Some(failure);
            self.aim_at(Aim::Down);
        }
    }

    fn change(&mut self, number: Number, change: impl FnOnce(&mut Slot)) {
        if let Some(slot) = self.slots.get_mut(&number) {
            change(slot);
            self.touch(number);
        }
    }

    fn touch(&mut self, number: Number) {
        let Some(slot) = self.slots.get_mut(&number) else {
            return;
        };
        let open = slot.open();
        if let Some(before) = std::mem::replace(&mut slot.open, open) {
            self.open.remove(&(before, number));
        }
        if let Some(open) = open {
            self.open.insert((open, number));
            self.was_settled = false;
        }
    }

    /// Returns the steps that can be taken now. Called after every change.
    pub(super) fn orders(&mut self) -> Vec<Order> {
        let mut orders = std::mem::take(&mut self.decided);
        self.halt_next(&mut orders);
        self.start_next(&mut orders);
        self.say_if_settled(&mut orders);
        orders
    }

    fn first(&self, open: Open) -> Option<Number> {
        let mut range = self.open.range((open, 0)..=(open, Number::MAX));
        range.next().map(|(_, number)| *number)
    }

    /// V2: halts the last one first, one at a time.
    fn halt_next(&mut self, orders: &mut Vec<Order>) {
        let falls = (Open::Falls, 0)..=(Open::Falls, Number::MAX);
        let Some(&(_, number)) = self.open.range(falls).next_back() else {
            return;
        };
        self.change(number, |slot| {
            let within = slot.manner.ends_within;
            match (slot.is, slot.wants) {
                (ChildState::Halting, _) if slot.wants != Wants::Gone => return,
                (ChildState::Ending, _) => return,
                (ChildState::Down | ChildState::Delayed | ChildState::Halting, Wants::Gone) => {
                    slot.becomes(ChildState::Ending);
                    orders.push(Order::Stop(number));
                }
                (_, Wants::Gone) => {
                    slot.becomes(ChildState::Ending);
                    orders.push(Order::End(number));
                }
                _ => {
                    slot.becomes(ChildState::Halting);
                    orders.push(Order::Halt(number));
                }
            }
            orders.push(alarm(number, slot, ns(within)));
        });
    }

    /// V3: starts the children in line one after the other, when none has to go down; the others at
    /// once.
    fn start_next(&mut self, orders: &mut Vec<Order>) {
        let mut start = |slot: &mut Slot, number| {
            slot.becomes(ChildState::Starting);
            orders.push(Order::Start(number));
            orders.push(alarm(number, slot, ns(slot.manner.starts_within)));
        };
        while let Some(number) = self.first(Open::Ready) {
            self.change(number, |slot| start(slot, number));
        }
        if self.first(Open::Falls).is_some() {
            return;
        }
        if let Some(number) = self.first(Open::InLine) {
            self.change(number, |slot| {
                if slot.is == ChildState::Down {
                    start(slot, number);
                }
            });
        }
    }

    fn say_if_settled(&mut self, orders: &mut Vec<Order>) {
        // A late child's end is not waited for, but while it is late, not all children are up.
        let counts = |open: Open| open != Open::Late || self.aim == Aim::Up;
        let is_open = self.open.iter().any(|(open, _)| counts(*open));
        if self.was_settled || is_open {
            return;
        }
        self.was_settled = true;
        orders.push(match self.aim {
            Aim::Up => Order::Settled,
            Aim::Down | Aim::Gone => Order::Over,
        });
    }
}

fn alarm(number: Number, slot: &Slot, in_ns: u64) -> Order {
    let step = slot.step;
    Order::Alarm {
        alarm: Alarm { number, step },
        in_ns,
    }
}
