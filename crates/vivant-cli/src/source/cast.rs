//! The actors of the demo: a restaurant with too many orders.
//!
//! - The **waiters** order more than the **kitchen** cooks: it is overloaded, and mutes them.
//! - The **baker** is slow: its turns hold a worker for longer than a turn may.
//! - The **oven** burns now and then: it panics, and the **cook** buys another one. Messages to the
//!   old one become dead letters.
//! - The **pot** boils over now and then, and its supervisor restarts it.
//! - The **till** opens and closes: payments wait for their guard.
//! - The **guests** are idle most of the time, as most actors are.

use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;
use vivant::Supervisor;
use vivant::prelude::*;

const WAITERS: usize = 6;
const GUESTS: usize = 12;

/// Dishes that a waiter orders at once.
const DISHES: u32 = 40;

/// Loaves until an oven burns.
const LOAVES: u32 = 25;

/// Stirs until a pot boils over.
const STIRS: u32 = 20;

/// Waiting dishes from which on the kitchen is overloaded.
pub(super) const OVERLOAD: usize = 128;

/// What a turn that takes long does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Labour {
    /// It sleeps, and so blocks its worker.
    Sleeps,
    /// It takes no real time: under a seed, the faults make turns slow.
    Simulated,
}

impl Labour {
    fn takes(self, time: Duration) {
        match self {
            Labour::Sleeps => thread::sleep(time),
            Labour::Simulated => {}
        }
    }
}

#[derive(Actor)]
#[actor(id = "demo::Kitchen")]
struct Kitchen {
    labour: Labour,
}

#[behaviours(id = "demo::Kitchen")]
impl Kitchen {
    fn prepare(&mut self, _dish: u32) {
        self.labour.takes(Duration::from_millis(3));
    }
}

#[derive(Actor)]
#[actor(id = "demo::Waiter")]
struct Waiter {
    kitchen: Address<Kitchen>,
    till: Address<Till>,
}

#[behaviours(id = "demo::Waiter")]
impl Waiter {
    fn serve(&mut self, t: &Turn<Self>) {
        for dish in 0..DISHES {
            self.kitchen.prepare(dish).send();
        }
        self.till.pay(12).send();
        t.after(Duration::from_millis(200), t.me().serve());
    }
}

#[derive(Actor)]
#[actor(id = "demo::Till")]
struct Till {
    open: bool,
    cash: u64,
}

#[behaviours(id = "demo::Till")]
impl Till {
    #[when(self.open)]
    fn pay(&mut self, sum: u64) {
        self.cash += sum;
    }

    fn turn_sign(&mut self, t: &Turn<Self>) {
        self.open = !self.open;
        t.after(Duration::from_secs(3), t.me().turn_sign());
    }
}

#[derive(Actor)]
#[actor(id = "demo::Baker")]
struct Baker {
    labour: Labour,
}

#[behaviours(id = "demo::Baker")]
impl Baker {
    fn knead(&mut self, t: &Turn<Self>) {
        self.labour.takes(Duration::from_millis(60));
        t.after(Duration::from_millis(700), t.me().knead());
    }
}

#[derive(Actor)]
#[actor(id = "demo::Oven")]
struct Oven {
    loaves: u32,
}

#[behaviours(id = "demo::Oven")]
impl Oven {
    fn bake(&mut self) {
        self.loaves += 1;
        if self.loaves == LOAVES {
            // Not `panic!`: the panic hook would write over the screen.
            resume_unwind(Box::new("the oven burns"));
        }
    }

    fn clean(&mut self) {}
}

#[derive(Actor)]
#[actor(id = "demo::Cook")]
struct Cook {
    oven: Address<Oven>,
}

#[behaviours(id = "demo::Cook")]
impl Cook {
    fn work(&mut self, t: &Turn<Self>) -> Promise<()> {
        t.after(Duration::from_millis(80), t.me().work());
        t.ask(self.oven.bake()).then(t.me().baked())
    }

    #[then]
    fn baked(&mut self, t: &Turn<Self>, loaf: Result<(), AskError>) {
        if loaf.is_err() {
            self.oven.clean().send();
            self.oven = t.spawn_actor(Oven { loaves: 0 });
        }
    }
}

#[derive(Actor)]
#[actor(id = "demo::Pot")]
struct Pot {
    stirred: u32,
}

#[behaviours(id = "demo::Pot")]
impl Pot {
    #[start]
    fn put_on(t: &Turn<Self>) -> Self {
        t.timer("stir")
            .every(Duration::from_millis(90), t.me().stir());
        Pot { stirred: 0 }
    }

    fn stir(&mut self) {
        self.stirred += 1;
        if self.stirred == STIRS {
            resume_unwind(Box::new("the pot boils over"));
        }
    }
}

#[derive(Actor)]
#[actor(id = "demo::Guest")]
struct Guest {
    looks: u64,
}

#[behaviours(id = "demo::Guest")]
impl Guest {
    fn look_around(&mut self, t: &Turn<Self>) {
        self.looks += 1;
        // Half a second at first, then ever longer.
        let pause = Duration::from_millis(500 * self.looks.min(20));
        t.after(pause, t.me().look_around());
    }
}

/// Opens the restaurant. Its timers keep all actors reachable.
pub(super) fn open(system: &System, labour: Labour) {
    let kitchen = system.spawn(Kitchen { labour });
    let till = system.spawn(Till {
        open: true,
        cash: 0,
    });
    till.turn_sign().send();
    for _ in 0..WAITERS {
        let (kitchen, till) = (kitchen.clone(), till.clone());
        system.spawn(Waiter { kitchen, till }).serve().send();
    }
    system.spawn(Baker { labour }).knead().send();
    let oven = system.spawn(Oven { loaves: 0 });
    system.spawn(Cook { oven }).work().send();
    let stove = Supervisor::one_for_one().spawn(system);
    stove.add(Pot::child());
    system.keep(&stove);
    for _ in 0..GUESTS {
        system.spawn(Guest { looks: 0 }).look_around().send();
    }
}
