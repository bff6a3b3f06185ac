//! Deferred messages, messages in the hand of a run, and their order.

use super::*;

#[test]
fn an_older_message_behind_deferred_ones_waits_in_the_cut() {
    for seed in 0..40 {
        let simulation = Simulation::new(seed);
        let system = simulation.system().clone();
        let actor = system.spawn(doer());
        actor.gated(1).send();
        simulation.run();
        actor.plain(0).send();
        actor.gated(2).send();
        actor.plain(10).send();
        let (mut coordinator, log) = begin(&system);
        finish_simulated(&mut coordinator, &simulation);
        let waiting: u64 = log.amounts().iter().sum();
        assert_eq!(waiting, 13, "seed {seed}: {:?}", log.all());
    }
}

#[test]
fn a_newer_message_behind_deferred_ones_is_taken_after_the_capture() {
    let system = System::builder().workers(2).build();
    let actor = system.spawn(doer());
    actor.gated(1).send();
    settle();
    let go = held_turn(&actor, |_, _| {});
    actor.gated(2).send();
    let (mut coordinator, log) = begin(&system);
    actor.plain(10).send();
    release(&go);
    finish(&mut coordinator, &system);
    let captured = Event::Captured(id(&actor), Some(0));
    assert!(log.has(&captured), "{:?}", log.all());
    let _report = system.shutdown();
}

#[test]
fn messages_of_two_deferred_lines_are_recorded_in_their_order() {
    let simulation = Simulation::new(1);
    let system = simulation.system().clone();
    let actor = system.spawn(doer());
    actor.gated(1).send();
    actor.gated_drop(OnDrop(None)).send();
    actor.gated(3).send();
    simulation.run();
    let (mut coordinator, log) = begin(&system);
    finish_simulated(&mut coordinator, &simulation);
    assert_eq!(log.waiting(), [Some(1), None, Some(3)]);
}

#[test]
fn messages_are_recorded_in_order_when_the_mailbox_pass_begins_during_a_run() {
    let system = System::builder().workers(3).build();
    let (receiver, sender) = (system.spawn(doer()), system.spawn(doer()));
    let to = receiver.clone();
    let go = held_turn(&sender, move |_, t| {
        (1..=4).for_each(|amount| t.send(to.plain(amount)));
    });
    let (mut coordinator, log) = begin(&system);
    let go_receiver = held_turn(&receiver, |_, _| {});
    release(&go);
    reach_mailbox_pass(&mut coordinator, &system);
    release(&go_receiver);
    finish(&mut coordinator, &system);
    let _report = system.shutdown();
    assert_eq!(log.amounts(), [1, 2, 3, 4]);
}

#[test]
fn a_cut_is_complete_only_when_the_message_in_the_hand_of_a_run_is_recorded() {
    let rounds = if cfg!(miri) { 2 } else { 200 };
    for round in 0..rounds {
        let system = System::builder().workers(2).build();
        let (receiver, sender) = (system.spawn(doer()), system.spawn(doer()));
        let to = receiver.clone();
        let go = held_turn(&sender, move |_, t| t.send(to.plain(5)));
        let (mut coordinator, log) = begin(&system);
        let go_receiver = held_turn(&receiver, |_, _| {});
        release(&go);
        reach_mailbox_pass(&mut coordinator, &system);
        release(&go_receiver);
        finish(&mut coordinator, &system);
        assert_eq!(log.amounts(), [5], "round {round}");
        let _report = system.shutdown();
    }
}

#[test]
fn a_recorder_reads_what_waits_in_a_backlog() {
    for seed in 0..2 {
        let simulation = Simulation::new(seed);
        let system = simulation.system().clone();
        let actor = system.spawn(doer());
        (0..20).for_each(|amount| actor.plain(amount).send());
        let (mut coordinator, log) = begin(&system);
        for _ in 0..2 {
            for _ in 0..40 {
                let _step = coordinator.step(system.shared());
            }
            simulation.step();
        }
        finish_simulated(&mut coordinator, &simulation);
        let captured = log.all().iter().find_map(|event| match event {
            Event::Captured(_, sum) => *sum,
            _ => None,
        });
        let waiting: u64 = log.amounts().iter().sum();
        assert_eq!(
            captured.map(|sum| sum + waiting),
            Some(190),
            "{:?}",
            log.all()
        );
    }
}
