//! Random operations on objects, weak references and owners, by threads that exchange what they
//! have.
//!
//! Checked at the end: every value was dropped once. (Miri and the sanitizers check that memory is
//! freed once.) Checked on the way: a value that is read is live, and a thread that finds its
//! reference to be the only one has the value for itself.
//!
//! `VIVANT_OPERATIONS` is the number of operations; `cargo xtask counts` runs a hundred million.

use fastrand::Rng;
use std::env;
use std::sync::atomic::{AtomicIsize, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use vivant_brc::{Brc, Owner, Weak, detached, drop_chain, merge};

/// Approximate number of things that a thread has.
const PLENTY: usize = 12;

/// Operations between two ends of all threads.
const ROUND: u64 = if cfg!(miri) { 120 } else { 20_000 };

const LIVES: u64 = 0x1ea5_1ea5_1ea5_1ea5;
const ENDED: u64 = 0xdead_dead_dead_dead;

/// A value that records whether it is live. It may have a reference to another value, and a weak
/// one to itself.
struct Value {
    state: AtomicU64,
    changes: u64,
    below: Option<Brc<Value>>,
    itself: Option<Weak<Value>>,
    live: Arc<AtomicIsize>,
}

impl Value {
    fn new(live: &Arc<AtomicIsize>) -> Value {
        live.fetch_add(1, Ordering::Relaxed);
        Value {
            state: AtomicU64::new(LIVES),
            changes: 0,
            below: None,
            itself: None,
            live: live.clone(),
        }
    }

    fn look(&self) {
        assert_eq!(self.state.load(Ordering::Relaxed), LIVES, "not alive");
    }
}

impl Clone for Value {
    fn clone(&self) -> Value {
        self.look();
        Value::new(&self.live)
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        let state = self.state.swap(ENDED, Ordering::Relaxed);
        assert_eq!(state, LIVES, "ended twice");
        self.live.fetch_sub(1, Ordering::Relaxed);
        drop_chain(self.below.take(), |value, parts| {
            parts.extend(value.below.take())
        });
    }
}

/// What threads exchange.
enum Thing {
    Strong(Brc<Value>),
    Weak(Weak<Value>),
    Owner(Owner),
}

/// Things on offer, which no thread has at the moment.
#[derive(Default)]
struct Market(Mutex<Vec<Thing>>);

impl Market {
    /// Offers a thing, and gets another one.
    fn trade(&self, dice: &mut Rng, thing: Thing) -> Option<Thing> {
        let mut things = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        things.push(thing);
        let place = dice.usize(..things.len());
        (things.len() > PLENTY).then(|| things.swap_remove(place))
    }
}

struct Player<'a> {
    dice: Rng,
    strong: Vec<Brc<Value>>,
    weak: Vec<Weak<Value>>,
    owners: Vec<Owner>,
    market: &'a Market,
    live: &'a Arc<AtomicIsize>,
    depth: usize,
}

impl Player<'_> {
    fn play(&mut self, operations: u64) {
        for _ in 0..operations {
            self.step();
        }
    }

    fn any_strong(&mut self) -> Option<usize> {
        (!self.strong.is_empty()).then(|| self.dice.usize(..self.strong.len()))
    }

    fn take_strong(&mut self) -> Option<Brc<Value>> {
        let place = self.any_strong()?;
        Some(self.strong.swap_remove(place))
    }

    fn step(&mut self) {
        if self.strong.len() > 2 * PLENTY {
            drop(self.take_strong());
        }
        if self.weak.len() > PLENTY {
            self.weak.pop();
        }
        match self.dice.usize(..40) {
            0..=5 => self.birth(),
            6..=12 => {
                if let Some(place) = self.any_strong() {
                    self.strong[place].look();
                    self.strong.push(self.strong[place].clone());
                }
            }
            13..=18 => drop(self.take_strong()),
            19..=25 => self.trade(),
            26 | 27 => self.downgrade(),
            28 | 29 => self.upgrade(),
            30 => drop(self.weak.pop()),
            31 => {
                if let Some(place) = self.any_strong()
                    && let Some(value) = Brc::get_mut(&mut self.strong[place])
                {
                    value.changes += 1;
                    value.look();
                }
            }
            32 => {
                if let Some(one) = self.take_strong() {
                    match Brc::try_unwrap(one) {
                        Ok(value) => value.look(),
                        Err(one) => self.strong.push(one),
                    }
                }
            }
            33 => {
                if let Some(mut one) = self.take_strong() {
                    Brc::make_mut(&mut one).changes += 1;
                    self.strong.push(one);
                }
            }
            34 => {
                if let Some(value) = self.take_strong().and_then(Brc::into_inner) {
                    value.look();
                }
            }
            35 => merge(),
            36 if self.depth < 3 => {
                self.depth += 1;
                detached(|| self.play(5));
                self.depth -= 1;
            }
            37 if self.owners.len() > PLENTY / 2 => drop(self.owners.pop()),
            37 => self.owners.push(Owner::new()),
            38 | 39 if self.depth < 3 => {
                let mut owner = self.owners.pop().unwrap_or_default();
                self.depth += 1;
                owner.run(|| self.play(10));
                self.depth -= 1;
                self.owners.push(owner);
            }
            _ => {}
        }
    }

    fn birth(&mut self) {
        let born = match self.dice.usize(..8) {
            0 => Brc::new_cyclic(|itself| {
                assert!(itself.upgrade().is_none());
                let mut value = Value::new(self.live);
                value.itself = Some(itself.clone());
                value
            }),
            1 => Brc::unbiased(Value::new(self.live)),
            2 => {
                let mut value = Value::new(self.live);
                value.below = self.take_strong();
                Brc::new(value)
            }
            _ => Brc::new(Value::new(self.live)),
        };
        self.strong.push(born);
    }

    fn trade(&mut self) {
        let thing = match self.dice.usize(..8) {
            0 => self.weak.pop().map(Thing::Weak),
            1 => self.owners.pop().map(Thing::Owner),
            _ => self.take_strong().map(Thing::Strong),
        };
        if let Some(thing) = thing {
            match self.market.trade(&mut self.dice, thing) {
                Some(Thing::Strong(one)) => self.strong.push(one),
                Some(Thing::Weak(one)) => self.weak.push(one),
                Some(Thing::Owner(owner)) => self.owners.push(owner),
                None => {}
            }
        }
    }

    fn downgrade(&mut self) {
        if let Some(place) = self.any_strong() {
            let one = &self.strong[place];
            self.weak.push(match &one.itself {
                Some(itself) => itself.clone(),
                None => Brc::downgrade(one),
            });
        }
    }

    fn upgrade(&mut self) {
        if !self.weak.is_empty() {
            let place = self.dice.usize(..self.weak.len());
            if let Some(one) = self.weak[place].upgrade() {
                one.look();
                self.strong.push(one);
            }
        }
    }
}

/// Some threads exchange things; then all that they had is dropped, on several threads.
fn round(seed: u64, threads: u64, operations: u64) {
    let live = Arc::new(AtomicIsize::new(0));
    let market = Market::default();
    thread::scope(|scope| {
        let play = |number: u64| {
            let (live, market) = (&live, &market);
            scope.spawn(move || {
                let mut player = Player {
                    dice: Rng::with_seed(seed * threads + number),
                    strong: Vec::new(),
                    weak: Vec::new(),
                    owners: Vec::new(),
                    market,
                    live,
                    depth: 0,
                };
                player.play(operations / threads);
            })
        };
        let players: Vec<_> = (0..threads).map(play).collect();
        for player in players {
            // Waits until the thread has ended, and its owner with it.
            player.join().unwrap();
        }
    });
    drop(market);
    // This thread is an owner of none of the objects; the other threads have ended, and so have
    // their owners.
    assert_eq!(
        live.load(Ordering::SeqCst),
        0,
        "seed {seed}: values were lost"
    );
    assert_eq!(Arc::strong_count(&live), 1);
}

/// The number of operations.
fn operations() -> u64 {
    match env::var("VIVANT_OPERATIONS") {
        Ok(text) => text.parse().expect("VIVANT_OPERATIONS is a number"),
        Err(_) if cfg!(miri) => 240,
        Err(_) => 2_000_000,
    }
}

#[test]
fn seeded_random_operations_lose_nothing() {
    let operations = operations();
    for seed in 0..operations.div_ceil(ROUND) {
        // Two threads contend most often on two cores; more of them bring more owners.
        round(seed, 2 + seed % 3, ROUND.min(operations));
    }
}
