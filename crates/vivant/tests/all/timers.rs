//! Timers, time and chance: under simulation, where they are exact.

use std::sync::{Arc, Condvar, Mutex};
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

/// Closed until the test opens it.
#[derive(Default)]
struct Gate {
    /// Whether code waits at it, and whether it is open.
    state: Mutex<(bool, bool)>,
    changed: Condvar,
}

impl Gate {
    fn open(&self) {
        self.state.lock().unwrap().1 = true;
        self.changed.notify_all();
    }

    fn wait(&self) {
        let mut state = self.state.lock().unwrap();
        state.0 = true;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |(_, open)| !*open).unwrap());
    }

    /// Until code waits at it.
    fn expect_waiting(&self) {
        let state = self.state.lock().unwrap();
        drop(
            self.changed
                .wait_while(state, |(waits, _)| !*waits)
                .unwrap(),
        );
    }
}

/// Its clone waits for the gate.
struct Stuck(Arc<Gate>);

impl Clone for Stuck {
    fn clone(&self) -> Stuck {
        self.0.wait();
        Stuck(self.0.clone())
    }
}

#[derive(Actor)]
struct Patient {
    taken: u64,
}

#[behaviours]
impl Patient {
    fn takes(&mut self, stuck: Stuck) {
        drop(stuck);
        self.taken += 1;
    }

    fn begins(&mut self, t: &Turn<Self>, gate: Arc<Gate>) {
        let _interval = t.every(Duration::from_millis(5), t.me().takes(Stuck(gate)));
    }

    fn taken(&self) -> u64 {
        self.taken
    }

    fn waits(&mut self, gate: Arc<Gate>) {
        gate.wait();
    }
}

/// The clone of an interval's argument waits: other timers, limits and the watch of slow turns go
/// on, whatever the number of workers.
#[test]
fn an_alarm_that_waits_stops_no_other() {
    for workers in [1, 2] {
        let system = System::builder().workers(workers).build();
        let patient = system.spawn(Patient { taken: 0 });
        let slow = system.spawn(Patient { taken: 0 });
        let (gate, late) = (Arc::new(Gate::default()), Arc::new(Gate::default()));
        patient.begins(gate.clone()).send();
        gate.expect_waiting();
        let limited = slow.waits(late.clone()).ask();
        let limited = system.block_on(limited.within(Duration::from_millis(10)));
        assert!(matches!(limited, Err(AskError::TimedOut { .. })));
        let clockwork = system.spawn(Clockwork {
            ticks: Vec::new(),
            interval: None,
        });
        clockwork.once(1).send();
        while clockwork
            .ticks()
            .ask_blocking()
            .expect("it lives")
            .is_empty()
        {
            std::thread::yield_now();
        }
        gate.open();
        late.open();
        while patient.taken().ask_blocking() == Ok(0) {
            std::thread::yield_now();
        }
        assert!(system.shutdown().is_complete(), "{workers}");
    }
}
