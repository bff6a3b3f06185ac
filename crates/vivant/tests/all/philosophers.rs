//! Dining philosophers without an arbiter: each declares that its two requests for forks are
//! dispatched together.

use std::sync::{Arc, Mutex};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Seeds, Simulation, check};
use vivant::{Pattern, Synchronizer};

#[derive(Actor)]
struct Fork {
    used_by: Option<usize>,
}

#[behaviours]
impl Fork {
    #[start]
    fn new() -> Self {
        Fork { used_by: None }
    }

    #[when(self.used_by.is_none())]
    fn pick_up(&mut self, philosopher: usize) {
        assert_eq!(self.used_by, None);
        self.used_by = Some(philosopher);
    }

    fn put_down(&mut self, philosopher: usize) {
        if self.used_by == Some(philosopher) {
            self.used_by = None;
        }
    }
}
use fork_messages::PickUp;

#[derive(Actor)]
struct Philosopher {
    number: usize,
    forks: [Address<Fork>; 2],
    meals: usize,
    eating: Arc<Mutex<Vec<usize>>>,
    _together: Synchronizer,
}

#[behaviours]
impl Philosopher {
    #[start]
    fn new(number: usize, forks: [Address<Fork>; 2], eating: Arc<Mutex<Vec<usize>>>) -> Self {
        let pick_up = forks.each_ref().map(|fork| {
            Pattern::<PickUp<Fork>>::at(fork).when(move |(philosopher,)| *philosopher == number)
        });
        let together = Synchronizer::new().atomic(pick_up).declare();
        Philosopher {
            number,
            forks,
            meals: 0,
            eating,
            _together: together.expect("the forks are there"),
        }
    }

    fn dine(&mut self, t: &Turn<Self>, meals: usize) {
        if self.meals < meals {
            let picked_up = self
                .forks
                .each_ref()
                .map(|fork| t.ask(fork.pick_up(self.number)));
            let _eaten = t.all(picked_up).then(t.me().eat(meals));
        }
    }

    #[then]
    fn eat(&mut self, t: &Turn<Self>, forks: Result<Vec<()>, AskError>, meals: usize) {
        forks.expect("both are there");
        self.eating.lock().expect("no panic").push(self.number);
        t.after(Duration::from_millis(1), t.me().think(meals));
    }

    fn think(&mut self, t: &Turn<Self>, meals: usize) {
        self.eating
            .lock()
            .expect("no panic")
            .retain(|it| *it != self.number);
        self.meals += 1;
        for fork in &self.forks {
            t.send(fork.put_down(self.number));
        }
        t.send(t.me().dine(meals));
    }

    fn meals(&self) -> usize {
        self.meals
    }
}

/// Five to seven philosophers, no arbiter. Each eats three times, and never with a neighbour.
fn dinner(simulation: &Simulation) {
    let count = 5 + simulation.seed() as usize % 3;
    let system = simulation.system();
    let forks: Vec<_> = (0..count).map(|_| Fork::spawn(system)).collect();
    let eating = Arc::new(Mutex::new(Vec::new()));
    let philosopher = |number: usize| {
        let both = [forks[number].clone(), forks[(number + 1) % count].clone()];
        Philosopher::spawn(system, number, both, eating.clone())
    };
    let philosophers: Vec<_> = (0..count).map(philosopher).collect();
    philosophers.iter().for_each(|one| one.dine(3).send());
    let eats_with_a_neighbour = || {
        let eating = eating.lock().expect("no panic");
        eating
            .iter()
            .any(|one| eating.contains(&((one + 1) % count)))
    };
    assert!(
        !simulation.run_until(eats_with_a_neighbour),
        "neighbours eat together"
    );
    for one in &philosophers {
        assert_eq!(one.meals().ask_blocking(), Ok(3));
    }
}

#[test]
fn philosophers_eat_without_an_arbiter() {
    let name = "philosophers_eat_without_an_arbiter";
    check(
        name,
        Seeds(if cfg!(miri) { 1 } else { 500 }),
        &Faults::none(),
        dinner,
    );
}

#[test]
fn philosophers_eat_under_muting_and_delays() {
    let name = "philosophers_eat_under_muting_and_delays";
    let faults = Faults::none()
        .delays(100_000, Duration::from_millis(5))
        .full_mailboxes();
    check(
        name,
        Seeds(if cfg!(miri) { 1 } else { 300 }),
        &faults,
        dinner,
    );
}

#[test]
fn philosophers_eat_on_threads() {
    let system = System::builder().workers(2).build();
    let count = 7;
    let forks: Vec<_> = (0..count).map(|_| Fork::spawn(&system)).collect();
    let eating = Arc::new(Mutex::new(Vec::new()));
    let philosopher = |number: usize| {
        let both = [forks[number].clone(), forks[(number + 1) % count].clone()];
        Philosopher::spawn(&system, number, both, eating.clone())
    };
    let philosophers: Vec<_> = (0..count).map(philosopher).collect();
    philosophers.iter().for_each(|one| one.dine(20).send());
    for one in &philosophers {
        while one.meals().ask_blocking() != Ok(20) {
            std::thread::yield_now();
        }
    }
}
