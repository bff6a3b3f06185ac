//! A bounded buffer with two guards: `put` waits while it is full, `take` while it is empty.
//!
//! There is no lock, no condition variable and no polling: a message with a false guard waits in
//! the buffer's actor, and other messages pass it. Look at the first line: of ten puts for four
//! places six wait, and the inspection shows them. Then three producers and two consumers run on
//! threads, and under a hundred seeds. Try `<=` in the place of `<`, and see how the program fails.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use std::collections::VecDeque;
use vivant::prelude::*;
use vivant::simulation::Simulation;

const PLACES: usize = 4;
const EACH: u64 = 100;

#[derive(Actor, Default)]
struct Buffer {
    items: VecDeque<u64>,
    fullest: usize,
}

#[behaviours]
impl Buffer {
    #[when(self.items.len() < PLACES)]
    fn put(&mut self, item: u64) {
        self.items.push_back(item);
        self.fullest = self.fullest.max(self.items.len());
    }

    #[when(!self.items.is_empty())]
    fn take(&mut self) -> u64 {
        self.items.pop_front().expect("its guard says so")
    }

    fn fullest(&self) -> usize {
        self.fullest
    }
}

/// Puts items in, or takes them out, one after the other.
#[derive(Actor)]
struct User {
    buffer: Address<Buffer>,
    sum: u64,
}

#[behaviours]
impl User {
    fn produce(&mut self, t: &Turn<Self>, left: u64) -> Promise<u64> {
        t.ask(self.buffer.put(left)).then(t.me().has_put(left))
    }

    #[then]
    fn has_put(&mut self, t: &Turn<Self>, put: Result<(), AskError>, left: u64) -> Promise<u64> {
        match put {
            Ok(()) if left > 1 => self.produce(t, left - 1),
            _ => Promise::ready(left),
        }
    }

    fn consume(&mut self, t: &Turn<Self>, left: u64) -> Promise<u64> {
        t.ask(self.buffer.take()).then(t.me().has_taken(left))
    }

    #[then]
    fn has_taken(
        &mut self,
        t: &Turn<Self>,
        item: Result<u64, AskError>,
        left: u64,
    ) -> Promise<u64> {
        self.sum += item.unwrap_or(0);
        match left {
            2.. => self.consume(t, left - 1),
            _ => Promise::ready(self.sum),
        }
    }
}

/// Three producers, two consumers: returns the sum of the consumed items, and the greatest length
/// of the buffer.
fn flow(system: &System) -> Result<(u64, usize), AskError> {
    let buffer = system.spawn(Buffer::default());
    let user = || {
        system.spawn(User {
            buffer: buffer.clone(),
            sum: 0,
        })
    };
    (0..3).for_each(|_| user().produce(EACH).send());
    let sums = [0; 2].map(|_| user().consume(3 * EACH / 2).ask());
    let mut sum = 0;
    for asked in sums {
        sum += system.block_on(asked)?;
    }
    Ok((sum, buffer.fullest().ask_blocking()?))
}

fn main() -> Result<(), AskError> {
    let simulation = Simulation::new(1);
    let buffer = simulation.system().spawn(Buffer::default());
    (1..=10).for_each(|item| buffer.put(item).send());
    simulation.run();
    let waiting = simulation.system().inspect().actors[0].deferred;
    println!("ten puts, {PLACES} places: {waiting} wait for their guard");
    assert_eq!(waiting, 10 - PLACES);

    let (sum, fullest) = flow(&System::new())?;
    println!("on threads: the sum is {sum}, and at most {fullest} were in the buffer");
    assert_eq!(sum, 3 * EACH * (EACH + 1) / 2);
    let mut most = 0;
    for seed in 0..100 {
        let (again, fullest) = flow(Simulation::new(seed).system())?;
        assert_eq!(again, sum, "under seed {seed}");
        most = most.max(fullest);
    }
    println!("under 100 seeds: the same sum, and at most {most} in the buffer");
    assert_eq!(most, PLACES);
    Ok(())
}
