//! Timers, time and chance: under simulation, where they are exact.

use std::time::Duration;
use vivant::Timer;
use vivant::prelude::*;
use vivant::simulation::Simulation;

#[derive(Actor)]
struct Clockwork {
    ticks: Vec<u64>,
    interval: Option<Timer>,
}

#[behaviours]
impl Clockwork {
    fn once(&mut self, t: &Turn<Self>, ms: u64) {
        t.after(Duration::from_millis(ms), t.me().tick());
    }

    fn again_and_again(&mut self, t: &Turn<Self>, ms: u64) {
        self.interval = Some(t.every(Duration::from_millis(ms), t.me().tick()));
    }

    fn cancel(&mut self) -> bool {
        self.interval.take().is_some_and(|timer| timer.cancel())
    }

    fn tick(&mut self, t: &Turn<Self>) {
        self.ticks.push(t.now().as_millis() as u64);
    }

    fn ticks(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.ticks)
    }

    fn dice(&mut self, t: &Turn<Self>) -> Vec<u64> {
        (0..8).map(|_| t.random_below(6)).collect()
    }

    fn epoch_seconds(&mut self, t: &Turn<Self>) -> u64 {
        t.wall()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap()
            .as_secs()
    }
}

fn clockwork(simulation: &Simulation) -> Address<Clockwork> {
    simulation.system().spawn(Clockwork {
        ticks: Vec::new(),
        interval: None,
    })
}

#[test]
fn one_shot_and_interval_are_exact_in_virtual_time() {
    let simulation = Simulation::new(1);
    let actor = clockwork(&simulation);
    for ms in [30, 10, 20, 10] {
        actor.once(ms).send();
    }
    simulation.run();
    assert_eq!(actor.ticks().ask_blocking(), Ok(vec![10, 10, 20, 30]));
    assert_eq!(simulation.now(), Duration::from_millis(30));

    actor.again_and_again(7).ask_blocking().unwrap();
    simulation.run_for(Duration::from_millis(30));
    assert_eq!(actor.ticks().ask_blocking(), Ok(vec![37, 44, 51, 58]));
    assert_eq!(actor.cancel().ask_blocking(), Ok(true));
    simulation.run();
    assert_eq!(actor.ticks().ask_blocking(), Ok(vec![]));
    assert_eq!(simulation.system().inspect().timers, 0);
}

#[test]
fn an_interval_ends_with_its_actor_and_a_one_shot_becomes_a_dead_letter() {
    let simulation = Simulation::new(2);
    let actor = clockwork(&simulation);
    actor.again_and_again(5).send();
    actor.once(50).send();
    simulation.run_for(Duration::from_millis(12));
    Address::stop(&actor);
    simulation.run();
    let system = simulation.system();
    assert_eq!(system.inspect().timers, 0);
    let counts = system.dead_letters().counts();
    assert_eq!(
        counts.iter().map(|line| line.count).sum::<u64>(),
        1,
        "{counts:?}"
    );
}

#[test]
fn a_timer_keeps_its_receiver_alive() {
    let simulation = Simulation::new(3);
    let actor = clockwork(&simulation);
    let weak = Address::downgrade(&actor);
    actor.once(5).send();
    drop(actor);
    simulation.run_for(Duration::from_millis(4));
    assert!(weak.upgrade().is_some());
    simulation.run();
    assert!(weak.upgrade().is_none());
}

#[test]
fn randomness_and_time_come_from_the_seed() {
    let roll = |seed| {
        let simulation = Simulation::new(seed);
        let (one, two) = (clockwork(&simulation), clockwork(&simulation));
        (
            one.dice().ask_blocking().unwrap(),
            two.dice().ask_blocking().unwrap(),
        )
    };
    assert_eq!(roll(1), roll(1));
    assert_ne!(roll(1), roll(2));
    assert_ne!(roll(1).0, roll(1).1, "each actor has a stream of its own");
    assert_eq!(
        clockwork(&Simulation::new(9))
            .epoch_seconds()
            .ask_blocking(),
        Ok(946_684_800)
    );
}

#[test]
fn timers_fire_on_threads_too() {
    let system = System::builder().workers(1).build();
    let actor = system.spawn(Clockwork {
        ticks: Vec::new(),
        interval: None,
    });
    actor.again_and_again(1).ask_blocking().unwrap();
    let mut ticks = 0;
    while ticks < 5 {
        ticks += actor.ticks().ask_blocking().unwrap().len();
        std::thread::yield_now();
    }
    assert_eq!(actor.cancel().ask_blocking(), Ok(true));
    assert_eq!(actor.cancel().ask_blocking(), Ok(false));
    assert!(system.shutdown().is_complete());
}
