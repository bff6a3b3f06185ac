//! The actors of the demo: a restaurant with too many orders.
//!
//! - The **waiters** order more than the **kitchen** cooks: it is overloaded, and mutes them.
//! - The **baker** is slow: its turns hold a worker for longer than a turn may.
//! - The **oven** burns now and then: it panics, and the **cook** buys another one. Messages to the
//!   old one become dead letters.
//! - The **pot** boils over now and then, and its supervisor restarts it.
//! - The **till** opens and closes: payments wait for their guard.
//! - The **pantry** has a graph as its state: it replaces jars, and its heap is collected.
//! - The **dishwasher** has a bounded mailbox: it rejects plates when it is full.
//! - The **hosts** wait exclusively for the **sommelier**, which waits exclusively for the
//!   **cellar**: so a host that asks meanwhile is blocked.
//! - The **guests** are idle most of the time, as most actors are.

use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;
use vivant::Supervisor;
use vivant::prelude::*;

const WAITERS: usize = 6;
const GUESTS: usize = 12;
const HOSTS: usize = 2;

/// Dishes that a waiter orders at once.
const DISHES: u32 = 40;

/// Plates that a waiter brings back at once.
const PLATES: u32 = 3;

/// Jars of the pantry, and the number of them that it replaces at once.
const JARS: usize = 4_096;
const NEW_JARS: usize = 512;

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
    dishwasher: Address<Dishwasher>,
    till: Address<Till>,
}

#[behaviours(id = "demo::Waiter")]
impl Waiter {
    fn serve(&mut self, t: &Turn<Self>) {
        for dish in 0..DISHES {
            self.kitchen.prepare(dish).send();
        }
        for _ in 0..PLATES {
            self.dishwasher.wash().send();
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
#[actor(id = "demo::Dishwasher", mailbox = reject(16))]
struct Dishwasher {
    labour: Labour,
}

#[behaviours(id = "demo::Dishwasher")]
impl Dishwasher {
    fn wash(&mut self) {
        self.labour.takes(Duration::from_millis(4));
    }
}

#[derive(Actor)]
#[actor(id = "demo::Pantry")]
struct PantryState<'gc> {
    jars: gc::VecDeque<'gc, Gc<'gc, [u64; 16]>>,
}

#[behaviours(id = "demo::Pantry")]
impl<'gc> PantryState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Pantry>) -> Self {
        let mut jars = gc::VecDeque::new();
        for _ in 0..JARS {
            jars.push_back(t, t.alloc([0; 16]));
        }
        PantryState { jars }
    }

    fn restock(&mut self, t: &Turn<'gc, Pantry>) {
        for _ in 0..NEW_JARS {
            self.jars.pop_front(t);
            self.jars.push_back(t, t.alloc([1; 16]));
        }
        t.after(Duration::from_millis(50), t.me().restock());
    }
}

#[derive(Actor)]
#[actor(id = "demo::Cellar")]
struct Cellar;

#[behaviours(id = "demo::Cellar")]
impl Cellar {
    fn fetch(&mut self, t: &Turn<Self>) -> Promise<u32> {
        let (bottle, resolver) = t.promise();
        t.after(Duration::from_millis(1_500), t.me().found(resolver));
        bottle
    }

    fn found(&mut self, bottle: Resolver<u32>) {
        bottle.resolve(1);
    }
}

#[derive(Actor)]
#[actor(id = "demo::Sommelier")]
struct Sommelier {
    cellar: Address<Cellar>,
}

#[behaviours(id = "demo::Sommelier")]
impl Sommelier {
    fn advise(&mut self, t: &Turn<Self>) -> Promise<u32> {
        t.ask(self.cellar.fetch()).exclusive()
    }
}

#[derive(Actor)]
#[actor(id = "demo::Host")]
struct Host {
    sommelier: Address<Sommelier>,
}

#[behaviours(id = "demo::Host")]
impl Host {
    fn seat(&mut self, t: &Turn<Self>) -> Promise<()> {
        t.ask(self.sommelier.advise())
            .exclusive()
            .then(t.me().advised())
    }

    #[then]
    fn advised(&mut self, t: &Turn<Self>, _bottle: Result<u32, AskError>) {
        t.after(Duration::from_millis(400), t.me().seat());
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
    let dishwasher = system.spawn(Dishwasher { labour });
    for _ in 0..WAITERS {
        let waiter = Waiter {
            kitchen: kitchen.clone(),
            dishwasher: dishwasher.clone(),
            till: till.clone(),
        };
        system.spawn(waiter).serve().send();
    }
    system.spawn(Baker { labour }).knead().send();
    let oven = system.spawn(Oven { loaves: 0 });
    system.spawn(Cook { oven }).work().send();
    let stove = Supervisor::one_for_one().spawn(system);
    stove.add(Pot::child());
    system.keep(&stove);
    Pantry::spawn(system).restock().send();
    let cellar = system.spawn(Cellar);
    let sommelier = system.spawn(Sommelier { cellar });
    for _ in 0..HOSTS {
        let sommelier = sommelier.clone();
        system.spawn(Host { sommelier }).seat().send();
    }
    for _ in 0..GUESTS {
        system.spawn(Guest { looks: 0 }).look_around().send();
    }
}
