//! Customers queue for one barber, and come again when the queue is full: short-lived actors, and
//! an actor that others must wake.
//!
//! Protocol: sleeping barber of Savina, with its sizes. A factory makes 5,000 customers, with a
//! busy wait of random length after each, and sends each to a waiting room of 1,000 seats. A
//! customer that finds it full returns to the factory, which sends it again. The room sends the
//! barber the next customer, or lets it sleep; the barber's busy wait is random too.
//!
//! Timed: from the first customer to the factory's notice of the last haircut. An operation is a
//! haircut; `returned` is the number of customers that found the room full.

use super::{Random, snapshot_point};
use crate::prelude::*;
use std::collections::VecDeque;
use vivant::Saved;
use vivant::prelude::*;

pub(in super::super) const BARBER: Bench = Bench::new(
    Group::Savina,
    "barber",
    "customers queue for one barber",
    &[
        Param::count("haircuts", 5_000, 40, "customers"),
        Param::count("seats", 1_000, 10, "seats of the waiting room"),
        Param::count("arrival", 1_000, 50, "the longest wait between customers"),
        Param::count("haircut", 1_000, 50, "the longest haircut"),
    ],
    run,
)
.saved::<(Barber, WaitingRoom, Customer, Factory)>();

/// What every wait has beside its random part.
const WAIT_LEAST: u64 = 10;

/// A busy wait of random length, by the same generator.
fn wait(random: &mut Random, longest: u64) {
    let draws = random.below(longest) + WAIT_LEAST;
    random.work(draws);
}

#[derive(Actor)]
#[actor(saved)]
struct Barber {
    random: Random,
    longest: u64,
}

#[behaviours]
impl Barber {
    fn cut(&mut self, t: &Turn<Self>, customer: Address<Customer>, room: Address<WaitingRoom>) {
        t.send(customer.begin());
        wait(&mut self.random, self.longest);
        t.send(customer.end());
        t.send(room.next());
    }

    /// No customer waits.
    fn sleep(&mut self) {}

    /// The number that its generator has next.
    fn next_random(&mut self) -> u64 {
        self.random.draw()
    }
}

#[derive(Saved, Clone, Copy, PartialEq, Eq)]
enum BarberIs {
    Asleep,
    AtWork,
}

#[derive(Actor)]
#[actor(saved)]
struct WaitingRoom {
    seats: usize,
    waiting: VecDeque<Address<Customer>>,
    barber: Address<Barber>,
    barber_is: BarberIs,
}

#[behaviours]
impl WaitingRoom {
    fn enter(&mut self, t: &Turn<Self>, customer: Address<Customer>) {
        if self.waiting.len() == self.seats {
            t.send(customer.full());
            return;
        }
        self.waiting.push_back(customer.clone());
        match self.barber_is {
            BarberIs::Asleep => {
                self.barber_is = BarberIs::AtWork;
                t.send(t.me().next());
            }
            BarberIs::AtWork => t.send(customer.wait()),
        }
    }

    fn next(&mut self, t: &Turn<Self>) {
        match self.waiting.pop_front() {
            Some(customer) => t.send(self.barber.cut(customer, t.me())),
            None => {
                self.barber_is = BarberIs::Asleep;
                t.send(self.barber.sleep());
            }
        }
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Customer {
    factory: Address<Factory>,
}

#[behaviours]
impl Customer {
    fn full(&mut self, t: &Turn<Self>) {
        t.send(self.factory.returned(t.me()));
    }

    /// It has a seat.
    fn wait(&mut self) {}

    /// Its haircut begins.
    fn begin(&mut self) {}

    fn end(&mut self, t: &Turn<Self>) {
        t.send(self.factory.served());
        t.stop();
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Factory {
    room: Address<WaitingRoom>,
    random: Random,
    longest: u64,
    returned: u64,
    served: u64,
    customers: u64,
    done: Option<Resolver<(u64, u64)>>,
}

#[behaviours]
impl Factory {
    /// Makes all customers; answers, when all have had their haircut, with their number and with
    /// how often one found the room full.
    fn open(&mut self, t: &Turn<Self>) -> Promise<(u64, u64)> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        for _ in 0..self.customers {
            let customer = t.spawn_actor(Customer { factory: t.me() });
            t.send(self.room.enter(customer));
            wait(&mut self.random, self.longest);
        }
        snapshot_point(t);
        promise
    }

    fn returned(&mut self, t: &Turn<Self>, customer: Address<Customer>) {
        self.returned += 1;
        t.send(self.room.enter(customer));
    }

    fn served(&mut self) {
        self.served += 1;
        if self.served == self.customers
            && let Some(done) = self.done.take()
        {
            done.resolve((self.served, self.returned));
        }
    }
}

/// The number that the barber's generator has after all haircuts.
fn next_random(haircuts: u64, longest: u64) -> u64 {
    let mut random = Random::seeded(Random::SEED);
    for _ in 0..haircuts {
        wait(&mut random, longest);
    }
    random.draw()
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (haircuts, longest) = (run.count("haircuts"), run.count("haircut"));
    let system = run.system();
    let meter = Meter::start();
    let barber = system.spawn(Barber {
        random: Random::seeded(Random::SEED),
        longest,
    });
    let room = system.spawn(WaitingRoom {
        seats: run.count("seats") as usize,
        waiting: VecDeque::new(),
        barber: barber.clone(),
        barber_is: BarberIs::Asleep,
    });
    let factory = system.spawn(Factory {
        room,
        random: Random::seeded(Random::SEED),
        longest: run.count("arrival"),
        returned: 0,
        served: 0,
        customers: haircuts,
        done: None,
    });
    let (served, returned) = factory.open().ask_blocking()?;
    let spent = meter.stop();
    let next = barber.next_random().ask_blocking()?;
    run.check("haircuts", haircuts, served)?;
    let expected = next_random(haircuts, longest);
    let check = run.check("the barber's next random number", expected, next)?;
    let mut figures = Figures::new(spent, haircuts, check);
    figures.add("returned", returned);
    Ok(vec![figures])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_number_is_savinas() {
        for (haircuts, longest, next) in [
            (5_000, 1_000, 32_109),
            (2_500, 1_000, 32_109),
            (1_000, 500, 5_029),
            (2_500, 500, 16_033),
            (800, 200, 11_357),
        ] {
            assert_eq!(next_random(haircuts, longest), next);
        }
    }
}
