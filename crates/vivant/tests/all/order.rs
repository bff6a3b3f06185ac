//! T2: messages of one sender to one receiver arrive in order, and delivery is causal; under seeds
//! and on real threads.
//!
//! The checker is the classical one for causal delivery (Raynal, Schiper, Toueg 1991): every
//! message carries its sender's knowledge of all sends so far, as a matrix; a receiver must have
//! got every message that the matrix counts as sent to it.

use crate::waits::until_quiet;
use std::sync::{Arc, Mutex};
use vivant::prelude::*;
use vivant::simulation::{Faults, Seeds, Simulation, check};

const NODES: usize = 5;
/// `sent[x][y]`: the number of messages from x to y that are known.
type Sent = [[u32; NODES]; NODES];

/// The first violation, if there was one.
type Verdict = Arc<Mutex<Vec<String>>>;

#[derive(Actor)]
struct Node {
    number: usize,
    peers: Vec<Address<Node>>,
    sent: Sent,
    got: [u32; NODES],
    verdict: Verdict,
    bug: Bug,
}

/// The injected fault that the checker must catch.
#[derive(Clone, Copy, PartialEq)]
enum Bug {
    None,
    /// Some messages take a detour: a future that sends them on, so they may be overtaken.
    Detour,
}

#[behaviours]
impl Node {
    fn meet(&mut self, peers: Vec<Address<Node>>) {
        self.peers = peers;
    }

    fn receive(&mut self, t: &Turn<Self>, from: usize, sent: Sent, hops: u32) {
        for (x, row) in sent.iter().enumerate() {
            if self.got[x] < row[self.number] {
                let text = format!(
                    "node {} received from {from} of {} messages by {x}, but has got {}",
                    self.number, row[self.number], self.got[x]
                );
                self.verdict.lock().unwrap().push(text);
            }
        }
        self.got[from] += 1;
        for (mine, theirs) in self.sent.iter_mut().flatten().zip(sent.iter().flatten()) {
            *mine = (*mine).max(*theirs);
        }
        self.sent[from][self.number] = self.sent[from][self.number].max(self.got[from]);
        if hops > 0 {
            self.pass_on(t, hops - 1);
        }
    }

    fn pass_on(&mut self, t: &Turn<Self>, hops: u32) {
        for _ in 0..1 + t.random_below(2) {
            let to = t.random_below(NODES as u64) as usize;
            let before = self.sent;
            self.sent[self.number][to] += 1;
            let call = self.peers[to].receive(self.number, before, hops);
            if self.bug == Bug::Detour && t.random_below(4) == 0 {
                let call = call.into_owned();
                let _sent_later = t.spawn(async move { call.send() });
            } else {
                t.send(call);
            }
        }
    }
}

fn mesh(system: &System, bug: Bug, hops: u32) -> Verdict {
    let verdict = Verdict::default();
    let node = |number| {
        let (peers, sent, got) = (Vec::new(), [[0; NODES]; NODES], [0; NODES]);
        system.spawn(Node {
            number,
            peers,
            sent,
            got,
            verdict: verdict.clone(),
            bug,
        })
    };
    let nodes: Vec<_> = (0..NODES).map(node).collect();
    for node in &nodes {
        node.meet(nodes.clone()).send();
    }
    // One message to each makes sure that all have met before the first is passed on.
    for node in &nodes {
        node.part_of_mesh();
    }
    for node in &nodes {
        node.pass_on(hops).send();
    }
    verdict
}

impl NodeHandle {
    /// Waits until the actor has processed all messages sent to it so far.
    fn part_of_mesh(&self) {
        self.meet_again()
            .ask_blocking()
            .expect("nodes do not end by themselves");
    }
}

#[behaviours(module = node_sync)]
impl Node {
    fn meet_again(&mut self) -> usize {
        self.peers.len()
    }
}

#[test]
fn seeded_delivery_is_causal() {
    let faults = Faults::none()
        .delays(100_000, std::time::Duration::from_millis(5))
        .slow_turns(50_000, std::time::Duration::from_millis(5))
        .full_mailboxes();
    for faults in [Faults::none(), faults] {
        check(
            "seeded_delivery_is_causal",
            Seeds(100),
            &faults,
            |simulation: &Simulation| {
                let verdict = mesh(simulation.system(), Bug::None, 7);
                simulation.run();
                assert!(simulation.turns() > 100, "the mesh must talk");
                assert_eq!(*verdict.lock().unwrap(), Vec::<String>::new());
            },
        );
    }
}

#[test]
fn seeded_canary_a_detour_is_caught() {
    let caught = (0..20)
        .filter(|seed| {
            let simulation = Simulation::new(*seed);
            let verdict = mesh(simulation.system(), Bug::Detour, 7);
            simulation.run();
            !verdict.lock().unwrap().is_empty()
        })
        .count();
    assert!(
        caught > 0,
        "the checker must see a message that was overtaken"
    );
}

#[test]
fn delivery_is_causal_on_threads() {
    for _ in 0..20 {
        let system = System::builder().workers(4).build();
        let verdict = mesh(&system, Bug::None, 9);
        until_quiet(&system);
        let report = system.shutdown();
        assert!(report.is_complete(), "{report}");
        assert_eq!(*verdict.lock().unwrap(), Vec::<String>::new());
    }
}
