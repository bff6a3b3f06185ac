//! Alarms and timers go on after a restore: each fires once, at its time.

use super::not_restored::NotRestored;
use super::restore::restore;
use super::taking::{FIRST_SYSTEM, goes_on_at_every_step, restored, simulated, take_now};
use crate::Timer;
use crate::api::{RestoredSystem, SavedKinds};
use crate::injected_fault::{InjectedFault, caught};
use crate::prelude::*;
use crate::services::{Action, Alarm};
use crate::simulation::Simulation;
use crate::sync::Arc;
use std::cell::Cell;
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);

/// Writes down what fires, and when.
#[derive(Actor)]
#[actor(saved)]
struct Bells {
    rung: Vec<(u64, Duration)>,
    /// Fires when no message has come for some time.
    idle: Option<Timer>,
    ticks: Option<Timer>,
    ticked: u64,
    named: u64,
}

impl Bells {
    fn restart_idle(&mut self, t: &Turn<Self>) {
        if let Some(idle) = &self.idle {
            let was_set = idle.restart();
            self.rung.push((u64::from(was_set) + 3_000, t.now()));
        }
    }
}

#[behaviours]
impl Bells {
    #[start]
    fn new() -> Bells {
        Bells {
            rung: Vec::new(),
            idle: None,
            ticks: None,
            ticked: 0,
            named: 0,
        }
    }

    fn ring_after(&mut self, t: &Turn<Self>, ms: u64, number: u64) {
        self.restart_idle(t);
        let _timer = t.after(ms as u32 * MS, t.me().ring(number));
    }

    fn ring(&mut self, t: &Turn<Self>, number: u64) {
        self.rung.push((number, t.now()));
        if number > 0 {
            let _timer = t.after(3 * MS, t.me().ring(number / 2));
        }
    }

    /// Six ticks, with an address in each.
    fn tick_every(&mut self, t: &Turn<Self>, ms: u64, other: Address<Bells>) {
        self.restart_idle(t);
        self.ticks = Some(t.every(ms as u32 * MS, t.me().tick(Some(other))));
    }

    fn tick(&mut self, t: &Turn<Self>, other: Option<Address<Bells>>) {
        self.ticked += 1;
        self.rung.push((1_000 + self.ticked, t.now()));
        if let Some(other) = &other {
            t.send(other.tick(None));
        }
        if self.ticked.is_multiple_of(6)
            && let Some(ticks) = self.ticks.take()
        {
            let was_set = ticks.cancel();
            self.rung.push((u64::from(was_set) + 2_000, t.now()));
        }
    }

    fn sleep_after(&mut self, t: &Turn<Self>, ms: u64) {
        self.idle = Some(t.after(ms as u32 * MS, t.me().sleeps()));
    }

    fn sleeps(&mut self, t: &Turn<Self>) {
        self.rung.push((4_000, t.now()));
    }

    /// A timer with a name continues if it is set again.
    fn name_timer(&mut self, t: &Turn<Self>, ms: u64) {
        let _timer = t.timer("named").after(ms as u32 * MS, t.me().named(ms));
    }

    fn named(&mut self, t: &Turn<Self>, ms: u64) {
        self.rung.push((5_000 + ms, t.now()));
        self.named += 1;
        if self.named < 4 {
            let _timer = t.timer("again").after(2 * MS, t.me().name_timer(ms));
        }
    }
}

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Bells,)>().expect("no two names are equal"))
}

fn begin(simulation: &Simulation) -> Vec<Address<Bells>> {
    let bells: Vec<_> = (0..2).map(|_| Bells::spawn(simulation.system())).collect();
    for (number, one) in (1..).zip(&bells) {
        one.sleep_after(9).send();
        one.ring_after(2 * number, 5 + number).send();
        one.name_timer(6).send();
    }
    bells[0].ring_after(4, 9).send();
    bells[0].tick_every(5, bells[1].clone()).send();
    bells[1].name_timer(7).send();
    bells
}

/// What the bells have rung, by actor.
fn rung(simulation: &Simulation) -> Vec<Vec<(u64, Duration)>> {
    let actors = simulation.system().shared().actors();
    let rung = actors.iter().filter_map(|cell| {
        let mut idle = cell.hold_idle().expect("all is done");
        let rung = idle.state().look::<Bells, _>(|bells| bells.rung.clone());
        idle.park();
        rung
    });
    rung.collect()
}

fn end(simulation: &Simulation) -> Vec<Vec<(u64, Duration)>> {
    // With a fault an interval may go on for ever.
    simulation.run_for(300 * MS);
    rung(simulation)
}

/// What the bells have rung in the end. An alarm that is due while a cut is taken is late after a
/// restore.
fn numbers_in_the_end(simulation: &Simulation) -> Vec<Vec<u64>> {
    let sorted = |rung: Vec<(u64, Duration)>| {
        let mut numbers: Vec<_> = rung.into_iter().map(|(number, _)| number).collect();
        numbers.sort_unstable();
        numbers
    };
    end(simulation).into_iter().map(sorted).collect()
}

fn alarms_go_on() {
    let images = goes_on_at_every_step(3, &kinds(), begin, numbers_in_the_end);
    assert!(images > 100, "{images} images");
}

/// No time passes while the cut is taken, so each alarm fires when it would have.
#[test]
fn an_alarm_fires_at_its_time() {
    let expected = {
        let simulation = simulated(&kinds(), 0);
        let _bells = begin(&simulation);
        end(&simulation)
    };
    for seed in 0..if cfg!(miri) { 1 } else { 5 } {
        for steps in 0.. {
            let simulation = simulated(&kinds(), seed);
            let bells = begin(&simulation);
            let is_over = (0..steps).any(|_| !simulation.step());
            let image = take_now(&simulation);
            let why = format!("seed {seed}, after {steps} steps");
            let (restored, _actors) = restored(&image, seed + 1, &kinds());
            assert_eq!(end(&restored), expected, "{why}");
            assert_eq!(end(&simulation), expected, "{why}: {FIRST_SYSTEM}");
            drop(bells);
            if is_over {
                break;
            }
        }
    }
}

#[test]
fn an_alarm_fires_once() {
    alarms_go_on();
}

/// An alarm that fires behind the line is in the image, and an alarm that was set behind it is not.
#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn an_alarm_that_fires_twice_is_noticed() {
    for (fault, words) in [
        (InjectedFault::NewerEntryRecorded, "seed"),
        (InjectedFault::EntryTakenUnrecorded, "seed"),
    ] {
        let said = caught(fault, alarms_go_on);
        assert!(said.contains(words), "{fault:?}: {said}");
    }
}

/// The time of the restored system is that of the image, and a timer has the delay that was left.
#[test]
fn a_delay_goes_on_where_it_was() {
    let simulation = simulated(&kinds(), 1);
    let bells = Bells::spawn(simulation.system());
    bells.ring_after(10, 0).send();
    simulation.run_for(4 * MS);
    let image = take_now(&simulation);
    assert_eq!(image.system.clock_ns, 4_000_000);
    assert_eq!(image.shared.tables.alarms.len(), 1);
    let (simulation, _actors) = restored(&image, 2, &kinds());
    simulation.run_for(5 * MS);
    assert_eq!(rung(&simulation), [vec![]]);
    simulation.run_for(MS);
    assert_eq!(rung(&simulation), [vec![(0, 10 * MS)]]);
}

/// Sets an alarm while it is loaded, as code of a restore may.
#[derive(Default)]
struct Egg;

impl<'gc> crate::Saved<'gc> for Egg {
    const SHAPE: &'static vivant_codec::Shape = <() as crate::Saved<'gc>>::SHAPE;

    fn save(&self, _: &mut vivant_codec::Encoder<'_>) {}

    fn load(input: &mut vivant_codec::Decoder<'gc, '_>) -> Result<Egg, vivant_codec::LoadError> {
        let RestoredSystem(system) = input.context().expect("a restore loads it");
        let wake = Arc::new(crate::sync::Mutex::new(std::task::Waker::noop().clone()));
        let timer = system.set_timer(5_000_000, Alarm::Limit(Action::Wake(wake)));
        SET_BY_LOAD.set(Some(timer.id().0));
        <() as crate::Saved<'gc>>::load(input).map(|()| Egg)
    }
}

thread_local! {
    static SET_BY_LOAD: Cell<Option<u64>> = const { Cell::new(None) };
}

#[derive(Actor)]
#[actor(saved)]
struct Nest {
    egg: Egg,
    timer: Option<Timer>,
    woken: u64,
}

#[behaviours]
impl Nest {
    #[start]
    fn new() -> Nest {
        let (timer, woken) = (None, 0);
        Nest {
            egg: Egg,
            timer,
            woken,
        }
    }

    fn set(&mut self, t: &Turn<Self>) {
        let Egg = self.egg;
        self.timer = Some(t.after(9 * MS, t.me().wakes()));
    }

    fn wakes(&mut self) {
        self.woken += 1;
    }
}

/// An alarm that is set during a restore has a number that no alarm of the image has.
#[test]
fn a_new_alarm_has_a_new_number() {
    let kinds = Arc::new(SavedKinds::of::<(Nest,)>().expect("one type"));
    let simulation = simulated(&kinds, 1);
    let nest = Nest::spawn(simulation.system());
    simulation.system().keep(&nest);
    nest.set().send();
    simulation.run_for(MS);
    let image = take_now(&simulation);
    let tables = &image.shared.tables;
    assert_eq!((tables.alarms.len(), tables.next_timer), (1, 1));
    let (simulation, _actors) = restored(&image, 2, &kinds);
    let number = SET_BY_LOAD.get().expect("the state was loaded");
    assert!(number >= tables.next_timer, "the number {number}");
    assert_eq!(simulation.system().shared().timers.len(), 2);
    simulation.run_for(20 * MS);
    assert_eq!(simulation.system().shared().timers.len(), 0);
}

/// An image says that the next alarm has the highest of all numbers.
#[test]
fn a_number_that_no_system_reaches_is_an_error() {
    let simulation = simulated(&kinds(), 1);
    let _bells = begin(&simulation);
    let mut image = take_now(&simulation);
    image.shared.tables.next_timer = u64::MAX;
    let refused = restore(simulated(&kinds(), 2).system().shared(), &image, &kinds());
    let error = refused.err().expect("no alarm could follow");
    assert!(matches!(error, NotRestored::TimerNumber(_)), "{error}");
}
