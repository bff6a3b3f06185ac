//! Dining philosophers without an arbiter. Each philosopher declares that its two requests for
//! forks are dispatched together or not at all. The forks know nothing of philosophers or sets.
//!
//! Try: declare no synchronizer. Each philosopher may then have one fork and wait for the other for
//! ever, and under some seeds all of them starve.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use fork_messages::PickUp;
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Pattern, Synchronizer};

const SEATS: usize = 5;
const MEALS: usize = 3;

#[derive(Actor)]
struct Fork {
    is_free: bool,
}

#[behaviours]
impl Fork {
    #[when(self.is_free)]
    fn pick_up(&mut self, by: usize) {
        let _ = by;
        self.is_free = false;
    }

    fn put_down(&mut self) {
        self.is_free = true;
    }
}

#[derive(Actor)]
struct Philosopher {
    seat: usize,
    forks: [Address<Fork>; 2],
    meals: usize,
    /// Its constraint ends with it.
    _both_forks: Synchronizer,
}

#[behaviours]
impl Philosopher {
    #[start]
    fn new(seat: usize, forks: [Address<Fork>; 2]) -> Self {
        let mine = forks.each_ref().map(|fork| {
            let pick_up = Pattern::<PickUp<Fork>>::at(fork);
            pick_up.when(move |(by,)| *by == seat)
        });
        let both_forks = Synchronizer::new().atomic(mine).declare();
        Philosopher {
            seat,
            forks,
            meals: 0,
            _both_forks: both_forks.expect("two forks, and both are there"),
        }
    }

    fn think(&mut self, t: &Turn<Self>) {
        if self.meals < MEALS {
            let both = self
                .forks
                .each_ref()
                .map(|fork| t.ask(fork.pick_up(self.seat)));
            t.all(both).then_send(t.me().eat());
        }
    }

    #[then]
    fn eat(&mut self, t: &Turn<Self>, forks: Result<Vec<()>, AskError>) {
        forks.expect("the forks are there");
        self.meals += 1;
        t.after(Duration::from_millis(20), t.me().rise());
    }

    fn rise(&mut self, t: &Turn<Self>) {
        self.forks.iter().for_each(|fork| t.send(fork.put_down()));
        t.send(t.me().think());
    }

    fn meals(&self) -> usize {
        self.meals
    }
}

fn main() -> Result<(), AskError> {
    for seed in 0..20 {
        let simulation = Simulation::new(seed);
        let system = simulation.system();
        let forks: Vec<_> = (0..SEATS)
            .map(|_| system.spawn(Fork { is_free: true }))
            .collect();
        let philosophers: Vec<_> = (0..SEATS)
            .map(|seat| {
                let both = [forks[seat].clone(), forks[(seat + 1) % SEATS].clone()];
                Philosopher::spawn(system, seat, both)
            })
            .collect();
        philosophers.iter().for_each(|one| one.think().send());
        simulation.run();
        for one in &philosophers {
            assert_eq!(one.meals().ask_blocking()?, MEALS);
        }
        println!(
            "seed {seed}: all {SEATS} ate {MEALS} times, after {:?}",
            simulation.now()
        );
    }
    Ok(())
}
