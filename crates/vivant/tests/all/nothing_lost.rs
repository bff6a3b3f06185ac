//! T3: every message sent is processed, or returned, or counted as a dead letter, while actors stop
//! and panic at random.

use crate::waits::until_quiet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Seeds, Simulation, check};

/// The program's own counts.
#[derive(Default)]
struct Tally {
    sent: AtomicU64,
    processed: AtomicU64,
    /// Turns that panicked: their message was taken, and is neither processed nor dead.
    panicked: AtomicU64,
    asked: AtomicU64,
    answered: AtomicU64,
}

#[derive(Actor)]
struct Worker {
    peers: Vec<Address<Worker>>,
    tally: Arc<Tally>,
}

#[behaviours]
impl Worker {
    fn meet(&mut self, peers: Vec<Address<Worker>>) {
        self.peers = peers;
    }

    fn work(&mut self, t: &Turn<Self>, hops: u32) -> u32 {
        let fate = t.random_below(100);
        if fate < 2 {
            self.tally.panicked.fetch_add(1, Ordering::Relaxed);
            std::panic::resume_unwind(Box::new("planned"));
        }
        self.tally.processed.fetch_add(1, Ordering::Relaxed);
        match fate {
            2..4 => t.stop(),
            4..6 => Address::stop(&self.peers[t.random_below(self.peers.len() as u64) as usize]),
            6..8 => Address::stop_after_queue(&t.me()),
            _ => {}
        }
        for _ in 0..2 {
            if hops > 0 {
                let peer = &self.peers[t.random_below(self.peers.len() as u64) as usize];
                self.tally.sent.fetch_add(1, Ordering::Relaxed);
                if t.random_below(2) == 0 {
                    t.send(peer.work(hops - 1));
                } else {
                    self.tally.asked.fetch_add(1, Ordering::Relaxed);
                    let (call, tally) = (peer.work(hops - 1), self.tally.clone());
                    let _done = t.ask(call).then_local(t, move |_, _, answer| {
                        // A value or an error: either way the ask was answered.
                        drop(answer);
                        tally.answered.fetch_add(1, Ordering::Relaxed);
                    });
                }
            }
        }
        hops
    }
}

fn crowd(system: &System, tally: &Arc<Tally>, actors: usize, hops: u32) {
    let worker = |_| {
        system.spawn(Worker {
            peers: Vec::new(),
            tally: tally.clone(),
        })
    };
    let workers: Vec<_> = (0..actors).map(worker).collect();
    for worker in &workers {
        worker.meet(workers.clone()).send();
    }
    for worker in &workers {
        tally.sent.fetch_add(1, Ordering::Relaxed);
        worker.work(hops).send();
    }
}

/// Dead letters of the counted behaviour, as the runtime counts them.
fn dead(system: &System) -> u64 {
    let counts = system.dead_letters().counts();
    counts
        .iter()
        .filter(|line| line.behaviour.ends_with("::work"))
        .map(|line| line.count)
        .sum()
}

fn assert_nothing_lost(system: &System, tally: &Tally, injected: u64) {
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let (sent, done) = (
        count(&tally.sent),
        count(&tally.processed) + count(&tally.panicked),
    );
    assert_eq!(
        sent,
        done + dead(system) + injected,
        "processed or panicked: {done}, dead: {}",
        dead(system)
    );
}

#[test]
fn seeded_nothing_is_lost() {
    let delays = Faults::none()
        .delays(50_000, Duration::from_millis(3))
        .full_mailboxes();
    for faults in [Faults::none(), delays] {
        check(
            "seeded_nothing_is_lost",
            Seeds(100),
            &faults,
            |simulation: &Simulation| {
                let tally = Arc::new(Tally::default());
                crowd(simulation.system(), &tally, 8, 6);
                simulation.run();
                let system = simulation.system().clone();
                system.shutdown();
                assert!(dead(&system) > 0 || tally.processed.load(Ordering::Relaxed) > 100);
                assert_nothing_lost(&system, &tally, 0);
                assert_eq!(
                    system.inspect().bytes,
                    0,
                    "every cell and message is given back"
                );
            },
        );
    }
}

#[vivant::test(seeds = 100)]
fn seeded_every_ask_is_answered(simulation: &Simulation) {
    // Only answering actors end here, so every continuation has an actor that runs it.
    let tally = Arc::new(Tally::default());
    let asker = simulation.system().spawn(Asker {
        tally: tally.clone(),
    });
    let worker = |_| {
        simulation.system().spawn(Worker {
            peers: Vec::new(),
            tally: tally.clone(),
        })
    };
    let workers: Vec<_> = (0..6).map(worker).collect();
    for worker in &workers {
        worker.meet(workers.clone()).send();
    }
    for _ in 0..20 {
        asker.ask_all(workers.clone()).send();
    }
    drop(workers);
    simulation.run();
    assert_eq!(tally.asked.load(Ordering::Relaxed), 120);
    assert_eq!(tally.answered.load(Ordering::Relaxed), 120);
}

#[derive(Actor)]
struct Asker {
    tally: Arc<Tally>,
}

#[behaviours]
impl Asker {
    fn ask_all(&mut self, t: &Turn<Self>, workers: Vec<Address<Worker>>) {
        for worker in workers {
            self.tally.asked.fetch_add(1, Ordering::Relaxed);
            let _done = t.ask(worker.work(0)).then(t.me().answered());
        }
    }

    #[then]
    fn answered(&mut self, _answer: Result<u32, AskError>) {
        self.tally.answered.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn nothing_is_lost_on_threads() {
    for round in 0..20 {
        let system = System::builder().workers(3).overload(16).build();
        let tally = Arc::new(Tally::default());
        crowd(&system, &tally, 50, 8);
        if round % 2 == 0 {
            until_quiet(&system);
        }
        // On odd rounds shutdown comes while messages are in flight.
        let report = system.shutdown();
        assert!(report.is_complete(), "{report}");
        assert_nothing_lost(&system, &tally, 0);
        assert_eq!(
            system.inspect().bytes,
            0,
            "every cell and message is given back"
        );
    }
}

/// The checker must notice a lost message.
#[test]
#[should_panic(expected = "processed or panicked")]
fn canary_a_lost_message_is_noticed() {
    let simulation = Simulation::new(1);
    let tally = Arc::new(Tally::default());
    crowd(simulation.system(), &tally, 4, 3);
    // Counted as sent, never sent.
    tally.sent.fetch_add(1, Ordering::Relaxed);
    simulation.run();
    simulation.system().shutdown();
    assert_nothing_lost(simulation.system(), &tally, 0);
}
