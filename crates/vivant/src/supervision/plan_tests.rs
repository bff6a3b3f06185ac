//! A plan by itself: orders and answers one by one.

use super::budget::{BackOff, RestartIntensity};
use super::child::{EndMode, LifecycleSpec};
use super::child_plan::ChildId;
use super::plan::{Order, Plan};
use super::rules::{Rules, Strategy};
use crate::actor::{HaltNumber, Messages, OnPanic, Restart, Signals, Terms};
use crate::failures::StopReason;
use std::time::Duration;

/// Returns a plan with all of its children up.
fn plan_of(children: &[ChildId]) -> Plan {
    let mut plan = Plan::new(Rules {
        strategy: Strategy::AllForOne,
        budget: RestartIntensity {
            failures: 10,
            within_ns: 1_000,
        },
        back_off: BackOff {
            least_ns: 0,
            most_ns: 0,
        },
    });
    for &child in children {
        let terms = Terms {
            restart: Restart::Always,
            on_panic: OnPanic::Restart,
            messages: Messages::Kept,
        };
        let lifecycle = LifecycleSpec {
            starts_within: Duration::from_secs(1),
            ends_within: Duration::from_secs(1),
            ending: EndMode::Now,
        };
        plan.adopt(child, terms, lifecycle);
        assert_eq!(started(&plan.orders()), [child]);
        plan.is_up(child, 0);
    }
    plan
}

fn fails(plan: &mut Plan, child: ChildId) {
    plan.is_down(child, StopReason::Finished, 0);
}

fn started(orders: &[Order]) -> Vec<ChildId> {
    let child = |order: &Order| match order {
        Order::Start(child) => Some(*child),
        _ => None,
    };
    orders.iter().filter_map(child).collect()
}

/// Returns the child that is halted, and the number that its answer repeats.
fn halted(orders: &[Order]) -> Option<(ChildId, HaltNumber)> {
    orders.iter().find_map(|order| match order {
        Order::Halt(child, step) => Some((*child, Signals::halt(*step).halt_number())),
        _ => None,
    })
}

#[test]
fn an_answer_to_an_earlier_halt_does_not_spare_a_restart() {
    let mut plan = plan_of(&[1, 2]);
    fails(&mut plan, 1);
    let (_, first) = halted(&plan.orders()).expect("the other goes down, too");
    // It has failed by itself before it takes the order. So its answer comes after that news.
    fails(&mut plan, 2);
    assert_eq!(started(&plan.orders()), [1]);
    plan.is_up(1, 0);
    assert_eq!(started(&plan.orders()), [2]);
    plan.is_up(2, 0);
    fails(&mut plan, 1);
    let (child, second) = halted(&plan.orders()).expect("the other goes down again");
    assert_eq!(child, 2);

    plan.was_down(2, first);
    assert!(
        started(&plan.orders()).is_empty(),
        "it is up, and has to go down"
    );
    plan.was_down(2, second);
    assert_eq!(started(&plan.orders()), [1]);
}
