//! Groups: members and their order, removal of ended ones; groups and topics by name.

use std::collections::BTreeSet;
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{Group, LookupError};

#[interface]
trait Listener {
    fn receive(&mut self, news: String);
}

#[derive(Actor, Default)]
struct Guest {
    received: Vec<String>,
}

#[behaviours]
impl Guest {
    fn add(&mut self, news: String) {
        self.received.push(news);
    }

    fn received(&mut self) -> Vec<String> {
        self.received.clone()
    }

    fn join(&mut self, t: &Turn<Self>, name: String) -> bool {
        t.group(&name).unwrap().join(&t.me())
    }

    fn tell_all(&mut self, t: &Turn<Self>, name: String, news: String) {
        let group: Group<Guest> = t.group(&name).unwrap();
        group.broadcast(|guest| guest.add(news.clone()));
    }

    fn finish(&mut self, t: &Turn<Self>) {
        t.stop();
    }
}

#[behaviours(module = guest_listener)]
impl Listener for Guest {
    fn receive(&mut self, news: String) {
        self.received.push(news);
    }
}

fn guests<const N: usize>(simulation: &Simulation) -> [Address<Guest>; N] {
    std::array::from_fn(|_| simulation.system().spawn(Guest::default()))
}

fn received(guest: &Address<Guest>) -> Vec<String> {
    guest.received().ask_blocking().unwrap()
}

#[test]
fn members_stand_in_the_order_of_joining() {
    let simulation = Simulation::new(1);
    let [ada, bob, cid] = guests(&simulation);
    let group = Group::new();
    assert!(group.join(&bob) && group.join(&cid) && group.join(&ada));
    assert!(!group.join(&cid), "a member already");
    assert_eq!(group.members(), [bob.clone(), cid.clone(), ada.clone()]);
    assert!(group.leave(&bob) && !group.leave(&bob));
    assert!(group.join(&bob));
    assert_eq!(group.clone().members(), [cid, ada, bob]);
}

#[test]
fn a_broadcast_reaches_every_member() {
    let simulation = Simulation::new(2);
    let [ada, bob, cid] = guests(&simulation);
    let group: Group<dyn Listener> = Group::new();
    group.join(&Address::upcast(&ada));
    group.join(&Address::upcast(&bob));
    group.broadcast(|guest| guest.receive("rain".to_owned()));
    assert_eq!(
        [&ada, &bob, &cid].map(received),
        [vec!["rain"], vec!["rain"], vec![]]
    );
}

#[test]
fn an_ended_or_unreachable_actor_is_no_member() {
    let simulation = Simulation::new(3);
    let [ada, bob, cid] = guests(&simulation);
    let group = Group::new();
    for guest in [&ada, &bob, &cid] {
        group.join(guest);
    }
    Address::stop(&ada);
    drop(bob);
    simulation.run();
    assert_eq!(group.members(), std::slice::from_ref(&cid));
    assert!(!group.join(&ada), "it has ended");
    group.broadcast(|guest| guest.add("late".to_owned()));
    simulation.run();
    assert_eq!(simulation.system().dead_letters().total(), 0);
    drop((ada, cid));
    simulation.system().shutdown();
    assert_eq!(
        simulation.system().inspect().bytes,
        0,
        "the group holds no actor"
    );
}

#[test]
fn a_dropped_group_does_not_affect_its_members() {
    let simulation = Simulation::new(4);
    let [ada] = guests(&simulation);
    let group = Group::new();
    group.join(&ada);
    drop(group);
    Address::stop(&ada);
    simulation.run();
    assert_eq!(simulation.system().inspect().panics, 0);
}

#[test]
fn groups_are_found_by_name_within_turns_and_outside() {
    let simulation = Simulation::new(5);
    let system = simulation.system();
    let [ada, bob] = guests(&simulation);
    assert_eq!(ada.join("room".to_owned()).ask_blocking(), Ok(true));
    assert!(system.group("room").unwrap().join(&bob));
    ada.tell_all("room".to_owned(), "news".to_owned()).send();
    simulation.run();
    assert_eq!([&ada, &bob].map(received), [["news"], ["news"]]);
    let other = system.group::<dyn Listener>("room").unwrap_err();
    assert!(matches!(other, LookupError::OtherType { .. }), "{other}");
    // A topic of the same name is a different entry.
    system.topic::<u64>("room").unwrap().publish(1);
    assert!(matches!(
        system.topic::<u8>("room"),
        Err(LookupError::OtherType { .. })
    ));
}

#[test]
fn an_unused_named_group_is_removed() {
    let simulation = Simulation::new(6);
    let system = simulation.system();
    let [ada] = guests(&simulation);
    let held = system.group::<Guest>("held").unwrap();
    system.group("with a member").unwrap().join(&ada);
    for number in 0..1_000 {
        drop(system.group::<Guest>(&format!("room {number}")).unwrap());
    }
    held.join(&ada);
    let same = system.group::<Guest>("held").unwrap();
    assert_eq!(
        same.members(),
        std::slice::from_ref(&ada),
        "it is held, so it is the same"
    );
    let same = system.group::<Guest>("with a member").unwrap();
    assert_eq!(same.members(), [ada]);
    // Of another type: so the name was free.
    assert!(system.group::<dyn Listener>("room 3").is_ok());
}

/// Members join, leave and end at random: exactly the members get the messages, in order.
#[vivant::test(seeds = 300, faults = Faults::none().delays(100_000, Duration::from_millis(1)))]
fn seeded_members_are_the_joined_live_actors(simulation: &Simulation) {
    let group = Group::new();
    let all: [_; 12] = guests(simulation);
    let mut model: Vec<usize> = Vec::new();
    let mut ended = BTreeSet::new();
    let mut random = fastrand::Rng::with_seed(simulation.seed());
    for _ in 0..60 {
        let (who, what) = (random.usize(..12), random.u8(..8));
        match what {
            0 => {
                all[who].finish().send();
                simulation.run();
                model.retain(|it| *it != who);
                ended.insert(who);
            }
            1 | 2 => {
                assert_eq!(group.leave(&all[who]), model.contains(&who));
                model.retain(|it| *it != who);
            }
            _ => {
                let joins = !model.contains(&who) && !ended.contains(&who);
                assert_eq!(group.join(&all[who]), joins);
                model.extend(joins.then_some(who));
            }
        }
        assert_members(&group, &all, &model);
    }
}

fn assert_members(group: &Group<Guest>, all: &[Address<Guest>], model: &[usize]) {
    let expected: Vec<_> = model.iter().map(|it| all[*it].clone()).collect();
    assert_eq!(
        group.members(),
        expected,
        "not the members that the model has"
    );
}

/// The comparison must notice another order.
#[test]
#[should_panic(expected = "not the members that the model has")]
fn canary_another_order_is_noticed() {
    let simulation = Simulation::new(7);
    let all: [_; 2] = guests(&simulation);
    let group = Group::new();
    all.iter().for_each(|it| assert!(group.join(it)));
    assert_members(&group, &all, &[1, 0]);
}
