//! What the alarms and death notices of a turn are made of.

use super::interval::interval;
use crate::actor::DelayedMessage;
use crate::prelude::*;
use crate::services::{Action, Alarm};
use crate::simulation::Simulation;

#[derive(Actor)]
struct Bell;

#[behaviours]
impl Bell {
    fn ring(&mut self, _times: u64) {}

    fn actions(&self, t: &Turn<Self>) -> Vec<String> {
        let me = t.me();
        vec![
            format!("{:?}", Alarm::Once(Action::Send(me.ring(3).into_delayed()))),
            format!("{:?}", Alarm::Limit(Action::Send(me.ring(3).into_weak()))),
            format!("{:?}", interval(5, me.ring(3))),
        ]
    }
}

#[test]
fn an_alarm_is_names_and_values() {
    let simulation = Simulation::new(1);
    let bell = simulation.system().spawn(Bell);
    let actions = bell.actions().ask_blocking().expect("it answers");
    let (path, name) = (Address::path(&bell), format!("{}::ring", Bell::NAME));
    let send = format!("Send({name} to {path})");
    let expected = [
        format!("Once({send})"),
        format!("Limit({send})"),
        format!("Every {{ period_ns: 5, message: {name} }}"),
    ];
    assert_eq!(actions, expected);
}

#[test]
fn an_alarm_is_small() {
    assert_eq!(size_of::<Alarm<DelayedMessage>>(), 40);
}
