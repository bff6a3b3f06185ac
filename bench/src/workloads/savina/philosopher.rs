//! Actors contend for forks that one arbiter hands out: requests that are denied and made again at
//! once.
//!
//! Protocol: dining philosophers of Savina, with its sizes. A hungry philosopher requests both
//! forks from the arbiter. If one of them is taken the arbiter denies, and the philosopher requests
//! again; else it eats, returns the forks, and is hungry again, 10,000 times.
//!
//! Timed: from the first philosopher's start to the last one's last meal. An operation is a meal;
//! `denied` is the number of denied requests, which depends on the schedule.

use super::snapshot_point;
use crate::prelude::*;
use vivant::Saved;
use vivant::prelude::*;

pub(in super::super) const PHILOSOPHER: Bench = Bench::new(
    Group::Savina,
    "philosopher",
    "actors contend for forks that one arbiter hands out",
    &[
        Param::count("philosophers", 20, 5, "philosophers").at_least(2),
        Param::count("meals", 10_000, 30, "meals of each"),
    ],
    run,
)
.saved::<(Arbiter, Philosopher)>();

/// The forks lie between the seats: that of a number is on the left of its seat.
#[derive(Actor)]
#[actor(saved)]
struct Arbiter {
    forks: Vec<Fork>,
}

#[derive(Saved, Clone, Copy, PartialEq, Eq)]
enum Fork {
    Lies,
    Taken,
}

/// The answer to a hungry philosopher.
#[derive(Saved, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Eat,
    Denied,
}

#[behaviours]
impl Arbiter {
    fn hungry(&mut self, seat: usize) -> Decision {
        let forks = self.beside(seat);
        if forks.iter().any(|fork| self.forks[*fork] == Fork::Taken) {
            return Decision::Denied;
        }
        self.put(forks, Fork::Taken);
        Decision::Eat
    }

    fn done(&mut self, seat: usize) {
        self.put(self.beside(seat), Fork::Lies);
    }

    fn taken(&mut self) -> u64 {
        let taken = self.forks.iter().filter(|fork| **fork == Fork::Taken);
        taken.count() as u64
    }

    #[local]
    fn put(&mut self, forks: [usize; 2], fork: Fork) {
        for at in forks {
            self.forks[at] = fork;
        }
    }

    #[local]
    fn beside(&self, seat: usize) -> [usize; 2] {
        [seat, (seat + 1) % self.forks.len()]
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Philosopher {
    arbiter: Address<Arbiter>,
    seat: usize,
    /// Meals to come.
    left: u64,
    meals: u64,
    denied: u64,
    done: Option<Resolver<(u64, u64)>>,
}

#[behaviours]
impl Philosopher {
    /// Answers with the number of meals, and of denied requests.
    fn dine(&mut self, t: &Turn<Self>) -> Promise<(u64, u64)> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        self.request(t);
        promise
    }

    /// Is hungry again, in a turn of its own.
    fn request(&mut self, t: &Turn<Self>) {
        t.ask(self.arbiter.hungry(self.seat))
            .then_send(t.me().decided());
    }

    #[then]
    fn decided(&mut self, t: &Turn<Self>, decision: Result<Decision, AskError>) {
        match decision {
            Ok(Decision::Denied) => {
                self.denied += 1;
                self.request(t);
            }
            Ok(Decision::Eat) => {
                self.meals += 1;
                self.left -= 1;
                t.send(self.arbiter.done(self.seat));
                match self.left {
                    0 => self.leave(),
                    _ => t.send(t.me().request()),
                }
            }
            // The check sees the missing meals.
            Err(_) => self.leave(),
        }
    }

    #[local]
    fn leave(&mut self) {
        if let Some(done) = self.done.take() {
            done.resolve((self.meals, self.denied));
        }
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (count, meals) = (run.count("philosophers"), run.count("meals"));
    let system = run.system();
    let arbiter = system.spawn(Arbiter {
        forks: vec![Fork::Lies; count as usize],
    });
    let philosopher = |seat| {
        system.spawn(Philosopher {
            arbiter: arbiter.clone(),
            seat,
            left: meals,
            meals: 0,
            denied: 0,
            done: None,
        })
    };
    let philosophers: Vec<_> = (0..count as usize).map(philosopher).collect();
    let meter = Meter::start();
    let asked: Vec<_> = philosophers.iter().map(|it| it.dine().ask()).collect();
    snapshot_point(&system);
    let (mut eaten, mut denied) = (0, 0);
    for answer in asked {
        let (meals, these) = system.block_on(answer)?;
        (eaten, denied) = (eaten + meals, denied + these);
    }
    let spent = meter.stop();
    run.check("forks taken", 0, arbiter.taken().ask_blocking()?)?;
    let check = run.check("meals", count * meals, eaten)?;
    let mut figures = Figures::new(spent, count * meals, check);
    figures.add("denied", denied);
    Ok(vec![figures])
}
