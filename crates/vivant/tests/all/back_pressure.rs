//! T5: a sender to an overloaded actor is muted; back-pressure never deadlocks.

use crate::scenes::{LIMIT, Sender, Slow};
use crate::waits::{until_quiet, wait_while};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};

#[derive(Actor)]
struct Sink {
    got: Arc<AtomicU64>,
}

#[behaviours]
impl Sink {
    fn take(&mut self) {
        self.got.fetch_add(1, Ordering::Relaxed);
    }
}

#[derive(Actor)]
struct Source {
    sink: Address<Sink>,
    left: u64,
}

#[behaviours]
impl Source {
    /// One message a turn, so that muting can start after each.
    fn pour(&mut self, t: &Turn<Self>) {
        t.send(self.sink.take());
        self.left -= 1;
        if self.left > 0 {
            t.send(t.me().pour());
        }
    }
}

#[test]
fn seeded_a_flood_arrives_whole() {
    for seed in 0..100 {
        let simulation = Simulation::with(seed, Faults::none(), System::builder().overload(LIMIT));
        let got = Arc::new(AtomicU64::new(0));
        let sink = simulation.system().spawn(Sink { got: got.clone() });
        for _ in 0..4 {
            simulation
                .system()
                .spawn(Source {
                    sink: sink.clone(),
                    left: 200,
                })
                .pour()
                .send();
        }
        drop(sink);
        simulation.run();
        assert_eq!(got.load(Ordering::Relaxed), 800);
    }
}

#[test]
fn seeded_the_depth_stays_near_the_limit() {
    // Four sources, each at most one message over the limit before it is muted.
    for seed in 0..30 {
        let simulation = Simulation::with(seed, Faults::none(), System::builder().overload(LIMIT));
        let watched = Arc::new(AtomicUsize::new(0));
        let sink = simulation.system().spawn(Watched {
            watched: watched.clone(),
        });
        let limit = LIMIT + 4;
        for _ in 0..4 {
            simulation
                .system()
                .spawn(Pourer {
                    sink: sink.clone(),
                    left: 300,
                    watched: watched.clone(),
                })
                .pour()
                .send();
        }
        simulation.run();
        let deepest = sink.deepest().ask_blocking().expect("the sink lives");
        assert!(
            deepest <= limit,
            "seed {seed}: the mailbox grew to {deepest}, beyond {limit}"
        );
        assert!(
            deepest >= LIMIT,
            "seed {seed}: the flood must reach the limit, or nothing is tested"
        );
    }
}

/// Counts the messages in flight to it: the sender adds, the receiver subtracts.
#[derive(Actor)]
struct Watched {
    watched: Arc<AtomicUsize>,
}

#[behaviours]
impl Watched {
    fn take(&mut self) {
        self.watched.fetch_sub(1 << 32, Ordering::Relaxed);
    }

    fn deepest(&mut self) -> usize {
        self.watched.load(Ordering::Relaxed) & 0xffff_ffff
    }
}

#[derive(Actor)]
struct Pourer {
    sink: Address<Watched>,
    left: u64,
    /// High half: the number in flight. Low half: the maximum so far.
    watched: Arc<AtomicUsize>,
}

#[behaviours]
impl Pourer {
    fn pour(&mut self, t: &Turn<Self>) {
        t.send(self.sink.take());
        let now = (self.watched.fetch_add(1 << 32, Ordering::Relaxed) >> 32) + 1;
        let most = self.watched.load(Ordering::Relaxed) & 0xffff_ffff;
        if now > most {
            self.watched.fetch_add(now - most, Ordering::Relaxed);
        }
        self.left -= 1;
        if self.left > 0 {
            t.send(t.me().pour());
        }
    }
}

#[derive(Actor)]
struct Flooder {
    peers: Vec<Address<Flooder>>,
    left: u64,
    got: Arc<AtomicU64>,
}

#[behaviours]
impl Flooder {
    fn meet(&mut self, peers: Vec<Address<Flooder>>) {
        self.peers = peers;
    }

    /// Every message makes three more, to all actors, until the budget is spent: each floods each.
    fn flood(&mut self, t: &Turn<Self>) {
        self.got.fetch_add(1, Ordering::Relaxed);
        for _ in 0..3 {
            if self.left > 0 {
                self.left -= 1;
                t.send(self.peers[t.random_below(self.peers.len() as u64) as usize].flood());
            }
        }
    }
}

fn flooders(
    system: &System,
    got: &Arc<AtomicU64>,
    count: usize,
    budget: u64,
) -> Vec<Address<Flooder>> {
    let flooder = |_| {
        system.spawn(Flooder {
            peers: Vec::new(),
            left: budget,
            got: got.clone(),
        })
    };
    let flooders: Vec<_> = (0..count).map(flooder).collect();
    for flooder in &flooders {
        flooder.meet(flooders.clone()).send();
    }
    for flooder in &flooders {
        flooder.flood().send();
    }
    flooders
}

#[vivant::test(seeds = 100, faults = Faults::none().full_mailboxes())]
fn seeded_mutual_flooding_never_deadlocks(simulation: &Simulation) {
    let got = Arc::new(AtomicU64::new(0));
    let _flooders = flooders(simulation.system(), &got, 4, 200);
    simulation.run();
    assert_eq!(
        got.load(Ordering::Relaxed),
        4 + 4 * 200,
        "every message is processed in the end"
    );
    let muted: usize = simulation
        .system()
        .inspect()
        .actors
        .iter()
        .map(|actor| actor.mutes)
        .sum();
    assert_eq!(muted, 0, "no actor stays muted");
}

#[test]
fn mutual_flooding_never_deadlocks_on_threads() {
    for _ in 0..10 {
        let system = System::builder().workers(4).overload(4).build();
        let got = Arc::new(AtomicU64::new(0));
        let flooders = flooders(&system, &got, 6, 5_000);
        until_quiet(&system);
        assert_eq!(got.load(Ordering::Relaxed), 6 + 6 * 5_000);
        drop(flooders);
        assert!(system.shutdown().is_complete());
    }
}

#[test]
fn a_muted_actor_receives_a_stop_signal() {
    let system = System::builder().workers(2).overload(LIMIT).build();
    let gate = Arc::new(std::sync::Barrier::new(2));
    let slow = system.spawn(Slow { gate: gate.clone() });
    let sender = system.spawn(Sender { slow: slow.clone() });
    slow.wait().send();
    sender.pour().ask_blocking().expect("the first turn runs");
    let muted = || {
        system
            .inspect()
            .actors
            .iter()
            .map(|actor| actor.mutes)
            .sum::<usize>()
            == 1
    };
    wait_while(|| !muted());
    // Muted: it takes no message, but it receives the stop signal.
    let unheard = sender.pour().ask();
    Address::stop(&sender);
    assert!(matches!(
        system.block_on(unheard),
        Err(AskError::Stopped(_))
    ));
    gate.wait();
    assert!(system.shutdown().is_complete());
}
